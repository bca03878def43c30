/**
 * Frames by number: walks a track to where it is wanted, from the nearest place it can start from, and makes of it what
 * the screen needs.
 */
import type { Chunks } from "./chunks";
import { Exposure } from "./exposure";
import { channelValue, type Cut, type Frame, type GroundLight, type Head, type Ranges, type Wish } from "./format";
import { CHANNEL, ID, MATERIAL, POSITION, Track, VELOCITY } from "./track";

const CHECKPOINT_EVERY = 8; // frames
const CHEAP = 3e6; // grains over all frames that may be read at the beginning
const CHECKPOINT_BYTES = 80e6; // all of them together

export class Reader {
  private track: Track;
  private checkpoints = new Map<number, Track>();
  private cellWidth = 0;
  private readonly exposure = new Exposure();
  private readonly materials = new Set<number>(); // met so far
  private places = new Float32Array(0); // x, y, z, radius of every grain that no cut takes away, m
  private kept = new Uint32Array(0); // which they are

  constructor(
    private readonly head: Head,
    private readonly chunks: Chunks,
    private readonly occludersAt: (frame: number) => Float32Array[],
    private readonly floorAt: () => number | null, // m, height of a level plane at rest
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

  /** The frame the track is at, for the screen: the grains that can be seen. The marks are of frame `from`. */
  present({ from, channel, cut }: Wish): Frame {
    const { track, exposure } = this;
    const n = track.count;
    const radii = track.radii();
    const kept = this.placeAll(radii, cut);
    const { low, high } = boxOf(this.places, kept);
    if (this.cellWidth === 0 && n > 0) this.cellWidth = 3 * quantile(radii, n, 1, 0, 0.4);
    exposure.find(this.places, kept, low, high, this.cellWidth || 1, this.occludersAt(track.frame));
    const { before, after, look } = this.dress(channel);
    return {
      frame: track.frame,
      from,
      channel,
      cut,
      grains: n,
      drawable: exposure.count,
      before,
      after,
      look,
      speedHigh: quantile(look, exposure.count, 4, 0, 0.99),
      valueHigh: quantile(look, exposure.count, 4, 1, 0.99),
      sizes: rangeOf(radii),
      ground: this.groundLight(),
      materials: [...this.materials].sort((a, b) => a - b),
      low: low as [number, number, number],
      high: high as [number, number, number],
    };
  }

  private groundLight(): GroundLight | null {
    const height = this.floorAt();
    return height === null ? null : this.exposure.ground(height);
  }

  /** Places of the grains that no cut takes away; how many. */
  private placeAll(radii: Float32Array, cut: Cut | null): number {
    const { track } = this;
    const n = track.count;
    const { length } = this.head.resolution;
    if (this.kept.length < n) {
      this.places = new Float32Array(5 * n);
      this.kept = new Uint32Array(Math.ceil(1.25 * n));
    }
    const { places, kept } = this;
    const [x, y, z] = [0, 1, 2].map((k) => track.columns[POSITION + k]);
    const across = track.columns[POSITION + (cut ? cut.axis : 0)];
    const side = cut ? cut.side : 0;
    const limit = cut ? (cut.side * cut.at) / length : 0;
    let count = 0;
    for (let i = 0; i < n; i++) {
      if (side * across[i] > limit) continue;
      kept[count] = i;
      places[4 * count] = x[i] * length;
      places[4 * count + 1] = y[i] * length;
      places[4 * count + 2] = z[i] * length;
      places[4 * count + 3] = radii[i];
      count++;
    }
    return count;
  }

  /** The three textures' worth of data, of the grains in the shell. */
  private dress(channel: number): { before: Float32Array; after: Float32Array; look: Float32Array } {
    const { track, head, places, kept, exposure } = this;
    const { shell, light, count } = exposure;
    const before = new Float32Array(4 * count);
    const after = new Float32Array(4 * count);
    const look = new Float32Array(4 * count);
    const { length, speed } = head.resolution;
    const [vx, vy, vz] = [0, 1, 2].map((k) => track.columns[VELOCITY + k]);
    const [ux, uy, uz, x, y, z] = track.marked;
    const materials = track.columns[MATERIAL];
    const codes = track.columns[CHANNEL + channel];
    const table = codes ? valueTable(head, channel, codes, track.count) : null; // null: the code is the value
    const ids = track.columns[ID];
    let last = -1;
    for (let s = 0; s < count; s++) {
      const place = 4 * shell[s];
      const i = kept[shell[s]];
      before[4 * s] = x[i] * length;
      before[4 * s + 1] = y[i] * length;
      before[4 * s + 2] = z[i] * length;
      before[4 * s + 3] = speed * Math.sqrt(ux[i] * ux[i] + uy[i] * uy[i] + uz[i] * uz[i]);
      after[4 * s] = places[place];
      after[4 * s + 1] = places[place + 1];
      after[4 * s + 2] = places[place + 2];
      after[4 * s + 3] = places[place + 3];
      look[4 * s] = speed * Math.sqrt(vx[i] * vx[i] + vy[i] * vy[i] + vz[i] * vz[i]);
      look[4 * s + 1] = !codes ? 0 : table ? table[codes[i]] : codes[i];
      // Two in one: the material is whole, the light below one.
      look[4 * s + 2] = materials[i] + 0.999 * light[s];
      look[4 * s + 3] = ids[i] & 0xffffff;
      if (materials[i] !== last) this.materials.add((last = materials[i]));
    }
    return { before, after, look };
  }
}

/** Values by code, worked out once per code: a power is dear for every grain. Null: the code is the value. */
function valueTable(head: Head, channel: number, codes: Int32Array, n: number): Float32Array | null {
  const about = head.channels[channel];
  if (about.coding !== "logarithmic") return null;
  let most = 0;
  for (let i = 0; i < n; i++) if (codes[i] > most) most = codes[i];
  const table = new Float32Array(Math.min(most, 1 << 16) + 1);
  for (let code = 0; code < table.length; code++) table[code] = channelValue(about, code);
  return table;
}

/** What to show as the end of the colour scales, from some of the frames: the key frames, and all where that is cheap. */
export function findRanges(head: Head, chunks: Chunks): Ranges {
  const track = new Track(head.channels.length);
  const highs: number[][] = [[], ...head.channels.map(() => [])];
  const cheap = chunks.frames.reduce((sum, { grains }) => sum + grains, 0) < CHEAP;
  chunks.frames.forEach((packed, frame) => {
    if (!packed.key && !cheap) return;
    track.advance(packed, frame);
    const n = track.count;
    const [vx, vy, vz] = [0, 1, 2].map((k) => track.columns[VELOCITY + k]);
    const speeds = Float32Array.from({ length: Math.min(n, 2000) }, (_, s) => {
      const i = Math.floor((s * n) / Math.min(n, 2000));
      return head.resolution.speed * Math.hypot(vx[i], vy[i], vz[i]);
    });
    highs[0].push(quantile(speeds, speeds.length, 1, 0, 0.99));
    head.channels.forEach((channel, c) => {
      const codes = Float32Array.from(track.columns[CHANNEL + c].subarray(0, n));
      highs[1 + c].push(channelValue(channel, quantile(codes, n, 1, 0, 0.99)));
    });
  });
  const typical = highs.map((values) => quantile(Float32Array.from(values), values.length, 1, 0, 0.75));
  return { speed: typical[0], channels: typical.slice(1) };
}

function rangeOf(values: Float32Array): [number, number] {
  let low = Infinity;
  let high = -Infinity;
  for (let i = 0; i < values.length; i++) {
    if (values[i] < low) low = values[i];
    if (values[i] > high) high = values[i];
  }
  return low <= high ? [low, high] : [0, 0];
}

/** A quantile of every stride-th number, from at most two thousand of them. */
function quantile(values: Float32Array, n: number, stride: number, offset: number, share: number): number {
  if (n === 0) return 0;
  const step = Math.ceil(n / 2000);
  const some = new Float32Array(Math.ceil(n / step));
  for (let i = 0; i < some.length; i++) some[i] = values[stride * step * i + offset];
  some.sort();
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
    const a = quantile(positions, n, 4, k, 0.02);
    const b = quantile(positions, n, 4, k, 0.98);
    const margin = 0.6 * (b - a) + 4 * positions[3];
    low[k] = Math.max(least, a - margin);
    high[k] = Math.min(most, b + margin);
  }
  return { low, high };
}
