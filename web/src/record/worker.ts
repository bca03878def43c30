/**
 * The worker of the page: keeps the packed recording and unpacks the frames that are asked for, the most urgent first.
 */
import { Chunks } from "./chunks";
import { type FromWorker, type Head, type IndexPart, type ToWorker, type Wish, wishName } from "./format";
import { findFloor, makeOccluders } from "./occluders";
import { findRanges, Reader } from "./reader";

const scope = self as unknown as DedicatedWorkerGlobalScope;
const send = (message: FromWorker, transfer: Transferable[] = []) => scope.postMessage(message, transfer);

let chunks: Chunks | null = null;
let reader: Reader | null = null;
let poses: Float64Array[] = []; // per frame

let wishes: Wish[] = [];
let busy = false;

function open(head: Head): void {
  chunks = new Chunks(head);
  reader = new Reader(head, chunks, makeOccluders(head, (frame) => poses[frame]), () => floor());
}

let floorHeight: number | null | undefined; // undefined: not looked for yet
function floor(): number | null {
  if (floorHeight === undefined) floorHeight = findFloor(head, poses[0]);
  return floorHeight;
}

function addBlock(head: Head, text: string): void {
  const part: IndexPart = chunks!.add(text);
  const size = 7 * head.bodies.length;
  for (let i = 0; i < part.times.length; i++) poses.push(part.poses.slice(i * size, (i + 1) * size));
  if (part.times.length > 0) send({ type: "index", part });
}

function finish(): void {
  send({ type: "complete", done: chunks!.done });
  send({ type: "ranges", ranges: findRanges(head, chunks!) });
}

/** Lets messages in. A timer would wait 4 ms. */
const pause = () =>
  new Promise<void>((resolve) => {
    const channel = new MessageChannel();
    channel.port1.onmessage = () => {
      channel.port1.close();
      resolve();
    };
    channel.port2.postMessage(0);
  });

/** Serves what is wanted until nothing is left; looks at new wishes after every step. */
async function serve(): Promise<void> {
  if (busy) return;
  busy = true;
  try {
    for (;;) {
      const wish = wishes.find(({ frame }) => frame < reader!.frames);
      if (!wish) break;
      const { frame, from } = wish;
      const name = wishName(wish);
      const isWanted = () => wishes.some((other) => wishName(other) === name);
      while (isWanted() && !reader!.seek(from)) await pause();
      if (reader!.at !== from) continue;
      reader!.mark();
      while (isWanted() && reader!.at < frame) {
        reader!.step();
        await pause();
      }
      if (reader!.at !== frame || !isWanted()) continue;
      wishes = wishes.filter((other) => wishName(other) !== name);
      const found = reader!.present(wish);
      send({ type: "frame", frame: found }, [
        found.before.buffer as ArrayBuffer,
        found.after.buffer as ArrayBuffer,
        found.look.buffer as ArrayBuffer,
      ]);
      await pause();
    }
  } finally {
    busy = false;
  }
}

let head: Head;
scope.onmessage = async ({ data }: MessageEvent<ToWorker>) => {
  try {
    if (data.type === "open") open((head = data.head));
    else if (data.type === "block") addBlock(head, data.text);
    else if (data.type === "end") finish();
    else wishes = data.wishes;
    await serve();
  } catch (error) {
    wishes = [];
    send({ type: "problem", text: error instanceof Error ? error.message : String(error) });
  }
};
