/**
 * How much detail the machine can afford. While the picture moves, the number of pixels follows the time that pictures
 * take; a picture that stands still gets them all.
 */

const SLOW = 1 / 23; // s per picture: above this there are too many pixels
const FAST = 1 / 32;
const LEAST = 0.6; // pixels per CSS pixel

export class Quality {
  /** No graphics card: draw as little as possible. */
  readonly software: boolean;
  readonly best: number;
  ratio: number;
  private mean = 1 / 30; // s per picture
  private last = 0;
  private settled = 0;

  constructor(rendererName: string) {
    this.software = /swiftshader|llvmpipe|software|softpipe|basic render/i.test(rendererName);
    this.best = Math.min(window.devicePixelRatio || 1, this.software ? 1 : 2);
    this.ratio = this.best;
  }

  /** Called for every picture of a motion. True when the ratio has changed. */
  note(now: number): boolean {
    const spent = (now - this.last) / 1000;
    this.last = now;
    if (spent > 1) {
      this.settled = 0;
      return false; // the first of a motion
    }
    this.mean += 0.12 * (spent - this.mean);
    if (++this.settled < 12) return false;
    const before = this.ratio;
    if (this.mean > SLOW) this.ratio = Math.max(LEAST, 0.84 * this.ratio);
    else if (this.mean < FAST) this.ratio = Math.min(this.best, 1.12 * this.ratio);
    if (Math.abs(this.ratio - before) < 0.01) return false;
    this.settled = 0;
    return true;
  }

  get rate(): number {
    return 1 / this.mean;
  }
}
