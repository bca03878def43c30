/**
 * What the two ways to draw grains share: discs on the graphics card (discs.ts), and points for renderers without one
 * (points.ts). Either way a grain is a flat disc that faces the camera and is shaded like a sphere. Spheres that don't
 * overlap cover each other just as discs through their centres do, so no depth is written per pixel.
 */
import type * as THREE from "three";
import type { Frame } from "../record/format";

export const COLOR_SPEED = 0;
export const COLOR_CHANNEL = 1; // logarithmic
export const COLOR_SIZE = 2;
export const COLOR_MATERIAL = 3;
export const COLOR_KIND = 4; // a channel of integers

export interface GrainColors {
  mode: number;
  low: number;
  high: number;
}

export interface Grains {
  readonly object: THREE.Object3D;
  readonly frame: Frame | null;
  readonly drawn: number;
  show(frame: Frame): void;
  /** How far between the frame before (0) and the frame (1). */
  setShare(share: number): void;
  setColors(colors: GrainColors): void;
  setGround(color: THREE.Color): void;
  /** Before each picture. thorough: it will stand still. */
  prepare(view: GrainView): void;
}

export interface GrainView {
  camera: THREE.PerspectiveCamera;
  sun: THREE.Vector3; // towards it, world frame
  up: THREE.Vector3;
  width: number; // CSS pixels
  height: number;
  pixels: number; // height of the picture in its own pixels
  thorough: boolean;
}

/** Light of a grain from 0.12 in the dark to 1, as a factor on its colour. */
export const DARKEST = 0.12;

/** shadeGrain(color, uv): color in linear light; uv from −1 to 1 over the disc. sun, sky: in the camera's frame. */
export const shading = /* glsl */ `
uniform vec3 sun, sky, ground;
vec4 shadeGrain(vec3 color, vec2 uv) {
  float square = dot(uv, uv);
  if (square > 1.0) discard;
  vec3 n = vec3(uv, sqrt(1.0 - square));
  vec3 light = mix(ground, vec3(0.62, 0.64, 0.68), 0.5 + 0.5 * dot(n, sky)) + vec3(0.95, 0.92, 0.85) * max(0.0, dot(n, sun));
  // Towards its rim a grain meets its neighbours. The root is the screen's gamma, nearly.
  return vec4(sqrt(color * light * (0.45 + 0.55 * n.z)), 1.0);
}`;

export function aimLights(uniforms: Record<string, THREE.IUniform>, { camera, sun, up }: GrainView): void {
  (uniforms.sun.value as THREE.Vector3).copy(sun).transformDirection(camera.matrixWorldInverse);
  (uniforms.sky.value as THREE.Vector3).copy(up).transformDirection(camera.matrixWorldInverse);
}
