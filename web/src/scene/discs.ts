/**
 * Grains on a graphics card: two triangles each. All about a grain is read from textures by its number, so that a frame
 * is three uploads, and motion and colour cost nothing but two numbers.
 */
import * as THREE from "three";
import { KIND_COUNT, decode, kindColor, mapColor, type Rgb } from "../color";
import type { Frame } from "../record/format";
import {
  aimLights,
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

const WIDTH = 1024; // of the textures

const vertexShader = /* glsl */ `
precision highp float;
precision highp int;
uniform sampler2D before, after, look, palette, kinds;
uniform mat4 viewMatrix, projectionMatrix;
uniform float share, kindCount;
uniform vec2 range;
uniform int mode;
out vec3 color;
out vec2 corner;

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
  int grain = gl_VertexID / 6;
  int c = gl_VertexID - 6 * grain;
  corner = vec2(c == 1 || c == 2 || c == 4 ? 1.0 : -1.0, c == 2 || c == 4 || c == 5 ? 1.0 : -1.0);
  ivec2 at = ivec2(grain % ${WIDTH}, grain / ${WIDTH});
  vec4 b = texelFetch(before, at, 0);
  vec4 a = texelFetch(after, at, 0);
  vec4 l = texelFetch(look, at, 0);
  float radius = a.w;
  float material = floor(l.z);

  if (mode == ${COLOR_MATERIAL}) color = kindOf(material);
  else if (mode == ${COLOR_KIND}) color = kindOf(l.y);
  else {
    float value = mode == ${COLOR_SIZE} ? (radius - range.x) / max(range.y - range.x, 1e-12)
                : mode == ${COLOR_SPEED} ? sqrt(mix(b.w, l.x, share) / range.y)
                : l.y <= 0.0 ? 0.0 : log(l.y / range.x) / log(range.y / range.x);
    color = texture(palette, vec2(0.5 / 256.0 + clamp(value, 0.0, 1.0) * 255.0 / 256.0, 0.5)).rgb;
  }
  color *= (0.9 + 0.16 * hash(uint(l.w))) * mix(${DARKEST}, 1.0, (l.z - material) / 0.999);

  // Turned to the eye rather than to the picture, and as wide as a sphere's outline is in perspective.
  vec3 p = (viewMatrix * vec4(mix(b.xyz, a.xyz, share), 1.0)).xyz;
  vec3 forward = normalize(p);
  vec3 right = normalize(cross(forward, vec3(0.0, 1.0, 0.0)));
  float d = length(p);
  float wide = radius * d / sqrt(max(d * d - radius * radius, 0.04 * d * d));
  gl_Position = projectionMatrix * vec4(p + wide * (corner.x * right + corner.y * cross(right, forward)), 1.0);
}`;

const fragmentShader = /* glsl */ `
precision highp float;
in vec3 color;
in vec2 corner;
out vec4 result;
${shading}
void main() {
  result = shadeGrain(color, corner);
}`;

function dataTexture(rows: number): THREE.DataTexture {
  return new THREE.DataTexture(new Float32Array(4 * WIDTH * rows), WIDTH, rows, THREE.RGBAFormat, THREE.FloatType);
}

function colorTexture(colors: Rgb[], filter: THREE.MagnificationTextureFilter): THREE.DataTexture {
  const data = new Uint8Array(colors.flatMap((c) => [...c.map((v) => Math.round(255 * decode(v))), 255]));
  const texture = new THREE.DataTexture(data, colors.length, 1);
  texture.magFilter = filter;
  texture.minFilter = filter;
  texture.needsUpdate = true;
  return texture;
}

const TEXTURES = ["before", "after", "look"] as const;

export class Discs implements Grains {
  readonly object: THREE.Mesh;
  frame: Frame | null = null;
  drawn = 0;
  private rows = 0;
  private readonly geometry = new THREE.BufferGeometry();
  private readonly uniforms: Record<string, THREE.IUniform>;

  constructor() {
    const many = (n: number, color: (i: number) => Rgb) => Array.from({ length: n }, (_, i) => color(i));
    this.uniforms = {
      before: { value: null },
      after: { value: null },
      look: { value: null },
      palette: { value: colorTexture(many(256, (i) => mapColor(i / 255)), THREE.LinearFilter) },
      kinds: { value: colorTexture(many(KIND_COUNT, kindColor), THREE.NearestFilter) },
      kindCount: { value: KIND_COUNT },
      share: { value: 1 },
      range: { value: new THREE.Vector2(0, 1) },
      mode: { value: COLOR_SPEED },
      sun: { value: new THREE.Vector3() },
      sky: { value: new THREE.Vector3() },
      ground: { value: new THREE.Vector3() },
    };
    this.reserve(1);
    const { uniforms } = this;
    const material = new THREE.RawShaderMaterial({ glslVersion: THREE.GLSL3, vertexShader, fragmentShader, uniforms });
    this.object = new THREE.Mesh(this.geometry, material);
    this.object.frustumCulled = false;
    this.geometry.setDrawRange(0, 0);
  }

  private reserve(count: number): void {
    const rows = Math.max(1, Math.ceil(count / WIDTH));
    if (rows <= this.rows) return;
    this.rows = Math.ceil(1.1 * rows);
    for (const name of TEXTURES) {
      (this.uniforms[name].value as THREE.DataTexture | null)?.dispose();
      this.uniforms[name].value = dataTexture(this.rows);
    }
  }

  show(frame: Frame): void {
    if (frame === this.frame) return;
    this.reserve(frame.drawable);
    for (const name of TEXTURES) {
      const texture = this.uniforms[name].value as THREE.DataTexture;
      (texture.image.data as Float32Array).set(frame[name]);
      texture.needsUpdate = true;
    }
    this.frame = frame;
    this.drawn = frame.drawable;
    this.geometry.setDrawRange(0, 6 * frame.drawable);
  }

  setShare(share: number): void {
    this.uniforms.share.value = share;
  }

  setColors({ mode, low, high }: GrainColors): void {
    this.uniforms.mode.value = mode;
    (this.uniforms.range.value as THREE.Vector2).set(low, high);
  }

  setGround(color: THREE.Color): void {
    (this.uniforms.ground.value as THREE.Vector3).set(color.r, color.g, color.b);
  }

  prepare(view: GrainView): void {
    aimLights(this.uniforms, view);
  }
}
