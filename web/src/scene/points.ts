/**
 * Grains for renderers without a graphics card. There every vertex and every pixel is dear and JavaScript is not: the
 * processor finds what can be seen, moves and colours that, and hands over one point for each.
 */
import * as THREE from "three";
import { KIND_COUNT, decode, kindColor, mapColor } from "../color";
import type { Frame } from "../record/format";
import {
  aimLights,
  COLOR_CHANNEL,
  COLOR_KIND,
  COLOR_MATERIAL,
  COLOR_SIZE,
  COLOR_SPEED,
  DARKEST,
  type GrainColors,
  type Grains,
  type GrainView,
  shading,
} from "./grains";
import { Visible } from "./visible";

const vertexShader = /* glsl */ `
precision highp float;
uniform mat4 viewMatrix, projectionMatrix;
uniform float fineness;
in vec4 place; // x, y, z, radius
in vec3 paint; // roots of the colour in linear light
out vec3 color;
void main() {
  vec4 p = viewMatrix * vec4(place.xyz, 1.0);
  color = paint * paint;
  gl_Position = projectionMatrix * p;
  gl_PointSize = max(1.0, place.w * fineness / -p.z);
}`;

const fragmentShader = /* glsl */ `
precision highp float;
in vec3 color;
out vec4 result;
${shading}
void main() {
  result = shadeGrain(color, gl_PointCoord * vec2(2.0, -2.0) + vec2(-1.0, 1.0));
}`;

const LEVELS = 256; // of the colour map

/** Roots of linear light, three bytes a colour, so that dark ones keep their steps. */
function paints(count: number, color: (i: number) => number[]): Float32Array {
  return Float32Array.from({ length: 3 * count }, (_, k) => 255 * Math.sqrt(decode(color(Math.floor(k / 3))[k % 3])));
}

/** Little differences in brightness, by id, so that grains of one colour stay apart. */
const shades = Float32Array.from({ length: 1024 }, (_, i) =>
  Math.sqrt(0.9 + 0.16 * (((Math.imul(i + 1, 0x9e3779b1) >>> 8) & 1023) / 1023)),
);

export class Points implements Grains {
  readonly object: THREE.Points;
  frame: Frame | null = null;
  drawn = 0;
  private share = 1;
  private colors: GrainColors = { mode: COLOR_SPEED, low: 0, high: 1 };
  private readonly visible = new Visible();
  private readonly geometry = new THREE.BufferGeometry();
  private readonly uniforms: Record<string, THREE.IUniform>;
  private readonly palette = paints(LEVELS, (i) => mapColor(i / (LEVELS - 1)));
  private readonly kinds = paints(KIND_COUNT, kindColor);
  private place = new THREE.BufferAttribute(new Float32Array(0), 4);
  private paint = new THREE.BufferAttribute(new Uint8Array(0), 4, true);

  constructor() {
    this.uniforms = {
      fineness: { value: 1 },
      sun: { value: new THREE.Vector3() },
      sky: { value: new THREE.Vector3() },
      ground: { value: new THREE.Vector3() },
    };
    const { uniforms } = this;
    const material = new THREE.RawShaderMaterial({ glslVersion: THREE.GLSL3, vertexShader, fragmentShader, uniforms });
    this.object = new THREE.Points(this.geometry, material);
    this.object.frustumCulled = false;
    this.reserve(1);
  }

  private reserve(count: number): void {
    if (count <= this.place.count) return;
    const room = Math.ceil(1.2 * count);
    this.place = new THREE.BufferAttribute(new Float32Array(4 * room), 4).setUsage(THREE.DynamicDrawUsage);
    this.paint = new THREE.BufferAttribute(new Uint8Array(4 * room), 4, true).setUsage(THREE.DynamicDrawUsage);
    this.geometry.dispose();
    this.geometry.setAttribute("place", this.place);
    this.geometry.setAttribute("paint", this.paint);
    this.geometry.setDrawRange(0, 0);
  }

  show(frame: Frame): void {
    this.frame = frame;
  }

  setShare(share: number): void {
    this.share = share;
  }

  setColors(colors: GrainColors): void {
    this.colors = colors;
  }

  setGround(color: THREE.Color): void {
    (this.uniforms.ground.value as THREE.Vector3).set(color.r, color.g, color.b);
  }

  prepare(view: GrainView): void {
    aimLights(this.uniforms, view);
    this.uniforms.fineness.value = view.pixels / Math.tan((view.camera.fov * Math.PI) / 360);
    if (!this.frame) return;
    this.visible.find(this.frame, this.share, view);
    this.drawn = this.visible.count;
    this.reserve(this.drawn);
    this.put(this.frame);
    this.geometry.setDrawRange(0, this.drawn);
    for (const attribute of [this.place, this.paint]) {
      attribute.clearUpdateRanges();
      attribute.addUpdateRange(0, 4 * this.drawn);
      attribute.needsUpdate = true;
    }
  }

  /** Places and colours of the visible grains. */
  private put({ before, after, look }: Frame): void {
    const { share, drawn, palette, kinds } = this;
    const { ids } = this.visible;
    const { mode } = this.colors;
    const place = this.place.array as Float32Array;
    const paint = this.paint.array as Uint8Array;
    const byKind = mode === COLOR_MATERIAL || mode === COLOR_KIND;
    const table = byKind ? kinds : palette;
    for (let k = 0; k < drawn; k++) {
      const at = 4 * ids[k];
      place[4 * k] = before[at] + share * (after[at] - before[at]);
      place[4 * k + 1] = before[at + 1] + share * (after[at + 1] - before[at + 1]);
      place[4 * k + 2] = before[at + 2] + share * (after[at + 2] - before[at + 2]);
      place[4 * k + 3] = after[at + 3];
      const material = Math.floor(look[at + 2]);
      const lit = (look[at + 2] - material) / 0.999;
      const kind = mode === COLOR_MATERIAL ? material : look[at + 1];
      const color = 3 * (byKind ? ((kind % KIND_COUNT) + KIND_COUNT) % KIND_COUNT : this.level(before, after, look, at));
      const bright = shades[look[at + 3] & 1023] * Math.sqrt(DARKEST + (1 - DARKEST) * lit);
      paint[4 * k] = Math.min(255, table[color] * bright);
      paint[4 * k + 1] = Math.min(255, table[color + 1] * bright);
      paint[4 * k + 2] = Math.min(255, table[color + 2] * bright);
    }
  }

  /** Place on the colour map, 0 to LEVELS − 1. */
  private level(before: Float32Array, after: Float32Array, look: Float32Array, at: number): number {
    const { mode, low, high } = this.colors;
    let value = 0;
    if (mode === COLOR_SPEED) value = Math.sqrt((before[at + 3] + this.share * (look[at] - before[at + 3])) / high);
    else if (mode === COLOR_SIZE) value = (after[at + 3] - low) / Math.max(high - low, 1e-12);
    else if (mode === COLOR_CHANNEL && look[at + 1] > 0) value = Math.log(look[at + 1] / low) / Math.log(high / low);
    return value <= 0 ? 0 : value >= 1 ? LEVELS - 1 : Math.round(value * (LEVELS - 1));
  }
}
