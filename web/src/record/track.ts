/**
 * The grains of one frame, as integers, and the step from one frame to the next (docs/record.md, "Grains").
 */
import { Bits } from "./bits";
import type { PackedFrame } from "./chunks";

/** Columns of a track, in the format's order; channels follow. */
export const ID = 0;
export const RADIUS = 1;
export const MATERIAL = 2;
export const VELOCITY = 3;
export const POSITION = 6;
export const CHANNEL = 9;

export class Track {
  /** The frame this is; −1: none yet. */
  frame = -1;
  count = 0;
  columns: Int32Array[];
  /** Positions and velocities as they were when `mark` was called, kept in step with the grains; a grain that came
   * later has those of its first frame. */
  marked: Int32Array[] = [];
  private capacity = 0;
  private scratch = new Int32Array(0);
  private sums: Float64Array[] = []; // velocity before + after, of the frame being read

  constructor(channels: number) {
    this.columns = Array.from({ length: CHANNEL + channels }, () => new Int32Array(0));
    this.marked = Array.from({ length: 6 }, () => new Int32Array(0));
  }

  /** The radii, m: the same bits seen as floats. */
  radii(): Float32Array {
    return new Float32Array(this.columns[RADIUS].buffer, 0, this.count);
  }

  /** Without the marks. */
  copy(): Track {
    const other = new Track(this.columns.length - CHANNEL);
    other.frame = this.frame;
    other.count = other.capacity = this.count;
    other.columns = this.columns.map((column) => column.slice(0, this.count));
    other.marked = this.marked.map(() => new Int32Array(this.count));
    other.scratch = new Int32Array(this.count);
    return other;
  }

  mark(): void {
    for (let k = 0; k < 6; k++) this.marked[k].set(this.columns[VELOCITY + k].subarray(0, this.count));
  }

  bytes(): number {
    return 4 * this.capacity * (this.columns.length + this.marked.length + 1);
  }

  private reserve(count: number): void {
    if (count <= this.capacity) return;
    this.capacity = Math.max(count, Math.ceil(1.25 * this.capacity));
    const grow = (column: Int32Array) => {
      const larger = new Int32Array(this.capacity);
      larger.set(column.subarray(0, this.count));
      return larger;
    };
    this.columns = this.columns.map(grow);
    this.marked = this.marked.map(grow);
    this.scratch = new Int32Array(this.capacity);
  }

  /** Goes on to the next frame, or to a key frame from anywhere. */
  advance(packed: PackedFrame, frame: number): void {
    const bits = new Bits(packed.bits);
    const keep = packed.key ? this.keyOrder() : null;
    if (packed.key) this.count = 0;
    this.reserve(Math.max(this.count, packed.grains, packed.gone));
    this.takeOut(bits, packed.gone);
    const fresh = this.count;
    this.append(bits, packed.come);
    if (this.count !== packed.grains) throw new Error(`frame ${frame} has another number of grains than it says`);
    this.move(bits, packed.factor);
    for (let c = CHANNEL; c < this.columns.length; c++) this.add(bits, this.columns[c]);
    if (bits.overrun) throw new Error(`frame ${frame} is shorter than it says`);
    if (keep) this.restoreMarks(keep);
    else this.markFresh(fresh);
    this.frame = frame;
  }

  private takeOut(bits: Bits, gone: number): void {
    if (gone === 0) return;
    bits.column(this.scratch, gone);
    const all = [...this.columns, ...this.marked];
    let from = 0;
    let to = 0;
    let place = -1;
    for (let i = 0; i <= gone; i++) {
      place = i < gone ? place + 1 + this.scratch[i] : this.count;
      for (const column of all) column.copyWithin(to, from, place);
      to += Math.max(0, place - from);
      from = place + 1;
    }
    this.count = to;
  }

  private append(bits: Bits, come: number): void {
    const begin = this.count;
    this.count += come;
    this.reserve(this.count);
    for (const column of this.columns) column.fill(0, begin, this.count);
    for (const c of [ID, RADIUS, MATERIAL]) {
      bits.column(this.scratch, come);
      this.columns[c].set(this.scratch.subarray(0, come), begin);
    }
    let id = -1;
    const ids = this.columns[ID];
    for (let i = begin; i < this.count; i++) ids[i] = id = (id + 1 + ids[i]) | 0;
  }

  private add(bits: Bits, column: Int32Array): void {
    const { scratch, count } = this;
    bits.column(scratch, count);
    for (let i = 0; i < count; i++) column[i] = (column[i] + scratch[i]) | 0;
  }

  /** Steps 3 and 4: velocities, then positions from the mean of the velocity before and after. */
  private move(bits: Bits, factor: number): void {
    const { columns, scratch, count } = this;
    if (this.sums.length === 0 || this.sums[0].length < count)
      this.sums = [0, 1, 2].map(() => new Float64Array(this.capacity));
    for (let k = 0; k < 3; k++) {
      const v = columns[VELOCITY + k];
      const sum = this.sums[k];
      bits.column(scratch, count);
      for (let i = 0; i < count; i++) {
        const before = v[i];
        v[i] = (before + scratch[i]) | 0;
        sum[i] = before + v[i];
      }
    }
    for (let k = 0; k < 3; k++) {
      const p = columns[POSITION + k];
      const sum = this.sums[k];
      bits.column(scratch, count);
      for (let i = 0; i < count; i++) p[i] = (p[i] + Math.floor(sum[i] * factor + 0.5) + scratch[i]) | 0;
    }
  }

  private markFresh(fresh: number): void {
    for (let k = 0; k < 6; k++)
      this.marked[k].set(this.columns[VELOCITY + k].subarray(fresh, this.count), fresh);
  }

  /** Before a key frame: the ids and marks of now, since a key frame starts from nothing. */
  private keyOrder(): { ids: Int32Array; marked: Int32Array[] } | null {
    if (this.frame < 0) return null;
    return {
      ids: this.columns[ID].slice(0, this.count),
      marked: this.marked.map((column) => column.slice(0, this.count)),
    };
  }

  /** After a key frame: those that stay keep their order, so one walk over both lists finds them. */
  private restoreMarks(old: { ids: Int32Array; marked: Int32Array[] }): void {
    this.markFresh(0);
    const ids = this.columns[ID];
    let j = 0;
    const place = new Map<number, number>();
    for (let i = 0; i < this.count; i++) {
      let from = -1;
      if (j < old.ids.length && old.ids[j] === ids[i]) from = j++;
      else {
        if (place.size === 0) old.ids.forEach((id, k) => place.set(id, k));
        from = place.get(ids[i]) ?? -1;
        if (from >= 0) j = from + 1;
      }
      if (from >= 0) for (let k = 0; k < 6; k++) this.marked[k][i] = old.marked[k][from];
    }
  }
}
