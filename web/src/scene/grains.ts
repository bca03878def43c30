/**
 * The grains: one shaded disc each, turned to the camera, that looks like a sphere.
 *
 * Spheres that don't overlap cover each other just as discs through their centres do, so no depth is written per pixel
 * and the cheap depth test stays. Everything about a grain is read from textures by its number; the list of grains to
 * draw is a texture too. There is no instancing: software renderers make a draw call of each instance.
 */
import * as THREE from "three";
import { KIND_COUNT, decode, kindColor, mapColor } from "../color";
import type { Frame } from "../record/format";

const WIDTH = 2048; // of the textures

export const COLOR_SPEED = 0;
export const COLOR_CHANNEL = 1; // logarithmic
export const COLOR_SIZE = 2;
export const COLOR_MATERIAL = 3;
export const COLOR_KIND = 4; // a channel of integers

const vertexShader = /* glsl */ `
precision highp float;
precision highp int;
uniform sampler2D before, after, look, palette, kinds;
uniform highp usampler2D order;
uniform mat4 viewMatrix, projectionMatrix;
uniform float share, fineness, kindCount, emphasis;
uniform vec2 range;
uniform int mode;
out vec3 color;
#ifndef POINTS
out vec2 corner;
#endif

float hash(uint n) {
  n = (n ^ 61u) ^ (n >> 16);
  n *= 9u;
  n ^= n >> 4;
  n *= 0x27d4eb2du;
  n ^= n >> 15;
  return float(n & 1023u) / 1023.0;
}

vec3 kindOf(float kind) {
  return texelFetch(kinds, ivec2(int(mod(kind + 0.5, kindCount)), 0), 0).rgb;
}

void main() {
#ifdef POINTS
  int place = gl_VertexID;
#else
  int place = gl_VertexID / 6;
  int c = gl_VertexID - 6 * place;
  corner = vec2(c == 1 || c == 2 || c == 4 ? 1.0 : -1.0, c == 2 || c == 4 || c == 5 ? 1.0 : -1.0);
#endif
  uint id = texelFetch(order, ivec2(place & 2047, place >> 11), 0).r;
  ivec2 at = ivec2(int(id & 2047u), int(id >> 11));
  vec4 b = texelFetch(before, at, 0);
  vec4 a = texelFetch(after, at, 0);
  vec4 l = texelFetch(look, at, 0);
  float radius = a.w;
  vec3 p = (viewMatrix * vec4(mix(b.xyz, a.xyz, share), 1.0)).xyz;

  if (mode == ${COLOR_MATERIAL}) color = kindOf(l.z);
  else if (mode == ${COLOR_KIND}) color = kindOf(l.y);
  else {
    float value = mode == ${COLOR_SIZE} ? (radius - range.x) / max(range.y - range.x, 1e-12)
                : mode == ${COLOR_SPEED} ? sqrt(mix(b.w, l.x, share) / range.y)
                : l.y <= 0.0 ? 0.0 : log(l.y / range.x) / log(range.y / range.x);
    color = texture(palette, vec2(0.5 / 256.0 + clamp(value, 0.0, 1.0) * 255.0 / 256.0, 0.5)).rgb;
  }
  color *= 0.9 + 0.16 * hash(id);
  // What sees little of the sky is darker; a curve that leaves the open surface bright.
  color *= mix(1.0, 0.16 + 0.84 * pow(l.w, 0.8), emphasis);

#ifdef POINTS
  gl_Position = projectionMatrix * vec4(p, 1.0);
  gl_PointSize = max(1.0, radius * fineness / -p.z);
#else
  // Turned to the eye rather than to the picture, and as wide as a sphere's outline is in perspective.
  vec3 forward = normalize(p);
  vec3 right = normalize(cross(forward, vec3(0.0, 1.0, 0.0)));
  float d = length(p);
  float wide = radius * d / sqrt(max(d * d - radius * radius, 0.04 * d * d));
  gl_Position = projectionMatrix * vec4(p + wide * (corner.x * right + corner.y * cross(right, forward)), 1.0);
#endif
}`;

const fragmentShader = /* glsl */ `
precision highp float;
uniform vec3 sun, sky, ground, sunColor;
in vec3 color;
#ifndef POINTS
in vec2 corner;
#endif
out vec4 result;

void main() {
#ifdef POINTS
  vec2 uv = gl_PointCoord * vec2(2.0, -2.0) + vec2(-1.0, 1.0);
#else
  vec2 uv = corner;
#endif
  float square = dot(uv, uv);
  if (square > 1.0) discard;
  vec3 n = vec3(uv, sqrt(1.0 - square));
  // sun, sky and ground are in the camera's frame; sky points up.
  float up = 0.5 + 0.5 * dot(n, sky);
  float light = max(0.0, dot(n, sun));
  vec3 shade = mix(ground, vec3(0.62, 0.64, 0.68), up) + sunColor * light;
  shade *= 0.45 + 0.55 * n.z; // towards its rim a grain meets its neighbours
  vec3 c = color * shade;
  result = vec4(pow(c, vec3(1.0 / 2.2)), 1.0);
}`;

function dataTexture(rows: number): THREE.DataTexture {
  const texture = new THREE.DataTexture(
    new Float32Array(4 * WIDTH * rows),
    WIDTH,
    rows,
    THREE.RGBAFormat,
    THREE.FloatType,
  );
  texture.needsUpdate = true;
  return texture;
}

function colorTexture(colors: [number, number, number][], filter: THREE.MagnificationTextureFilter): THREE.DataTexture {
  const data = new Uint8Array(colors.flatMap((c) => [...c.map((v) => Math.round(255 * decode(v))), 255]));
  const texture = new THREE.DataTexture(data, colors.length, 1);
  texture.magFilter = filter;
  texture.minFilter = filter;
  texture.needsUpdate = true;
  return texture;
}

export class Grains {
  readonly mesh: THREE.Mesh | THREE.Points;
  private readonly material: THREE.RawShaderMaterial;
  private readonly geometry = new THREE.BufferGeometry();
  private rows = 0;
  private before = dataTexture(1);
  private after = dataTexture(1);
  private look = dataTexture(1);
  private order: THREE.DataTexture;
  private shown: Frame | null = null;
  drawn = 0;

  /** points: one vertex per grain. Faster in software; large ones vanish at the picture's edge. */
  constructor(private readonly points: boolean) {
    this.order = this.makeOrder(1);
    this.material = new THREE.RawShaderMaterial({
      glslVersion: THREE.GLSL3,
      vertexShader,
      fragmentShader,
      defines: points ? { POINTS: 1 } : {},
      uniforms: {
        before: { value: this.before },
        after: { value: this.after },
        look: { value: this.look },
        order: { value: this.order },
        palette: {
          value: colorTexture(
            Array.from({ length: 256 }, (_, i) => mapColor(i / 255)),
            THREE.LinearFilter,
          ),
        },
        kinds: {
          value: colorTexture(
            Array.from({ length: KIND_COUNT }, (_, i) => kindColor(i)),
            THREE.NearestFilter,
          ),
        },
        kindCount: { value: KIND_COUNT },
        share: { value: 1 },
        fineness: { value: 1 },
        emphasis: { value: 1 },
        range: { value: new THREE.Vector2(0, 1) },
        mode: { value: COLOR_SPEED },
        sun: { value: new THREE.Vector3() },
        sky: { value: new THREE.Vector3() },
        ground: { value: new THREE.Vector3(0.2, 0.19, 0.18) },
        sunColor: { value: new THREE.Vector3(0.95, 0.92, 0.85) },
      },
    });
    this.mesh = points
      ? new THREE.Points(this.geometry, this.material)
      : new THREE.Mesh(this.geometry, this.material);
    this.mesh.frustumCulled = false;
    this.geometry.setDrawRange(0, 0);
  }

  private makeOrder(rows: number): THREE.DataTexture {
    const texture = new THREE.DataTexture(
      new Uint32Array(WIDTH * rows),
      WIDTH,
      rows,
      THREE.RedIntegerFormat,
      THREE.UnsignedIntType,
    );
    texture.internalFormat = "R32UI";
    texture.needsUpdate = true;
    return texture;
  }

  private reserve(count: number): void {
    const rows = Math.max(1, Math.ceil(count / WIDTH));
    if (rows <= this.rows) return;
    this.rows = Math.ceil(1.1 * rows);
    for (const texture of [this.before, this.after, this.look, this.order]) texture.dispose();
    const { uniforms } = this.material;
    uniforms.before.value = this.before = dataTexture(this.rows);
    uniforms.after.value = this.after = dataTexture(this.rows);
    uniforms.look.value = this.look = dataTexture(this.rows);
    uniforms.order.value = this.order = this.makeOrder(this.rows);
  }

  get frame(): Frame | null {
    return this.shown;
  }

  /** Takes a frame's data over into the textures. */
  show(frame: Frame): void {
    if (frame === this.shown) return;
    this.reserve(frame.grains);
    (this.before.image.data as Float32Array).set(frame.before);
    (this.after.image.data as Float32Array).set(frame.after);
    (this.look.image.data as Float32Array).set(frame.look);
    this.before.needsUpdate = this.after.needsUpdate = this.look.needsUpdate = true;
    this.shown = frame;
    this.setOrder(frame.shell, frame.shell.length);
  }

  /** Which grains are drawn, and in which order. */
  setOrder(ids: Uint32Array, count: number): void {
    (this.order.image.data as Uint32Array).set(ids.subarray(0, count));
    this.order.needsUpdate = true;
    this.drawn = count;
    this.geometry.setDrawRange(0, (this.points ? 1 : 6) * count);
  }

  /** How far between the frame before (0) and the frame (1). */
  setShare(share: number): void {
    this.material.uniforms.share.value = share;
  }

  setColor(mode: number, low: number, high: number): void {
    this.material.uniforms.mode.value = mode;
    (this.material.uniforms.range.value as THREE.Vector2).set(low, high);
  }

  setLight(ground: THREE.Color, emphasis: number): void {
    (this.material.uniforms.ground.value as THREE.Vector3).set(ground.r, ground.g, ground.b);
    this.material.uniforms.emphasis.value = emphasis;
  }

  /** Before drawing. sun: towards the light, world frame. height: of the picture in pixels. */
  aim(camera: THREE.PerspectiveCamera, sun: THREE.Vector3, up: THREE.Vector3, height: number): void {
    const { uniforms } = this.material;
    (uniforms.sun.value as THREE.Vector3).copy(sun).transformDirection(camera.matrixWorldInverse);
    (uniforms.sky.value as THREE.Vector3).copy(up).transformDirection(camera.matrixWorldInverse);
    uniforms.fineness.value = height / Math.tan((camera.fov * Math.PI) / 360);
  }
}
