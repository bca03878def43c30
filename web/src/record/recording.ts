/**
 * The recording as the page sees it: its head, the index of its frames as far as they have arrived, and a window of
 * unpacked frames around the present that a worker keeps filled.
 */
import { RECORD_VERSION, type Frame, type FromWorker, type Head, type Ranges, type ToWorker, type Wish, wishName } from "./format";

const CACHE_BYTES = 160e6;

/** Set by the build: the worker's program as text. */
declare const SCREE_WORKER: string;

class Growing {
  values = new Float64Array(1024);
  length = 0;
  push(more: Float64Array | Uint32Array): void {
    if (this.length + more.length > this.values.length) {
      const larger = new Float64Array(Math.max(2 * this.values.length, this.length + more.length));
      larger.set(this.values.subarray(0, this.length));
      this.values = larger;
    }
    this.values.set(more, this.length);
    this.length += more.length;
  }
}

export function readHead(text: string): Head {
  const head = JSON.parse(text) as Head;
  if (head.format !== "scree-record") throw new Error("the data in this page are no recording");
  if (head.version > RECORD_VERSION)
    throw new Error(`the recording is of version ${head.version}; this page knows ${RECORD_VERSION}`);
  return head;
}

export class Recording {
  complete = false;
  done = false; // the run came to its end
  onIndex: () => void = () => {};
  onFrame: (frame: Frame) => void = () => {};
  onRanges: (ranges: Ranges) => void = () => {};
  onProblem: (text: string) => void = () => {};

  private readonly worker: Worker;
  private readonly times = new Growing();
  private readonly grainCounts = new Growing();
  private readonly signalValues = new Growing();
  private readonly poseValues = new Growing();
  private cache = new Map<string, Frame>(); // oldest first
  private bytes = 0;
  private asked = "";

  constructor(readonly head: Head) {
    const url = URL.createObjectURL(new Blob([SCREE_WORKER], { type: "text/javascript" }));
    this.worker = new Worker(url);
    this.worker.onmessage = ({ data }: MessageEvent<FromWorker>) => this.receive(data);
    this.worker.onerror = (event) => this.onProblem(event.message);
    this.send({ type: "open", head });
  }

  private send(message: ToWorker): void {
    this.worker.postMessage(message);
  }

  addBlock(text: string): void {
    this.send({ type: "block", text });
  }

  end(): void {
    this.send({ type: "end" });
  }

  private receive(data: FromWorker): void {
    if (data.type === "index") {
      this.times.push(data.part.times);
      this.grainCounts.push(data.part.grains);
      this.signalValues.push(data.part.signals);
      this.poseValues.push(data.part.poses);
      this.onIndex();
    } else if (data.type === "complete") {
      this.complete = true;
      this.done = data.done;
      this.onIndex();
    } else if (data.type === "frame") {
      this.keep(data.frame);
      this.onFrame(data.frame);
    } else if (data.type === "ranges") {
      this.onRanges(data.ranges);
    } else {
      this.onProblem(data.text);
    }
  }

  /* ---- index */

  get frames(): number {
    return this.times.length;
  }

  timeOf(frame: number): number {
    return this.times.values[frame];
  }

  get begin(): number {
    return this.frames > 0 ? this.timeOf(0) : 0;
  }

  get stop(): number {
    return this.frames > 0 ? this.timeOf(this.frames - 1) : 0;
  }

  allTimes(): Float64Array {
    return this.times.values.subarray(0, this.frames);
  }

  grainsIn(frame: number): number {
    return this.grainCounts.values[frame];
  }

  /** The last frame at or before a time. */
  frameAt(time: number): number {
    let low = 0;
    let high = this.frames - 1;
    while (low < high) {
      const middle = (low + high + 1) >> 1;
      if (this.timeOf(middle) <= time) low = middle;
      else high = middle - 1;
    }
    return Math.max(0, low);
  }

  signal(index: number): Float64Array {
    const columns = this.head.signals.length;
    const values = new Float64Array(this.frames);
    for (let i = 0; i < values.length; i++) values[i] = this.signalValues.values[i * columns + index];
    return values;
  }

  signalAt(index: number, frame: number): number {
    return this.signalValues.values[frame * this.head.signals.length + index];
  }

  /** Seven numbers: position, then quaternion w, x, y, z. */
  pose(body: number, frame: number): Float64Array {
    const at = 7 * (frame * this.head.bodies.length + body);
    return this.poseValues.values.subarray(at, at + 7);
  }

  /* ---- unpacked frames */

  /** An unpacked frame, when it is there. */
  get(wish: Wish): Frame | null {
    const name = wishName(wish);
    const found = this.cache.get(name);
    if (!found) return null;
    this.cache.delete(name);
    this.cache.set(name, found); // now the youngest
    return found;
  }

  private keep(frame: Frame): void {
    const size = (f: Frame) => 48 * f.drawable;
    this.cache.set(wishName(frame), frame);
    this.bytes += size(frame);
    for (const [key, old] of this.cache) {
      if (this.bytes <= CACHE_BYTES || this.cache.size <= 6) break;
      this.cache.delete(key);
      this.bytes -= size(old);
    }
  }

  /** Says which frames are wanted next, the most urgent first. Those that are there already are not asked for. */
  want(wishes: Wish[]): void {
    const missing = wishes.filter((wish) => !this.cache.has(wishName(wish)));
    const asked = missing.map(wishName).join();
    if (asked === this.asked) return;
    this.asked = asked;
    this.send({ type: "want", wishes: missing });
  }
}
