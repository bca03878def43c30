/**
 * Points on the faces of moving bodies, to cast their shadow on the grains.
 */
import type { Body, Head } from "./format";

const MOST_POINTS = 6000; // per body

/** Points spread over a body's triangles, about `width` apart; body frame. */
function spread(body: Body, width: number): Float32Array {
  const points: number[] = [];
  for (const { kind, vertices, triangles } of body.shapes) {
    if (kind === "plane") continue;
    for (let t = 0; t < triangles.length && points.length < 3 * MOST_POINTS; t += 3) {
      const [a, b, c] = [0, 1, 2].map((k) => vertices.slice(3 * triangles[t + k], 3 * triangles[t + k] + 3));
      const side = Math.max(
        Math.hypot(b[0] - a[0], b[1] - a[1], b[2] - a[2]),
        Math.hypot(c[0] - a[0], c[1] - a[1], c[2] - a[2]),
      );
      const n = Math.min(60, Math.max(1, Math.ceil(side / width)));
      for (let i = 0; i <= n; i++)
        for (let j = 0; j <= n - i; j++)
          for (let k = 0; k < 3; k++) points.push(a[k] + ((b[k] - a[k]) * i) / n + ((c[k] - a[k]) * j) / n);
    }
  }
  return new Float32Array(points);
}

/** The height of the highest level plane of a body at rest, m; null: there is none. pose: seven numbers per body. */
export function findFloor(head: Head, pose: Float64Array): number | null {
  let height: number | null = null;
  head.bodies.forEach((body, index) => {
    const [w, x, y] = pose.subarray(7 * index + 3, 7 * index + 6);
    const upright = Math.abs(x) + Math.abs(y) < 1e-3 * Math.abs(w) || (x === 0 && y === 0);
    if (body.kind !== "static" || !upright) return;
    for (const { kind, vertices, triangles } of body.shapes) {
      if (kind !== "plane") continue;
      const [a, b, c] = [0, 1, 2].map((k) => vertices.slice(3 * triangles[k], 3 * triangles[k] + 3));
      const up = (b[0] - a[0]) * (c[1] - a[1]) - (b[1] - a[1]) * (c[0] - a[0]);
      const level = Math.max(Math.abs(b[2] - a[2]), Math.abs(c[2] - a[2])) < 1e-6 * Math.hypot(b[0] - a[0], b[1] - a[1]);
      const here = pose[7 * index + 2] + a[2];
      if (level && up > 0 && (height === null || here > height)) height = here;
    }
  });
  return height;
}

/** poses(frame): the numbers of all bodies, seven each. */
export function makeOccluders(head: Head, poses: (frame: number) => Float64Array): (frame: number) => Float32Array[] {
  const width = head.resolution.length * 1000; // the smallest radius, docs/record.md
  const bodies = head.bodies
    .map((body, index) => ({ index, points: body.kind === "static" ? new Float32Array(0) : spread(body, width) }))
    .filter(({ points }) => points.length > 0);
  return (frame) => {
    const now = poses(frame);
    return bodies.map(({ index, points }) => {
      const [x, y, z, w, a, b, c] = now.subarray(7 * index, 7 * index + 7);
      const out = new Float32Array(points.length);
      for (let i = 0; i < points.length; i += 3) {
        // v + 2 w (q × v) + 2 q × (q × v)
        const [p, q, r] = [points[i], points[i + 1], points[i + 2]];
        const [s, t, u] = [2 * (b * r - c * q), 2 * (c * p - a * r), 2 * (a * q - b * p)];
        out[i] = x + p + w * s + b * u - c * t;
        out[i + 1] = y + q + w * t + c * s - a * u;
        out[i + 2] = z + r + w * u + a * t - b * s;
      }
      return out;
    });
  };
}
