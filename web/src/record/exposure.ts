/**
 * Which grains can be seen at all, and how much light reaches each: from a grid of how full space is.
 *
 * A cell is about one and a half grains wide. Grains more than a few cells away from open space are hidden from
 * everywhere and need not be drawn. Light comes from the whole sky, which is judged by how full the surroundings are,
 * near and farther away, and from the sun, whose light is carried down through the grid layer by layer.
 */
import type { GroundLight } from "./format";

const MOST_CELLS = 2_000_000;
const PAD = [6, 6, 3]; // empty cells around the grains, on each side; where shadows fall they need room
const REACH = 2; // cells from an open one that are drawn
const OPEN = 0.28; // cells whose surroundings are filled less than this are open; a bed is filled to about 0.6

/** Towards the sun: steps in x and y per step up. The shaders have the same direction. */
export const SUN: [number, number, number] = [0.42, -0.34, 0.84];
const SLOPE = [SUN[0] / SUN[2], SUN[1] / SUN[2]];

type Triple = [number, number, number];

/** Space that is kept from frame to frame, so that a frame costs no memory. */
export class Exposure {
  shell = new Uint32Array(0);
  count = 0; // of the shell
  light = new Float32Array(0); // 0 to 1, per grain of the shell

  private h = 1;
  private low: Triple = [0, 0, 0];
  private size: Triple = [1, 1, 1];
  private cells = 1;
  private full = new Float32Array(0); // share of a cell that is filled, at most 1
  private near = new Float32Array(0); // its mean over 3 cells a side
  private wide = new Float32Array(0); // over 7
  private sun = new Float32Array(0); // sunlight at the cell's top
  private spare = new Float32Array(0);
  private shown = new Uint8Array(0);
  private spareShown = new Uint8Array(0);
  private cellOf = new Int32Array(0); // per grain, −1: outside

  /**
   * positions: x, y, z and radius of each grain. low, high: a box around nearly all of them; the rest counts as in full
   * light and is always drawn. width: of a cell, m. occluders: points on bodies, x, y, z.
   */
  find(positions: Float32Array, count: number, low: number[], high: number[], width: number, occluders: Float32Array[]): void {
    this.layOut(low, high, width, count);
    for (let i = 0; i < count; i++) this.fill(positions, i);
    const { full } = this;
    for (let c = 0; c < this.cells; c++) if (full[c] > 1) full[c] = 1;
    this.blur(full, this.near, 1);
    this.blur(this.near, this.wide, 2);
    this.findShown();
    for (const points of occluders)
      for (let i = 0; i < points.length; i += 3) {
        const cell = this.cellAt(points[i], points[i + 1], points[i + 2]);
        if (cell >= 0) full[cell] = 3; // more than a bed: no light comes through
      }
    this.carrySunlight();
    this.collect(positions, count);
  }

  private layOut(low: number[], high: number[], width: number, count: number): void {
    let h = width;
    const sizes = () => [0, 1, 2].map((a) => Math.max(1, Math.ceil((high[a] - low[a]) / h)) + 2 * PAD[a]) as Triple;
    while (sizes().reduce((a, b) => a * b) > MOST_CELLS) h *= 1.2;
    this.h = h;
    this.size = sizes();
    this.low = low.map((v, a) => v - PAD[a] * h) as Triple;
    this.cells = this.size[0] * this.size[1] * this.size[2];
    if (this.full.length < this.cells) {
      const room = Math.ceil(1.3 * this.cells);
      this.full = new Float32Array(room);
      this.near = new Float32Array(room);
      this.wide = new Float32Array(room);
      this.sun = new Float32Array(room);
      this.spare = new Float32Array(room);
      this.shown = new Uint8Array(room);
      this.spareShown = new Uint8Array(room);
    }
    if (this.cellOf.length < count) {
      const room = Math.ceil(1.2 * count);
      this.cellOf = new Int32Array(room);
      this.shell = new Uint32Array(room);
      this.light = new Float32Array(room);
    }
    this.full.fill(0, 0, this.cells);
  }

  /** The cell of a point, or −1 outside. */
  private cellAt(x: number, y: number, z: number): number {
    const { h, low, size } = this;
    const i = Math.floor((x - low[0]) / h);
    const j = Math.floor((y - low[1]) / h);
    const k = Math.floor((z - low[2]) / h);
    return i < 0 || j < 0 || k < 0 || i >= size[0] || j >= size[1] || k >= size[2] ? -1 : i + size[0] * (j + size[1] * k);
  }

  /** Adds a grain's volume: to one cell when it is small, to all cells whose middle it covers when it is large. */
  private fill(positions: Float32Array, grain: number): void {
    const { h, full } = this;
    const x = positions[4 * grain];
    const y = positions[4 * grain + 1];
    const z = positions[4 * grain + 2];
    const r = positions[4 * grain + 3];
    const cell = this.cellAt(x, y, z);
    this.cellOf[grain] = cell;
    if (r < 1.2 * h) {
      if (cell >= 0) full[cell] += (4.18879 * r * r * r) / (h * h * h);
      return;
    }
    const { low, size } = this;
    const range = [x, y, z].map((c, a) => [
      Math.max(0, Math.floor((c - r - low[a]) / h)),
      Math.min(size[a] - 1, Math.floor((c + r - low[a]) / h)),
    ]);
    for (let k = range[2][0]; k <= range[2][1]; k++)
      for (let j = range[1][0]; j <= range[1][1]; j++)
        for (let i = range[0][0]; i <= range[0][1]; i++) {
          const dx = low[0] + (i + 0.5) * h - x;
          const dy = low[1] + (j + 0.5) * h - y;
          const dz = low[2] + (k + 0.5) * h - z;
          if (dx * dx + dy * dy + dz * dz < r * r) full[i + size[0] * (j + size[1] * k)] += 1;
        }
  }

  /** Mean over a cube of 2 n + 1 cells, axis by axis. Cells outside count as empty. */
  private blur(from: Float32Array, to: Float32Array, n: number): void {
    const { size, spare } = this;
    const plane = size[0] * size[1];
    blurLines(from, to, size[0], this.cells / size[0], n);
    for (let k = 0; k < size[2]; k++) blurRows(to, spare, k * plane, size[1], size[0], n);
    blurRows(spare, to, 0, size[2], plane, n);
  }

  /** Marks the cells that an open one is within reach of: the largest value over a cube, axis by axis. */
  private findShown(): void {
    const { near, shown, spareShown, size, cells } = this;
    for (let c = 0; c < cells; c++) shown[c] = near[c] < OPEN ? 1 : 0;
    const strides = [1, size[0], size[0] * size[1]];
    let from = shown;
    let to = spareShown;
    for (let axis = 0; axis < 3; axis++) {
      to.fill(0, 0, cells);
      const [u, v] = axis === 0 ? [1, 2] : axis === 1 ? [0, 2] : [0, 1];
      for (let b = 0; b < size[v]; b++)
        for (let a = 0; a < size[u]; a++)
          spread(from, to, a * strides[u] + b * strides[v], size[axis], strides[axis]);
      [from, to] = [to, from];
    }
    this.shown = from;
    this.spareShown = to;
  }

  /** From the top layer down: what reaches a cell is what passed the cells above it, seen along the sun's rays. */
  private carrySunlight(): void {
    const { size, full, sun } = this;
    const [nx, ny, nz] = size;
    const plane = nx * ny;
    sun.fill(1, plane * (nz - 1), plane * nz);
    const di = Math.floor(SLOPE[0]);
    const dj = Math.floor(SLOPE[1]);
    const fi = SLOPE[0] - di;
    const fj = SLOPE[1] - dj;
    for (let k = nz - 2; k >= 0; k--) {
      const above = plane * (k + 1);
      // How much of its light each cell above lets through, once per cell.
      const passed = this.spare;
      for (let c = 0; c < plane; c++) {
        const share = full[above + c];
        passed[c] = sun[above + c] * (share > 1 ? 0.04 : 1 / (1 + 2.2 * share));
      }
      for (let j = 0; j < ny; j++)
        for (let i = 0; i < nx; i++) {
          const a = i + di;
          const b = j + dj;
          const inside = a >= 0 && b >= 0 && a + 1 < nx && b + 1 < ny;
          const at = a + nx * b;
          sun[plane * k + i + nx * j] = inside
            ? (1 - fj) * ((1 - fi) * passed[at] + fi * passed[at + 1]) +
              fj * ((1 - fi) * passed[at + nx] + fi * passed[at + nx + 1])
            : 1;
        }
    }
  }

  /** The light on a level floor at a height, when that is in the grid. */
  ground(height: number): GroundLight | null {
    const { size, sun, near, low, h } = this;
    const k = Math.round((height - low[2]) / h - 0.5);
    if (k < 0 || k + 1 >= size[2]) return null;
    const plane = size[0] * size[1];
    const cells = new Uint8Array(plane);
    for (let c = 0; c < plane; c++) {
      const at = plane * k + c;
      // Just above the floor: the sun there, and how much of the sky what stands around takes away.
      const covered = Math.min(1, 1.6 * Math.max(near[at], near[at + plane]));
      cells[c] = 255 * (0.45 * (1 - covered) + 0.55 * sun[at] * (1 - 0.4 * covered));
    }
    return { cells, columns: size[0], rows: size[1], x: low[0], y: low[1], width: h };
  }

  private collect(positions: Float32Array, count: number): void {
    const { shown, shell, light, cellOf, near, wide, sun, size, h, low } = this;
    const plane = size[0] * size[1];
    let found = 0;
    for (let i = 0; i < count; i++) {
      const cell = cellOf[i];
      if (cell >= 0 && shown[cell] === 0) continue;
      shell[found] = i;
      if (cell < 0) {
        light[found++] = 1;
        continue;
      }
      // Between the layers below and above the grain, so that nothing jumps when it passes from cell to cell.
      const height = (positions[4 * i + 2] - low[2]) / h;
      const t = height - Math.floor(height);
      const up = cell + plane; // there is padding above
      const covered = 0.6 * ((1 - t) * near[cell] + t * near[up]) + 0.4 * ((1 - t) * wide[cell] + t * wide[up]);
      const sky = Math.min(1, Math.max(0, 1.25 - 1.9 * covered));
      light[found++] = 0.55 * sky + 0.45 * ((1 - t) * sun[cell] + t * sun[up]);
    }
    this.count = found;
  }
}

/** Running mean along each of `lines` lines of `length` numbers, which follow each other in memory. */
function blurLines(from: Float32Array, to: Float32Array, length: number, lines: number, n: number): void {
  const scale = 1 / (2 * n + 1);
  for (let line = 0; line < lines; line++) {
    const start = line * length;
    let sum = 0;
    for (let i = 0; i < Math.min(n, length); i++) sum += from[start + i];
    for (let i = 0; i < length; i++) {
      if (i + n < length) sum += from[start + i + n];
      if (i - n - 1 >= 0) sum -= from[start + i - n - 1];
      to[start + i] = sum * scale;
    }
  }
}

/** Mean over 2 n + 1 whole rows of `width` numbers: adds rows, so that memory is read in order. */
function blurRows(from: Float32Array, to: Float32Array, start: number, rows: number, width: number, n: number): void {
  const scale = 1 / (2 * n + 1);
  for (let row = 0; row < rows; row++) {
    const out = start + row * width;
    to.fill(0, out, out + width);
    for (let other = Math.max(0, row - n); other <= Math.min(rows - 1, row + n); other++) {
      const at = start + other * width;
      for (let i = 0; i < width; i++) to[out + i] += scale * from[at + i];
    }
  }
}

function spread(from: Uint8Array, to: Uint8Array, start: number, length: number, stride: number): void {
  let last = -1e9;
  for (let i = 0; i < length + REACH; i++) {
    if (i < length && from[start + i * stride]) last = i;
    const at = i - REACH;
    if (at >= 0 && i - last <= 2 * REACH) to[start + at * stride] = 1;
  }
}
