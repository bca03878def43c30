/**
 * Planes without end, drawn as the part that matters: cut off by the other planes and by a box around the scene, with a
 * grid that gives the scale. They are drawn from their open side alone, so that a wall between the camera and the
 * grains is not in the way.
 */
import * as THREE from "three";
import type { GroundLight } from "../record/format";
import { roundDown } from "../ui/dom";

export interface PlanePart {
  normal: THREE.Vector3; // out of the solid
  point: THREE.Vector3;
}

/** The corners of the part of a plane inside a box and in front of the others. */
function cutOut(plane: PlanePart, others: PlanePart[], box: THREE.Box3): THREE.Vector3[] {
  const { normal, point } = plane;
  const reach = 4 * box.getSize(new THREE.Vector3()).length() + point.distanceTo(box.getCenter(new THREE.Vector3()));
  const u = new THREE.Vector3(1, 0, 0);
  if (Math.abs(normal.x) > 0.7) u.set(0, 1, 0);
  u.cross(normal).normalize();
  const v = normal.clone().cross(u);
  const centre = box.getCenter(new THREE.Vector3());
  centre.addScaledVector(normal, normal.dot(point.clone().sub(centre)));
  let polygon = [
    [-1, -1],
    [1, -1],
    [1, 1],
    [-1, 1],
  ].map(([a, b]) =>
    centre
      .clone()
      .addScaledVector(u, a * reach)
      .addScaledVector(v, b * reach),
  );
  const sides: PlanePart[] = [...others];
  for (const axis of ["x", "y", "z"] as const) {
    const direction = new THREE.Vector3();
    direction[axis] = 1;
    if (Math.abs(normal.dot(direction)) > 0.99) continue;
    sides.push({ normal: direction, point: box.min }, { normal: direction.clone().negate(), point: box.max });
  }
  for (const side of sides) if (Math.abs(side.normal.dot(normal)) < 0.999) polygon = clip(polygon, side);
  return polygon;
}

/** What of a polygon lies in front of a plane. */
function clip(polygon: THREE.Vector3[], { normal, point }: PlanePart): THREE.Vector3[] {
  const result: THREE.Vector3[] = [];
  polygon.forEach((a, i) => {
    const b = polygon[(i + 1) % polygon.length];
    const da = normal.dot(a) - normal.dot(point);
    const db = normal.dot(b) - normal.dot(point);
    if (da >= 0) result.push(a);
    if (da >= 0 !== db >= 0) result.push(a.clone().lerp(b, da / (da - db)));
  });
  return result;
}

const vertexShader = /* glsl */ `
varying vec3 place;
void main() {
  vec4 world = modelMatrix * vec4(position, 1.0);
  place = world.xyz;
  gl_Position = projectionMatrix * viewMatrix * world;
}`;

const fragmentShader = /* glsl */ `
uniform vec3 paper, ink, axisU, axisV, origin;
uniform float spacing, opacity, fadeBegin, fadeEnd, hasShade;
uniform sampler2D shade;
uniform vec4 shadeBox; // x, y of its corner; 1 / width, 1 / height
varying vec3 place;
void main() {
  vec2 at = vec2(dot(place, axisU), dot(place, axisV)) / spacing;
  vec2 width = fwidth(at);
  vec2 near = abs(fract(at - 0.5) - 0.5) / max(width, vec2(1e-6));
  vec2 fifth = abs(fract(at / 5.0 - 0.5) - 0.5) / max(width / 5.0, vec2(1e-6));
  float thin = (1.0 - min(min(near.x, near.y), 1.0)) * clamp(0.35 / max(width.x, width.y) - 0.7, 0.0, 1.0);
  float thick = 1.0 - min(min(fifth.x, fifth.y), 1.0);
  float line = max(0.4 * thin, 0.8 * thick);
  float fade = 1.0 - smoothstep(fadeBegin, fadeEnd, length(place - origin));
  vec3 color = mix(paper, ink, line);
  if (hasShade > 0.5) {
    vec2 in01 = (place.xy - shadeBox.xy) * shadeBox.zw;
    vec2 inside = smoothstep(0.0, 0.12, in01) * smoothstep(0.0, 0.12, 1.0 - in01);
    color *= mix(1.0, mix(0.42, 1.0, texture2D(shade, in01).r), inside.x * inside.y);
  }
  gl_FragColor = vec4(color, mix(opacity, min(1.0, opacity + 0.25), line) * fade);
}`;

export interface PlaneStyle {
  paper: THREE.Color;
  ink: THREE.Color;
}

export class Planes {
  readonly group = new THREE.Group();
  spacing = 1; // m, of the grid
  private materials: THREE.ShaderMaterial[] = [];
  private floors: THREE.ShaderMaterial[] = []; // level ones
  private shade = new THREE.DataTexture(new Uint8Array([255]), 1, 1, THREE.RedFormat);
  private readonly shadeBox = new THREE.Vector4();

  /** box: what the planes are drawn around. */
  build(planes: PlanePart[], box: THREE.Box3): void {
    this.clear();
    const size = box.getSize(new THREE.Vector3());
    this.spacing = roundDown(Math.max(size.x, size.y, size.z) / 8);
    for (const plane of planes) {
      const lying = Math.abs(plane.normal.z) > 0.7;
      const room = box.clone();
      if (lying) room.expandByVector(new THREE.Vector3(1.2, 1.2, 0).multiplyScalar(Math.max(size.x, size.y, size.z)));
      const corners = cutOut(
        plane,
        planes.filter((other) => other !== plane),
        room,
      );
      if (corners.length >= 3) this.addPart(plane, corners, box, lying);
    }
  }

  private addPart(plane: PlanePart, corners: THREE.Vector3[], box: THREE.Box3, lying: boolean): void {
    const triangles: number[] = [];
    for (let i = 1; i + 1 < corners.length; i++) triangles.push(0, i, i + 1);
    const geometry = new THREE.BufferGeometry().setFromPoints(corners).setIndex(triangles);
    const u = new THREE.Vector3(1, 0, 0);
    if (Math.abs(plane.normal.x) > 0.7) u.set(0, 1, 0);
    u.addScaledVector(plane.normal, -u.dot(plane.normal)).normalize();
    const reach = 0.5 * box.getSize(new THREE.Vector3()).length();
    const material = new THREE.ShaderMaterial({
      vertexShader,
      fragmentShader,
      transparent: true,
      depthWrite: false,
      side: THREE.FrontSide,
      uniforms: {
        paper: { value: new THREE.Color() },
        ink: { value: new THREE.Color() },
        axisU: { value: u },
        axisV: { value: plane.normal.clone().cross(u) },
        origin: { value: box.getCenter(new THREE.Vector3()) },
        spacing: { value: this.spacing },
        opacity: { value: lying ? 0.95 : 0.4 },
        hasShade: { value: 0 },
        shade: { value: this.shade },
        shadeBox: { value: this.shadeBox },
        fadeBegin: { value: 1.0 * reach },
        fadeEnd: { value: 2.4 * reach },
      },
    });
    const mesh = new THREE.Mesh(geometry, material);
    mesh.renderOrder = -2;
    this.materials.push(material);
    if (plane.normal.z > 0.999) this.floors.push(material);
    this.group.add(mesh);
    const outline = new THREE.LineLoop(
      new THREE.BufferGeometry().setFromPoints(corners),
      new THREE.LineBasicMaterial({ transparent: true, opacity: 0.5 }),
    );
    outline.renderOrder = -1;
    if (!lying) this.group.add(outline);
  }

  setStyle({ paper, ink }: PlaneStyle): void {
    for (const material of this.materials) {
      (material.uniforms.paper.value as THREE.Color).copy(paper);
      (material.uniforms.ink.value as THREE.Color).copy(ink);
    }
    this.group.traverse((object) => {
      if (object instanceof THREE.LineLoop) (object.material as THREE.LineBasicMaterial).color.copy(ink);
    });
  }

  private clear(): void {
    for (const child of [...this.group.children]) {
      this.group.remove(child);
      const mesh = child as THREE.Mesh;
      mesh.geometry.dispose();
      (mesh.material as THREE.Material).dispose();
    }
    this.materials = [];
    this.floors = [];
  }

  /** Light and shadow of the grains on level floors. */
  setGround(ground: GroundLight | null): void {
    for (const { uniforms } of this.floors) uniforms.hasShade.value = ground ? 1 : 0;
    if (!ground) return;
    const { cells, columns, rows, x, y, width } = ground;
    if (this.shade.image.width !== columns || this.shade.image.height !== rows) {
      this.shade.dispose();
      this.shade = new THREE.DataTexture(cells, columns, rows, THREE.RedFormat);
      this.shade.magFilter = this.shade.minFilter = THREE.LinearFilter;
    } else {
      this.shade.image.data = cells;
    }
    this.shade.needsUpdate = true;
    this.shadeBox.set(x, y, 1 / (columns * width), 1 / (rows * width));
    for (const { uniforms } of this.floors) uniforms.shade.value = this.shade;
  }
}
