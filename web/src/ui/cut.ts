/**
 * The cut through the grains: across which axis, and where.
 */
import type { Cut } from "../record/format";
import { element, roundDown, withUnit } from "./dom";

export class CutControl {
  onChange: (cut: Cut | null) => void = () => {};
  /** Where the scene lies along an axis, m, and from which side the camera looks. */
  extent: (axis: 0 | 1 | 2) => { low: number; high: number; side: 1 | -1 } = () => ({ low: 0, high: 1, side: 1 });
  private cut: Cut | null = null;
  private readonly slider = element<HTMLInputElement>("cut-at");
  private readonly radios = [...document.querySelectorAll<HTMLInputElement>("#cut-axes input")];

  constructor() {
    for (const radio of this.radios) radio.addEventListener("change", () => this.choose(radio.value));
    this.slider.addEventListener("input", () => this.moveTo(Number(this.slider.value)));
  }

  /** "" for none, or the number of an axis. Begins in the middle, and takes away what is nearer to the camera. */
  choose(value: string): void {
    for (const radio of this.radios) radio.checked = radio.value === value;
    if (value === "") {
      this.cut = null;
    } else {
      const axis = Number(value) as 0 | 1 | 2;
      const { low, high, side } = this.extent(axis);
      this.cut = { axis, at: snap((low + high) / 2, high - low), side };
      this.slider.min = String(low);
      this.slider.max = String(high);
      this.slider.value = String(this.cut.at);
    }
    this.tell();
  }

  cycle(): void {
    this.choose(this.cut === null ? "0" : this.cut.axis === 2 ? "" : String(this.cut.axis + 1));
  }

  /** By a share of the scene's extent. */
  move(share: number): void {
    if (!this.cut) return;
    const { low, high } = this.extent(this.cut.axis);
    this.moveTo(Math.min(high, Math.max(low, this.cut.at + share * (high - low))));
    this.slider.value = String(this.cut.at);
  }

  private moveTo(at: number): void {
    if (!this.cut) return;
    const { low, high } = this.extent(this.cut.axis);
    this.cut = { ...this.cut, at: snap(at, high - low) };
    this.tell();
  }

  private tell(): void {
    const { cut } = this;
    this.slider.disabled = cut === null;
    const words = cut ? `${"xyz"[cut.axis]} = ${withUnit(cut.at, "m")}` : "";
    this.slider.setAttribute("aria-valuetext", words);
    element("cut-text").textContent = cut
      ? `Without the grains at ${"xyz"[cut.axis]} ${cut.side > 0 ? ">" : "<"} ${withUnit(cut.at, "m")}`
      : "Takes away what is nearer to you.";
    this.onChange(cut);
  }
}

/** To a round number, in steps too small to be seen. */
function snap(at: number, extent: number): number {
  const step = roundDown(extent / 200);
  return Number((Math.round(at / step) * step).toPrecision(8));
}
