/**
 * What a recording says about itself: head.json as docs/record.md has it, and the index of its frames.
 */

export interface Shape {
  kind: string;
  vertices: number[]; // x, y, z one after the other, m, body frame
  triangles: number[];
}

export interface Body {
  id: string;
  kind: string; // static, driven, …
  material: number;
  shapes: Shape[];
}

export interface Signal {
  name: string;
  unit: string;
  description: string;
}

export interface Channel extends Signal {
  coding: string; // logarithmic, integer
  floor?: number;
  perOctave?: number;
}

export interface Head {
  format: string;
  version: number;
  program: string;
  scene: { name: string; description: string; gravity: [number, number, number] };
  interval: number; // s
  resolution: { length: number; speed: number }; // m, m/s
  materials: { id: string; density: number }[];
  bodies: Body[];
  signals: Signal[];
  channels: Channel[];
  parameters: (Signal & { value: number | null })[];
}

export const RECORD_VERSION = 1;

/** The value that a channel's integer stands for. */
export function channelValue(channel: Channel, code: number): number {
  if (channel.coding !== "logarithmic") return code;
  return code === 0 ? 0 : (channel.floor ?? 1) * 2 ** ((code - 1) / (channel.perOctave ?? 1));
}

/** Part of the index: frames one after the other, as the worker finds them. Rows are frames. */
export interface IndexPart {
  times: Float64Array; // s
  grains: Uint32Array;
  signals: Float64Array; // [frames × signals]
  poses: Float64Array; // [frames × bodies × 7]
}

/** Light on the floor around the grains: cells in rows along x. */
export interface GroundLight {
  cells: Uint8Array; // 255: all of it
  columns: number;
  rows: number;
  x: number; // m, corner
  y: number;
  width: number; // m, of a cell
}

/** What the worker hands over for one frame, ready for textures: four numbers for each grain that can be seen. */
export interface Frame {
  frame: number;
  from: number; // the frame that `before` is of
  channel: number;
  cut: Cut | null;
  grains: number; // in the frame
  drawable: number; // that can be seen from somewhere; the others are hidden among them
  before: Float32Array; // x, y, z at frame `from`, m; speed then, m/s
  after: Float32Array; // x, y, z at frame, m; radius, m
  look: Float32Array; // speed, m/s; value of the channel; material + 0.999 × light that reaches it, 0 to 1; id
  speedHigh: number; // m/s, what one grain in a hundred exceeds
  valueHigh: number; // of the channel, likewise
  sizes: [number, number]; // smallest and largest radius, m
  materials: number[]; // that occur among them
  ground: GroundLight | null;
  low: [number, number, number]; // m, box around the grains but for the farthest few
  high: [number, number, number];
}

/** A plane across an axis: what is beyond it is taken away, to look inside. */
export interface Cut {
  axis: 0 | 1 | 2;
  at: number; // m
  side: 1 | -1; // 1: what has larger coordinates is taken away
}

/** A wish for a frame, with the way its grains came since another frame not after it. */
export interface Wish {
  frame: number;
  from: number;
  channel: number;
  cut: Cut | null;
}

export const wishName = ({ frame, from, channel, cut }: Wish) =>
  `${from}-${frame}/${channel}${cut ? `/${cut.axis}${cut.side > 0 ? "+" : "-"}${cut.at}` : ""}`;

export type ToWorker =
  | { type: "open"; head: Head }
  | { type: "block"; text: string } // base64 of whole chunks
  | { type: "end" }
  | { type: "want"; wishes: Wish[] } // the most urgent first; replaces those before;

/** What most of the grains stay below in most frames: speed in m/s, and each channel in its unit. */
export interface Ranges {
  speed: number;
  channels: number[];
}

export type FromWorker =
  | { type: "ranges"; ranges: Ranges }
  | { type: "index"; part: IndexPart }
  | { type: "complete"; done: boolean } // done: the run came to its end
  | { type: "frame"; frame: Frame }
  | { type: "problem"; text: string };
