/**
 * frames.bin as it arrives, block by block: finds the frames, reads what the index needs, and keeps the bit streams for
 * later. Only whole chunks arrive, checked against their CRC by `scree view`.
 */
import type { Head, IndexPart } from "./format";

/** Where a frame's grains are, still packed. */
export interface PackedFrame {
  key: boolean;
  factor: number; // k of docs/record.md
  grains: number;
  gone: number;
  come: number;
  bits: Uint32Array;
}

const FRAME_HEAD = 48; // bytes

function decodeBase64(text: string): Uint8Array {
  const native = (Uint8Array as unknown as { fromBase64?: (text: string) => Uint8Array }).fromBase64;
  if (native) return native.call(Uint8Array, text);
  const binary = atob(text);
  const bytes = new Uint8Array(binary.length);
  for (let i = 0; i < binary.length; i++) bytes[i] = binary.charCodeAt(i);
  return bytes;
}

export class Chunks {
  readonly frames: PackedFrame[] = [];
  done = false;

  constructor(private readonly head: Head) {}

  /** Reads a block of whole chunks; gives the index of the frames in it. */
  add(text: string): IndexPart {
    const bytes = decodeBase64(text);
    const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
    const found: { at: number; length: number }[] = [];
    let at = 0;
    while (at + 12 <= bytes.length) {
      const tag = String.fromCharCode(...bytes.subarray(at, at + 4));
      const length = view.getUint32(at + 4, true);
      if (at + 12 + length > bytes.length) break;
      if (tag === "FRAM") found.push({ at: at + 8, length });
      if (tag === "DONE") this.done = true;
      at += 12 + length;
    }
    return this.indexFrames(bytes, view, found);
  }

  private indexFrames(bytes: Uint8Array, view: DataView, found: { at: number; length: number }[]): IndexPart {
    const signals = this.head.signals.length;
    const numbers = 7 * this.head.bodies.length;
    const part: IndexPart = {
      times: new Float64Array(found.length),
      grains: new Uint32Array(found.length),
      signals: new Float64Array(found.length * signals),
      poses: new Float64Array(found.length * numbers),
    };
    found.forEach(({ at, length }, row) => {
      let next = at + FRAME_HEAD;
      const word = (offset: number) => view.getUint32(at + offset, true);
      const words = word(40);
      if (FRAME_HEAD + 8 * (signals + numbers) + 4 * words > length) throw new Error("a frame is shorter than it says");
      part.times[row] = view.getFloat64(at, true);
      part.grains[row] = word(28);
      for (let i = 0; i < signals; i++, next += 8) part.signals[row * signals + i] = view.getFloat64(next, true);
      for (let i = 0; i < numbers; i++, next += 8) part.poses[row * numbers + i] = view.getFloat64(next, true);
      this.frames.push({
        key: (word(24) & 1) !== 0,
        factor: view.getFloat64(at + 16, true),
        grains: word(28),
        gone: word(32),
        come: word(36),
        // A view, not a copy: everything in the file lies at a multiple of 4 bytes, and so does every block's beginning.
        bits: new Uint32Array(bytes.buffer, bytes.byteOffset + next, words),
      });
    });
    return part;
  }
}
