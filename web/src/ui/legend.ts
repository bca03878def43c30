/**
 * What colours the grains, and what the colours mean.
 */
import { css, kindColor, mapColor } from "../color";
import type { Frame, Head, Ranges } from "../record/format";
import { COLOR_CHANNEL, COLOR_KIND, COLOR_MATERIAL, COLOR_SIZE, COLOR_SPEED, type Grains } from "../scene/grains";
import { element, make, short, tidy, withUnit } from "./dom";

interface Mode {
  key: string;
  label: string;
  shader: number;
  channel: number; // of the recording; −1: none
}

/** A round number not below a value. */
function roundUp(value: number): number {
  const power = 10 ** Math.floor(Math.log10(value));
  const step = [1, 1.5, 2, 3, 4, 5, 6, 8, 10].find((s) => s * power >= value * 0.999) ?? 10;
  return step * power;
}

export class Legend {
  onMode: () => void = () => {};
  readonly modes: Mode[];
  private current = 0;
  private readonly select = element<HTMLSelectElement>("color");
  private readonly body = element("legend-body");
  // Largest values met so far; the ranges of the whole run once they are known. The scale must not swing.
  private speedHigh = 0;
  private readonly valueHigh = new Map<number, number>();
  private sizes: [number, number] = [Infinity, 0];
  private ranges: Ranges | null = null;
  private materials: number[] = [];
  private written = "";
  private gridSpacing = 0;

  constructor(
    private readonly head: Head,
    private readonly grains: Grains,
    private arrows: boolean,
  ) {
    const channels = head.channels.map((channel, index) => ({
      key: channel.name,
      label: channel.name[0].toUpperCase() + channel.name.slice(1),
      shader: channel.coding === "logarithmic" ? COLOR_CHANNEL : COLOR_KIND,
      channel: index,
    }));
    this.modes = [
      { key: "speed", label: "Speed", shader: COLOR_SPEED, channel: -1 },
      ...channels.filter((mode) => mode.shader === COLOR_CHANNEL),
      { key: "size", label: "Size", shader: COLOR_SIZE, channel: -1 },
      { key: "material", label: "Material", shader: COLOR_MATERIAL, channel: -1 },
      ...channels.filter((mode) => mode.shader === COLOR_KIND),
    ];
    this.modes.forEach((mode, index) =>
      this.select.append(make("option", { value: String(index) }, [mode.label, this.unitOf(mode)].filter(Boolean).join(", "))),
    );
    this.select.addEventListener("change", () => this.choose(Number(this.select.value)));
  }

  private unitOf({ shader, channel }: Mode): string {
    if (shader === COLOR_SPEED) return "m/s";
    return shader === COLOR_CHANNEL ? tidy(this.head.channels[channel].unit) : "";
  }

  get mode(): Mode {
    return this.modes[this.current];
  }

  choose(index: number): void {
    if (index < 0 || index >= this.modes.length) return;
    this.current = index;
    this.select.value = String(index);
    this.update();
    this.onMode();
  }

  chooseKey(key: string): void {
    this.choose(this.modes.findIndex((mode) => mode.key === key));
  }

  setGrid(spacing: number): void {
    this.gridSpacing = spacing;
    this.update();
  }

  setArrows(shown: boolean): void {
    this.arrows = shown;
    this.update();
  }

  settle(ranges: Ranges): void {
    this.ranges = ranges;
    this.update();
  }

  /** Widens the scales when a frame needs it. */
  notice(frame: Frame): void {
    this.speedHigh = Math.max(this.speedHigh, frame.speedHigh);
    this.valueHigh.set(frame.channel, Math.max(this.valueHigh.get(frame.channel) ?? 0, frame.valueHigh));
    if (frame.grains > 0) this.sizes = [Math.min(this.sizes[0], frame.sizes[0]), Math.max(this.sizes[1], frame.sizes[1])];
    this.materials = frame.materials;
    this.update();
  }

  private range(): [number, number] {
    const { shader, channel } = this.mode;
    if (shader === COLOR_SPEED) return [0, roundUp(Math.max(this.ranges?.speed ?? this.speedHigh, 10 * this.head.resolution.speed))];
    if (shader === COLOR_SIZE) return this.sizes[1] > 0 ? this.sizes : [0, 1];
    if (shader === COLOR_CHANNEL) {
      const least = this.head.channels[channel].floor ?? 1e-3;
      const high = roundUp(Math.max(this.ranges?.channels[channel] ?? this.valueHigh.get(channel) ?? 0, 100 * least));
      return [high / 1000, high]; // three decades
    }
    return [0, 1];
  }

  private update(): void {
    const [low, high] = this.range();
    this.grains.setColors({ mode: this.mode.shader, low, high });
    const text = [this.current, low, high, this.gridSpacing, this.arrows, ...this.materials].join();
    if (text === this.written) return;
    this.written = text;
    const { shader } = this.mode;
    const parts: Node[] =
      shader === COLOR_MATERIAL || shader === COLOR_KIND ? this.kinds() : [...this.ramp(low, high)];
    const notes: (Node | string)[] = [];
    if (this.arrows) notes.push(make("span", {}, make("i", { class: "arrow" }), "force on a body"));
    if (this.gridSpacing > 0) notes.push(make("span", {}, make("i", { class: "grid" }), withUnit(this.gridSpacing, "m")));
    if (notes.length > 0) parts.push(make("p", { class: "legend-note" }, ...notes));
    this.body.replaceChildren(...parts);
  }

  private kinds(): Node[] {
    if (this.mode.shader === COLOR_KIND)
      return [make("p", { class: "legend-note" }, "Each colour is one number; colours repeat.")];
    const list = make("ul", { class: "kinds" });
    this.head.materials.forEach((material, index) => {
      if (!this.materials.includes(index)) return;
      const swatch = make("i");
      swatch.style.background = css(kindColor(index));
      list.append(make("li", {}, swatch, material.id));
    });
    return [list];
  }

  private ramp(low: number, high: number): Node[] {
    const { shader } = this.mode;
    const stops = Array.from({ length: 17 }, (_, i) => `${css(mapColor(i / 16))} ${((100 * i) / 16).toFixed(1)}%`);
    const bar = make("div", { class: "ramp" });
    bar.style.background = `linear-gradient(90deg, ${stops.join(", ")})`;
    const ticks = make("div", { class: "ticks" });
    const put = (place: number, text: string) => {
      const tick = make("span", {}, text);
      tick.style.left = `${100 * place}%`;
      ticks.append(tick);
    };
    if (shader === COLOR_SIZE) {
      if (high - low < 1e-3 * high) return [make("p", { class: "legend-note" }, `All grains: diameter ${withUnit(2 * high, "m")}`)];
      put(0, withUnit(2 * low, "m"));
      put(0.5, withUnit(low + high, "m"));
      put(1, withUnit(2 * high, "m"));
      return [bar, ticks];
    }
    if (shader === COLOR_SPEED) for (const share of [0, 0.1, 0.4, 1]) put(Math.sqrt(share), short(share * high));
    else for (const decade of [0, 1, 2, 3]) put(decade / 3, short(10 ** decade * low));
    return [bar, ticks];
  }

  /** For screen readers. */
  describe(): string {
    return `coloured by ${this.mode.label.toLowerCase()}`;
  }
}
