/**
 * Bodies: their triangles with edges. Planes are drawn by planes.ts. A body can be solid, glass or hidden; one at rest
 * that stands around the grains begins as glass: its far side solid, its near side a hint; a shell all a hint.
 */
import * as THREE from "three";
import type { Body, Head } from "../record/format";
import type { PlanePart } from "./planes";

export type BodyLook = "solid" | "glass" | "hidden";
export const BODY_LOOKS: BodyLook[] = ["solid", "glass", "hidden"];

const EDGE_ANGLE = 28; // degrees between faces from which on an edge is drawn

export interface BodyStyle {
  moving: THREE.Color;
  resting: THREE.Color;
  edge: THREE.Color;
}

export interface BodyPart {
  body: Body;
  index: number;
  group: THREE.Group;
  moves: boolean;
  look: BodyLook;
  hasMesh: boolean; // more than planes
}

export class Bodies {
  readonly group = new THREE.Group();
  readonly parts: BodyPart[];

  constructor(head: Head) {
    this.parts = head.bodies.map((body, index) => {
      const group = new THREE.Group();
      this.group.add(group);
      const part: BodyPart = { body, index, group, moves: body.kind !== "static", look: "solid", hasMesh: false };
      for (const shape of body.shapes)
        if (shape.kind !== "plane") {
          group.add(...makeMeshes(shape.vertices, shape.triangles));
          part.hasMesh = true;
        }
      return part;
    });
  }

  /** Where a body's corners are in a pose, as a box; planes have no corners. */
  boxOf(part: BodyPart, pose: Float64Array): THREE.Box3 {
    const matrix = poseMatrix(pose);
    const box = new THREE.Box3();
    const point = new THREE.Vector3();
    for (const shape of part.body.shapes) {
      if (shape.kind === "plane") continue;
      for (let i = 0; i < shape.vertices.length; i += 3)
        box.expandByPoint(point.fromArray(shape.vertices, i).applyMatrix4(matrix));
    }
    return box;
  }

  /** All planes of bodies in their poses. */
  planes(poseOf: (body: number) => Float64Array): PlanePart[] {
    return this.parts.flatMap(({ body, index }) => {
      const matrix = poseMatrix(poseOf(index));
      return body.shapes
        .filter((shape) => shape.kind === "plane")
        .map(({ vertices, triangles }) => {
          const [a, b, c] = [0, 1, 2].map((k) =>
            new THREE.Vector3().fromArray(vertices, 3 * triangles[k]).applyMatrix4(matrix),
          );
          return { point: a, normal: b.clone().sub(a).cross(c.clone().sub(a)).normalize() };
        });
    });
  }

  /** Poses between two frames: share 0 is the first. */
  place(poseOf: (body: number) => [Float64Array, Float64Array], share: number): void {
    const turn = new THREE.Quaternion();
    for (const { group, index } of this.parts) {
      const [a, b] = poseOf(index);
      group.position.set(...([0, 1, 2].map((k) => a[k] + share * (b[k] - a[k])) as [number, number, number]));
      group.quaternion.set(a[4], a[5], a[6], a[3]);
      turn.set(b[4], b[5], b[6], b[3]);
      group.quaternion.slerp(turn, share).normalize();
    }
  }

  setLook(part: BodyPart, look: BodyLook): void {
    part.look = look;
    part.group.visible = look !== "hidden";
    part.group.traverse((object) => {
      if (!(object instanceof THREE.Mesh)) return;
      const material = object.material as THREE.MeshLambertMaterial;
      const near = object.name === "near";
      const glass = look === "glass" && (near || object.userData.open === true); // a shell may face either way
      material.transparent = glass;
      material.opacity = glass ? 0.14 : 1;
      material.depthWrite = !glass;
      object.visible = near || look === "glass" || object.userData.open === true;
      material.needsUpdate = true;
    });
  }

  setStyle(style: BodyStyle): void {
    for (const part of this.parts)
      part.group.traverse((object) => {
        if (object instanceof THREE.LineSegments) (object.material as THREE.LineBasicMaterial).color.copy(style.edge);
        else if (object instanceof THREE.Mesh)
          (object.material as THREE.MeshLambertMaterial).color.copy(part.moves ? style.moving : style.resting);
      });
  }
}

export function poseMatrix(pose: Float64Array): THREE.Matrix4 {
  return new THREE.Matrix4().compose(
    new THREE.Vector3(pose[0], pose[1], pose[2]),
    new THREE.Quaternion(pose[4], pose[5], pose[6], pose[3]),
    new THREE.Vector3(1, 1, 1),
  );
}

/** Whether every edge belongs to two triangles: then the inside is never seen. */
function isClosed(triangles: number[], vertices: number): boolean {
  const edges = new Map<number, number>();
  for (let t = 0; t < triangles.length; t += 3)
    for (let k = 0; k < 3; k++) {
      const [a, b] = [triangles[t + k], triangles[t + ((k + 1) % 3)]];
      const edge = Math.min(a, b) * vertices + Math.max(a, b);
      edges.set(edge, (edges.get(edge) ?? 0) + 1);
    }
  return [...edges.values()].every((count) => count === 2);
}

/** Its near side, its far side (for glass, and for surfaces that are open), its edges. */
function makeMeshes(vertices: number[], triangles: number[]): THREE.Object3D[] {
  const shared = new THREE.BufferGeometry();
  shared.setAttribute("position", new THREE.Float32BufferAttribute(vertices, 3));
  shared.setIndex(triangles);
  const edges = new THREE.LineSegments(
    new THREE.EdgesGeometry(shared, EDGE_ANGLE),
    new THREE.LineBasicMaterial({ transparent: true, opacity: 0.75 }),
  );
  const faces = smooth(shared, triangles);
  const offset = { polygonOffset: true, polygonOffsetFactor: 1, polygonOffsetUnits: 1 };
  const near = new THREE.Mesh(faces, new THREE.MeshLambertMaterial({ side: THREE.FrontSide, ...offset }));
  near.name = "near";
  const far = new THREE.Mesh(faces, new THREE.MeshLambertMaterial({ side: THREE.BackSide, ...offset }));
  far.userData.open = !isClosed(triangles, vertices.length / 3);
  far.visible = far.userData.open;
  return [near, far, edges];
}

/** Normals that are smooth over gentle bends and break at edges. */
function smooth(shared: THREE.BufferGeometry, triangles: number[]): THREE.BufferGeometry {
  const flat = shared.toNonIndexed();
  const position = flat.getAttribute("position");
  const count = position.count;
  const faceNormals: THREE.Vector3[] = []; // as long as twice the area
  const facesAt: number[][] = Array.from({ length: shared.getAttribute("position").count }, () => []);
  const [a, b, c] = [new THREE.Vector3(), new THREE.Vector3(), new THREE.Vector3()];
  for (let i = 0; i < count; i += 3) {
    a.fromBufferAttribute(position, i);
    b.fromBufferAttribute(position, i + 1);
    c.fromBufferAttribute(position, i + 2);
    faceNormals.push(b.clone().sub(a).cross(c.clone().sub(a)));
    for (let k = 0; k < 3; k++) facesAt[triangles[i + k]].push(i / 3);
  }
  const limit = Math.cos((EDGE_ANGLE * Math.PI) / 180);
  const normals = new Float32Array(3 * count);
  const sum = new THREE.Vector3();
  for (let i = 0; i < count; i++) {
    const own = faceNormals[Math.floor(i / 3)];
    sum.set(0, 0, 0);
    for (const face of facesAt[triangles[i]]) {
      const other = faceNormals[face];
      if (own.dot(other) >= limit * own.length() * other.length()) sum.add(other);
    }
    sum.normalize().toArray(normals, 3 * i);
  }
  flat.setAttribute("normal", new THREE.BufferAttribute(normals, 3));
  return flat;
}
