/**
 * Time: what is shown now, playing, and which frames are needed for it.
 *
 * Playing shows the motion between two frames that are `stride` apart; standing still shows one frame as it is. The
 * clock waits for frames that have not been unpacked yet, so that slow machines play slowly rather than in jumps.
 */
import type { Cut, Frame, Wish } from "./record/format";
import type { Recording } from "./record/recording";

export const SPEEDS = [0.05, 0.1, 0.25, 0.5, 1, 2, 4, 8];
const AHEAD = 5; // unpacked frames to have in hand
const MANY = 20_000; // grains, from which on fewer frames per second are unpacked
const MOST_UNPACKED = { few: 60, many: 25, manySlow: 12 }; // per second

export interface Shown {
  frame: Frame;
  share: number; // of the way from frame.from to frame.frame
}

export class Player {
  time = 0; // s
  playing = false;
  speed = 1;
  loop = true;
  slow = false; // the machine has other things to do than to unpack
  channel = 0;
  cut: Cut | null = null;
  shown: Shown | null = null;
  onChange: () => void = () => {}; // playing, speed
  private last = 0;
  private waiting = false;

  constructor(private readonly recording: Recording) {}

  get frame(): number {
    return this.recording.frameAt(this.time + 1e-9 * Math.max(1, Math.abs(this.time)));
  }

  private get stride(): number {
    const { recording } = this;
    if (!this.playing || recording.frames < 3) return 1;
    const rate = (recording.frames - 1) / Math.max(1e-9, recording.stop - recording.begin);
    const many = recording.grainsIn(this.frame) > MANY;
    const most = many ? (this.slow ? MOST_UNPACKED.manySlow : MOST_UNPACKED.many) : MOST_UNPACKED.few;
    return Math.max(1, Math.round((rate * this.speed) / most));
  }

  /** True while the clock waits for a frame. */
  get buffering(): boolean {
    return this.waiting;
  }

  play(): void {
    if (this.recording.frames < 2) return;
    if (this.time >= this.recording.stop - 1e-12 && this.recording.complete) this.time = this.recording.begin;
    this.playing = true;
    this.last = 0;
    this.onChange();
  }

  pause(): void {
    if (!this.playing) return;
    this.playing = false;
    this.goToFrame(this.nearestFrame(this.time));
    this.onChange();
  }

  toggle(): void {
    if (this.playing) this.pause();
    else this.play();
  }

  setSpeed(speed: number): void {
    this.speed = speed;
    this.onChange();
  }

  changeSpeed(steps: number): void {
    const at = SPEEDS.findIndex((s) => s >= this.speed - 1e-9);
    this.setSpeed(SPEEDS[Math.min(SPEEDS.length - 1, Math.max(0, (at < 0 ? 0 : at) + steps))]);
  }

  private nearestFrame(time: number): number {
    const before = this.recording.frameAt(time);
    const after = Math.min(before + 1, this.recording.frames - 1);
    return time - this.recording.timeOf(before) > this.recording.timeOf(after) - time ? after : before;
  }

  goToFrame(frame: number): void {
    if (this.recording.frames === 0) return;
    this.time = this.recording.timeOf(Math.min(this.recording.frames - 1, Math.max(0, frame)));
  }

  /** To a time, as the slider or a plot asks. Keeps playing when it was. */
  seek(time: number): void {
    if (this.recording.frames === 0) return;
    if (this.playing) this.time = Math.min(this.recording.stop, Math.max(this.recording.begin, time));
    else this.goToFrame(this.nearestFrame(time));
  }

  step(frames: number): void {
    this.pause();
    this.goToFrame(this.frame + frames);
  }

  /** Once per turn of the page, with the page's clock in ms. True when there is something new to show. */
  tick(now: number): boolean {
    const { recording } = this;
    if (recording.frames === 0) return false;
    if (this.playing) this.advance(now);
    const { wish, share } = this.target(this.time);
    this.ask(wish);
    const frame = recording.get(wish);
    if (!frame) return false;
    const changed = this.shown?.frame !== frame || this.shown.share !== share;
    this.shown = { frame, share };
    return changed;
  }

  private wish(from: number, frame: number): Wish {
    return { from: Math.max(0, from), frame: Math.max(0, frame), channel: this.channel, cut: this.cut };
  }

  /** Which frame, and how much of the way to it, shows a time. */
  private target(time: number): { wish: Wish; share: number } {
    const { recording, stride } = this;
    const at = recording.frameAt(time);
    if (!this.playing) return { wish: this.wish(at - 1, at), share: 1 };
    const low = stride * Math.floor(at / stride);
    const high = Math.min(low + stride, recording.frames - 1);
    if (high === low) return { wish: this.wish(low - stride, low), share: 1 };
    const begin = recording.timeOf(low);
    return { wish: this.wish(low, high), share: Math.min(1, (time - begin) / (recording.timeOf(high) - begin)) };
  }

  /** Asks for a frame and for those that will be needed after it. */
  private ask(first: Wish): void {
    const { recording, stride } = this;
    const last = recording.frames - 1;
    const wishes = [first];
    if (this.playing) {
      for (let low = first.frame; wishes.length <= AHEAD && last > 0; ) {
        if (low >= last) {
          if (!this.loop || !recording.complete) break;
          low = 0;
        }
        const high = Math.min(low + stride, last);
        wishes.push(this.wish(low, high));
        low = high;
      }
    } else {
      if (first.frame < last) wishes.push(this.wish(first.frame, first.frame + 1));
      if (first.frame > 0) wishes.push(this.wish(first.frame - 2, first.frame - 1));
    }
    recording.want(wishes);
  }

  /** Moves the clock, but not beyond what can be shown. */
  private advance(now: number): void {
    const { recording } = this;
    const spent = this.last === 0 ? 0 : Math.min(0.1, (now - this.last) / 1000);
    this.last = now;
    let next = this.time + spent * this.speed;
    if (next >= recording.stop) {
      if (!recording.complete) next = recording.stop;
      else if (this.loop && this.time >= recording.stop - 1e-12) next = recording.begin;
      else next = recording.stop;
    }
    this.waiting = recording.get(this.target(next).wish) === null;
    if (!this.waiting) this.time = next;
    if (recording.complete && !this.loop && this.time >= recording.stop) this.pause();
  }
}
