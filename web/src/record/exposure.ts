/**
 * Which grains can be seen at all, and how much of the sky each one sees: from a grid of how full space is.
 *
 * A cell is about one grain wide. Grains more than a few cells away from open space are hidden from everywhere and
 * need not be drawn. The light that reaches a grain is estimated from how full its surroundings are, near and farther
 * away, and from what lies between it and the sun.
 */

const MOST_CELLS = 3_000_000;
const PAD = 3; // empty cells around the grains
const REACH = 3; // cells from an open one that are drawn
const OPEN = 0.28; // cells whose surroundings are filled less than this are open; a bed is filled to about 0.6

export interface Occluder {
  points: Float32Array; // x, y, z: samples on the faces of a body, m, world frame
}

export interface Seen {
  exposure: Float32Array; // 0 to 1, per grain
  shell: Uint32Array;
}

interface Grid {
  h: number;
  low: [number, number, number];
  size: [number, number, number];
  cells: Float32Array; // share of the cell that is filled
}

/** The cell of a point, or −1 outside. */
function cellAt(grid: Grid, x: number, y: number, z: number): number {
  const { h, low, size } = grid;
  const i = Math.floor((x - low[0]) / h);
  const j = Math.floor((y - low[1]) / h);
  const k = Math.floor((z - low[2]) / h);
  return i < 0 || j < 0 || k < 0 || i >= size[0] || j >= size[1] || k >= size[2] ? -1 : i + size[0] * (j + size[1] * k);
}

function makeGrid(low: number[], high: number[], width: number): Grid {
  let h = width;
  const count = () => [0, 1, 2].map((a) => Math.max(1, Math.ceil((high[a] - low[a]) / h)) + 2 * PAD);
  while (count().reduce((a, b) => a * b) > MOST_CELLS) h *= 1.2;
  const size = count() as [number, number, number];
  const corner = low.map((v) => v - PAD * h) as [number, number, number];
  return { h, low: corner, size, cells: new Float32Array(size[0] * size[1] * size[2]) };
}

/** Adds a grain's volume: to one cell when it is small, to all cells it covers when it is large. */
function fill(grid: Grid, x: number, y: number, z: number, r: number): void {
  const { h, low, size, cells } = grid;
  if (r < 1.2 * h) {
    const cell = cellAt(grid, x, y, z);
    if (cell >= 0) cells[cell] += (4.18879 * r * r * r) / (h * h * h);
    return;
  }
  const range = [x, y, z].map((c, a) => [
    Math.max(0, Math.floor((c - r - low[a]) / h)),
    Math.min(size[a] - 1, Math.floor((c + r - low[a]) / h)),
  ]);
  for (let k = range[2][0]; k <= range[2][1]; k++)
    for (let j = range[1][0]; j <= range[1][1]; j++)
      for (let i = range[0][0]; i <= range[0][1]; i++) {
        const d = [i, j, k].map((n, a) => low[a] + (n + 0.5) * h - [x, y, z][a]);
        if (d[0] * d[0] + d[1] * d[1] + d[2] * d[2] < r * r) cells[i + size[0] * (j + size[1] * k)] += 1;
      }
}

/** Mean over a cube of 2 n + 1 cells, axis by axis. Cells outside count as empty. */
function blur(from: Float32Array, size: [number, number, number], n: number): Float32Array {
  const strides = [1, size[0], size[0] * size[1]];
  const scale = 1 / (2 * n + 1);
  let source = from;
  for (let axis = 0; axis < 3; axis++) {
    const target = new Float32Array(from.length);
    const stride = strides[axis];
    const length = size[axis];
    const [u, v] = axis === 0 ? [1, 2] : axis === 1 ? [0, 2] : [0, 1];
    for (let b = 0; b < size[v]; b++)
      for (let a = 0; a < size[u]; a++) {
        const start = a * strides[u] + b * strides[v];
        let sum = 0;
        for (let i = 0; i < Math.min(n, length); i++) sum += source[start + i * stride];
        for (let i = 0; i < length; i++) {
          if (i + n < length) sum += source[start + (i + n) * stride];
          if (i - n - 1 >= 0) sum -= source[start + (i - n - 1) * stride];
          target[start + i * stride] = sum * scale;
        }
      }
    source = target;
  }
  return source;
}

/** 1 where an open cell is within reach: the largest value over a cube, axis by axis. */
function nearOpen(close: Float32Array, size: [number, number, number], reach: number): Uint8Array {
  const strides = [1, size[0], size[0] * size[1]];
  let source = Uint8Array.from(close, (share) => (share < OPEN ? 1 : 0));
  for (let axis = 0; axis < 3; axis++) {
    const target = new Uint8Array(source.length);
    const stride = strides[axis];
    const length = size[axis];
    const [u, v] = axis === 0 ? [1, 2] : axis === 1 ? [0, 2] : [0, 1];
    for (let b = 0; b < size[v]; b++)
      for (let a = 0; a < size[u]; a++) {
        const start = a * strides[u] + b * strides[v];
        let last = -1e9;
        for (let i = 0; i < length + reach; i++) {
          if (i < length && source[start + i * stride]) last = i;
          const at = i - reach;
          if (at >= 0 && i - last <= 2 * reach) target[start + at * stride] = 1;
        }
      }
    source = target;
  }
  return source;
}

const SUN = [0.42, -0.34, 0.84]; // towards the light, about a unit vector; the shaders use the same

/** Share of sunlight that comes through to a point. */
function sunlight(grid: Grid, solid: Float32Array, x: number, y: number, z: number): number {
  let light = 1;
  for (let step = 1.6; step < 40 && light > 0.05; step += 0.9) {
    const reach = step * grid.h;
    const cell = cellAt(grid, x + SUN[0] * reach, y + SUN[1] * reach, z + SUN[2] * reach);
    if (cell < 0) break;
    light *= 1 - 0.55 * Math.min(1, 1.6 * solid[cell]);
  }
  return light;
}

const clamp = (value: number) => (value < 0 ? 0 : value > 1 ? 1 : value);

/**
 * positions: x, y, z and radius of each grain. low, high: a box around nearly all of them; the rest counts as in full
 * light and is always drawn. width: of a cell, m.
 */
export function findExposure(
  positions: Float32Array,
  count: number,
  low: number[],
  high: number[],
  width: number,
  occluders: Occluder[],
): Seen {
  const grid = makeGrid(low, high, width);
  for (let i = 0; i < count; i++)
    fill(grid, positions[4 * i], positions[4 * i + 1], positions[4 * i + 2], positions[4 * i + 3]);
  for (let c = 0; c < grid.cells.length; c++) grid.cells[c] = Math.min(1, grid.cells[c]);
  const close = blur(grid.cells, grid.size, 1);
  const near = nearOpen(close, grid.size, REACH);
  const wide = blur(grid.cells, grid.size, 3);
  const solid = grid.cells;
  for (const { points } of occluders)
    for (let i = 0; i < points.length; i += 3) {
      const cell = cellAt(grid, points[i], points[i + 1], points[i + 2]);
      if (cell >= 0) solid[cell] = 1;
    }
  const exposure = new Float32Array(count);
  const shell = new Uint32Array(count);
  let shown = 0;
  for (let i = 0; i < count; i++) {
    const x = positions[4 * i];
    const y = positions[4 * i + 1];
    const z = positions[4 * i + 2];
    const cell = cellAt(grid, x, y, z);
    if (cell >= 0 && !near[cell]) continue;
    shell[shown++] = i;
    if (cell < 0) {
      exposure[i] = 1;
      continue;
    }
    // Look from a little above: what covers a grain counts more than what carries it.
    const above = cellAt(grid, x, y, z + 0.9 * grid.h);
    const wideAbove = cellAt(grid, x, y, z + 2.2 * grid.h);
    const covered = 0.55 * (above >= 0 ? close[above] : 0) + 0.45 * (wideAbove >= 0 ? wide[wideAbove] : 0);
    const sky = clamp(1.12 - 1.9 * covered);
    exposure[i] = 0.55 * sky + 0.45 * sky * sunlight(grid, solid, x, y, z) + 1e-3;
  }
  return { exposure, shell: shell.slice(0, shown) };
}
