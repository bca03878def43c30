/**
 * The data that `scree view` wrote into the page: one element with head.json, many with base64 of frames. They are
 * taken over as the browser reads the page, and taken out of it, so that no more than one copy stays in memory.
 */

export interface EmbeddedSink {
  addBlock(text: string): void;
  end(): void;
}

export function takeHead(): string {
  const text = document.getElementById("scree-head")?.textContent;
  if (!text) throw new Error("there is no recording in this page; `scree view RECORD -o page.html` makes one with it");
  return text;
}

/** Hands every block over, a few at a time, without keeping the page from reacting. */
export function pumpBlocks(sink: EmbeddedSink): void {
  const pump = () => {
    const finished = document.readyState !== "loading"; // asked first: what comes after it is for the next round
    const blocks = document.querySelectorAll<HTMLScriptElement>("script.scree-frames");
    // The last one may still be growing while the page is being read.
    const whole = finished ? blocks.length : blocks.length - 1;
    const now = performance.now();
    let taken = 0;
    while (taken < whole && performance.now() - now < 8) {
      const block = blocks[taken++];
      sink.addBlock(block.textContent ?? "");
      block.remove();
    }
    if (finished && taken === blocks.length) sink.end();
    else setTimeout(pump, taken > 0 ? 0 : 20);
  };
  pump();
}
