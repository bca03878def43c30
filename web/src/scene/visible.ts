/**
 * Which grains can be seen from where the camera is, for renderers without a graphics card, where every disc costs.
 *
 * Grains are taken from near to far and mark a coarse picture as covered; one that finds nothing uncovered is left out.
 * A pixel is marked when the grain covers all of it, so that what shows through a gap is kept; while the picture moves,
 * when it covers most of it, and slivers are let go.
 */
import type * as THREE from "three";
import type { Frame } from "../record/format";
import type { GrainView } from "./grains";

const FINE = 3.2; // radius of a middling grain here, in pixels
const BUCKETS = 2048; // of depth
const HALF = 0.6; // from the middle of a pixel to nearly its corner
const SLIVER = 0.1; // share of a grain

export class Visible {
  ids = new Uint32Array(0);
  count = 0;
  private covered = new Uint8Array(0);
  private x = new Float32Array(0);
  private y = new Float32Array(0);
  private r = new Float32Array(0);
  private depth = new Float32Array(0);
  private bucket = new Uint16Array(0);
  private sorted = new Uint32Array(0);
  private readonly starts = new Uint32Array(BUCKETS + 1);

  private reserve(count: number, pixels: number): void {
    if (this.covered.length < pixels) this.covered = new Uint8Array(pixels);
    if (this.x.length >= count) return;
    const room = Math.ceil(1.2 * count);
    this.x = new Float32Array(room);
    this.y = new Float32Array(room);
    this.r = new Float32Array(room);
    this.depth = new Float32Array(room);
    this.bucket = new Uint16Array(room);
    this.sorted = new Uint32Array(room);
    this.ids = new Uint32Array(room);
  }

  /** Fills ids with the visible ones of a frame's grains, near ones first. */
  find(frame: Frame, share: number, { camera, width, height, thorough }: GrainView): void {
    const coarse = Math.min(8, Math.max(1, this.radiusOf(frame, camera, height) / FINE));
    const w = Math.max(1, Math.ceil(width / coarse));
    const h = Math.max(1, Math.ceil(height / coarse));
    this.reserve(frame.drawable, w * h);
    this.project(frame, share, camera, w, h);
    this.mark(w, h, thorough);
  }

  /** How large a middling grain is in the middle of the scene, in pixels of the picture. */
  private radiusOf(frame: Frame, camera: THREE.PerspectiveCamera, height: number): number {
    const m = camera.matrixWorldInverse.elements;
    const [x, y, z] = [0, 1, 2].map((k) => 0.5 * (frame.low[k] + frame.high[k]));
    const depth = Math.max(camera.near, -(m[2] * x + m[6] * y + m[10] * z + m[14]));
    return (0.5 * (frame.sizes[0] + frame.sizes[1]) * 0.5 * height) / Math.tan((camera.fov * Math.PI) / 360) / depth;
  }

  /** Places on the coarse picture, and grains sorted by depth. */
  private project(frame: Frame, share: number, camera: THREE.PerspectiveCamera, w: number, h: number): void {
    const { before, after } = frame;
    const { x, y, r, depth, bucket, sorted, starts } = this;
    const m = camera.matrixWorldInverse.elements;
    const scale = (0.5 * h) / Math.tan((camera.fov * Math.PI) / 360);
    const n = frame.drawable;
    let nearest = Infinity;
    let farthest = 0;
    for (let i = 0; i < n; i++) {
      const at = 4 * i;
      const px = before[at] + share * (after[at] - before[at]);
      const py = before[at + 1] + share * (after[at + 1] - before[at + 1]);
      const pz = before[at + 2] + share * (after[at + 2] - before[at + 2]);
      const d = -(m[2] * px + m[6] * py + m[10] * pz + m[14]);
      depth[i] = d;
      if (d <= camera.near) continue;
      const f = scale / d;
      x[i] = 0.5 * w + (m[0] * px + m[4] * py + m[8] * pz + m[12]) * f;
      y[i] = 0.5 * h - (m[1] * px + m[5] * py + m[9] * pz + m[13]) * f;
      r[i] = after[at + 3] * f;
      if (d < nearest) nearest = d;
      if (d > farthest) farthest = d;
    }
    const fineness = (BUCKETS - 2) / Math.max(farthest - nearest, 1e-9);
    starts.fill(0);
    for (let i = 0; i < n; i++) {
      const out = depth[i] <= camera.near || x[i] < -r[i] || x[i] > w + r[i] || y[i] < -r[i] || y[i] > h + r[i];
      bucket[i] = out ? BUCKETS - 1 : (depth[i] - nearest) * fineness;
      starts[bucket[i] + 1]++;
    }
    for (let b = 0; b < BUCKETS; b++) starts[b + 1] += starts[b];
    for (let i = 0; i < n; i++) sorted[starts[bucket[i]]++] = i;
    this.count = starts[BUCKETS - 2]; // all but those out of the picture: the last bucket's
  }

  private mark(w: number, h: number, thorough: boolean): void {
    const { x, y, r, sorted, covered, ids } = this;
    covered.fill(0, 0, w * h);
    let found = 0;
    const candidates = this.count;
    for (let s = 0; s < candidates; s++) {
      const i = sorted[s];
      const radius = r[i];
      const rim = thorough ? HALF : 0.5 * HALF;
      const inner = radius > 1.5 * rim ? (radius - rim) * (radius - rim) : 0.25;
      const enough = thorough ? 1 : Math.max(1, SLIVER * 3 * radius * radius);
      const left = Math.max(0, Math.floor(x[i] - radius));
      const right = Math.min(w - 1, Math.floor(x[i] + radius));
      const top = Math.max(0, Math.floor(y[i] - radius));
      const bottom = Math.min(h - 1, Math.floor(y[i] + radius));
      const outer = radius * radius;
      let seen = 0;
      for (let py = top; py <= bottom; py++) {
        const dy = py + 0.5 - y[i];
        for (let px = left, at = py * w + left; px <= right; px++, at++) {
          if (covered[at] === 1) continue;
          const dx = px + 0.5 - x[i];
          const square = dx * dx + dy * dy;
          if (square > outer && radius > 1) continue;
          seen++;
          if (square <= inner) covered[at] = 1;
        }
      }
      if (seen >= enough) ids[found++] = i;
    }
    this.count = found;
  }
}
