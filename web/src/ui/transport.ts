/**
 * The bar with the time: play, steps, slider, speed.
 */
import type { Player } from "../player";
import { SPEEDS } from "../player";
import type { Recording } from "../record/recording";
import { element, make } from "./dom";

const app = () => element("app");

export class Transport {
  private readonly slider = element<HTMLInputElement>("time");
  private readonly clock = element("clock");
  private readonly speed = element<HTMLSelectElement>("speed");
  private digits = 2;

  constructor(
    private readonly player: Player,
    private readonly recording: Recording,
  ) {
    const press = (id: string, act: () => void) => element(id).addEventListener("click", act);
    press("play", () => player.toggle());
    press("to-start", () => player.seek(recording.begin));
    press("back", () => player.step(-1));
    press("forward", () => player.step(1));
    press("loop", () => this.toggleLoop());
    this.slider.addEventListener("input", () => player.seek(Number(this.slider.value)));
    for (const speed of SPEEDS) this.speed.append(make("option", { value: String(speed) }, `${speed}×`));
    this.speed.addEventListener("change", () => player.setSpeed(Number(this.speed.value)));
    player.onChange = () => this.showState();
    this.showState();
  }

  toggleLoop(): void {
    this.player.loop = !this.player.loop;
    element("loop").setAttribute("aria-pressed", String(this.player.loop));
  }

  private showState(): void {
    app().classList.toggle("playing", this.player.playing);
    element("play-label").textContent = this.player.playing ? "Pause" : "Play";
    this.speed.value = String(this.player.speed);
  }

  /** The recording has grown. */
  showLength(): void {
    const { begin, stop, frames } = this.recording;
    const interval = frames > 1 ? (stop - begin) / (frames - 1) : 1;
    this.digits = Math.min(6, Math.max(1, Math.ceil(-Math.log10(Math.max(interval, 1e-6)) - 0.01)));
    this.slider.min = String(begin);
    this.slider.max = String(stop);
    element("length").textContent = `/ ${this.format(stop)}`;
  }

  private format(time: number): string {
    return `${time.toFixed(this.digits)} s`;
  }

  show(): void {
    const { player, recording } = this;
    const text = this.format(player.time);
    app().classList.toggle("waiting", player.playing && player.buffering);
    if (this.clock.textContent === text) return;
    this.clock.textContent = text;
    this.slider.value = String(player.time);
    const share = (player.time - recording.begin) / Math.max(1e-12, recording.stop - recording.begin);
    this.slider.style.setProperty("--done", `${(100 * share).toFixed(2)}%`);
    this.slider.setAttribute("aria-valuetext", text);
  }
}
