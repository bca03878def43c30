/**
 * Frames by number: walks a track to where it is wanted, from the nearest place it can start from, and makes of it what
 * the screen needs.
 */
import type { Chunks } from "./chunks";
import { findExposure, type Occluder } from "./exposure";
import { channelValue, type Frame, type Head } from "./format";
import { CHANNEL, MATERIAL, POSITION, Track, VELOCITY } from "./track";

const CHECKPOINT_EVERY = 8; // frames
const CHECKPOINT_BYTES = 120e6; // all of them together

export class Reader {
  private track: Track;
  private checkpoints = new Map<number, Track>();
  private cellWidth = 0;

  constructor(
    private readonly head: Head,
    private readonly chunks: Chunks,
    private readonly occludersAt: (frame: number) => Occluder[],
  ) {
    this.track = new Track(head.channels.length);
  }

  get frames(): number {
    return this.chunks.frames.length;
  }

  /** One step of the way to a frame, from wherever is nearest; true when it is there. In single steps, so that the
   * worker can listen in between. */
  seek(frame: number): boolean {
    if (this.track.frame === frame) return true;
    const start = this.startFor(frame);
    if (start) {
      this.track = start;
      return start.frame === frame;
    }
    this.advanceTo(this.keyOnTheWay(frame) ?? this.track.frame + 1);
    return this.track.frame === frame;
  }

  /** On to the next frame, with the marks. */
  step(): void {
    this.advanceTo(this.track.frame + 1);
  }

  private advanceTo(frame: number): void {
    this.track.advance(this.chunks.frames[frame], frame);
    if (frame % CHECKPOINT_EVERY === 0) this.keepCheckpoint();
  }

  /** From here on, positions are remembered, to show motion from them. */
  mark(): void {
    this.track.mark();
  }

  get at(): number {
    return this.track.frame;
  }

  /** A checkpoint that saves steps, or null to go on from where the track is. */
  private startFor(frame: number): Track | null {
    const here = this.track.frame;
    let best = -1;
    for (const place of this.checkpoints.keys()) if (place <= frame && place > best) best = place;
    const reachable = here >= 0 && here < frame;
    if (best < 0 || (reachable && best <= here)) return null;
    return this.checkpoints.get(best)!.copy();
  }

  /** The last key frame up to `frame` when the track must or may start there; null: just go on. */
  private keyOnTheWay(frame: number): number | null {
    let key = frame;
    while (key > 0 && !this.chunks.frames[key].key) key--;
    const here = this.track.frame;
    return here < 0 || here > frame || key > here + 1 ? key : null;
  }

  private keepCheckpoint(): void {
    const { frame } = this.track;
    if (this.checkpoints.has(frame)) return;
    const most = Math.max(2, Math.floor(CHECKPOINT_BYTES / Math.max(1, this.track.bytes())));
    if (this.checkpoints.size >= most) this.checkpoints.delete(this.checkpoints.keys().next().value!);
    this.checkpoints.set(frame, this.track.copy());
  }

  /** The frame the track is at, for the screen. The marks are of frame `from`. */
  present(from: number, channel: number): Frame {
    const { track, head } = this;
    const n = track.count;
    const before = new Float32Array(4 * n);
    const after = new Float32Array(4 * n);
    const look = new Float32Array(4 * n);
    const { length, speed } = head.resolution;
    const radii = track.radii();
    for (let k = 0; k < 3; k++) {
      const now = track.columns[POSITION + k];
      const then = track.marked[3 + k];
      for (let i = 0; i < n; i++) {
        before[4 * i + k] = then[i] * length;
        after[4 * i + k] = now[i] * length;
      }
    }
    const [vx, vy, vz] = [0, 1, 2].map((k) => track.columns[VELOCITY + k]);
    const [ux, uy, uz] = track.marked;
    const materials = track.columns[MATERIAL];
    const codes = track.columns[CHANNEL + channel];
    const values = codes ? valueTable(head, channel, codes, n) : null;
    for (let i = 0; i < n; i++) {
      before[4 * i + 3] = speed * Math.sqrt(ux[i] * ux[i] + uy[i] * uy[i] + uz[i] * uz[i]);
      after[4 * i + 3] = radii[i];
      look[4 * i] = speed * Math.sqrt(vx[i] * vx[i] + vy[i] * vy[i] + vz[i] * vz[i]);
      look[4 * i + 1] = values ? values(codes[i]) : 0;
      look[4 * i + 2] = materials[i];
    }
    const { low, high } = boxOf(after, n);
    const sizes = rangeOf(radii);
    if (this.cellWidth === 0 && n > 0) this.cellWidth = 2.1 * sample(radii, n, 1, 0, 0.4);
    const seen = findExposure(after, n, low, high, this.cellWidth || 1, this.occludersAt(track.frame));
    for (let i = 0; i < n; i++) look[4 * i + 3] = seen.exposure[i];
    return {
      frame: track.frame,
      from,
      channel,
      grains: n,
      before,
      after,
      look,
      shell: seen.shell,
      speedHigh: sample(look, n, 4, 0, 0.99),
      valueHigh: sample(look, n, 4, 1, 0.99),
      sizes,
      low: low as [number, number, number],
      high: high as [number, number, number],
    };
  }
}

/** Values by code, worked out once per code: a logarithm is dear for every grain. */
function valueTable(head: Head, channel: number, codes: Int32Array, n: number): (code: number) => number {
  const about = head.channels[channel];
  if (about.coding !== "logarithmic") return (code) => code;
  let most = 0;
  for (let i = 0; i < n; i++) most = Math.max(most, codes[i]);
  const table = Float32Array.from({ length: Math.min(most, 1 << 16) + 1 }, (_, code) => channelValue(about, code));
  return (code) => table[code] ?? 0;
}

function rangeOf(values: Float32Array): [number, number] {
  let low = Infinity;
  let high = -Infinity;
  for (const value of values) {
    if (value < low) low = value;
    if (value > high) high = value;
  }
  return low <= high ? [low, high] : [0, 0];
}

/** A quantile of every stride-th number, from at most a few thousand of them. */
function sample(values: Float32Array, n: number, stride: number, offset: number, share: number): number {
  if (n === 0) return 0;
  const step = Math.max(1, Math.floor(n / 4000));
  const some: number[] = [];
  for (let i = 0; i < n; i += step) some.push(values[stride * i + offset]);
  some.sort((a, b) => a - b);
  return some[Math.min(some.length - 1, Math.floor(share * some.length))];
}

/** A box around the grains that a few strays far away do not blow up. */
function boxOf(positions: Float32Array, n: number): { low: number[]; high: number[] } {
  const low = [0, 0, 0];
  const high = [0, 0, 0];
  for (let k = 0; k < 3 && n > 0; k++) {
    let least = Infinity;
    let most = -Infinity;
    for (let i = 0; i < n; i++) {
      const value = positions[4 * i + k];
      if (value < least) least = value;
      if (value > most) most = value;
    }
    const a = sample(positions, n, 4, k, 0.02);
    const b = sample(positions, n, 4, k, 0.98);
    const margin = 0.6 * (b - a) + 4 * positions[3];
    low[k] = Math.max(least, a - margin);
    high[k] = Math.min(most, b + margin);
  }
  return { low, high };
}
