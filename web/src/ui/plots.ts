/**
 * Signals over time: one plot per unit, a line at the present time that is the time slider too, and the values now.
 */
import uPlot from "uplot";
import { curveColor } from "../color";
import type { Recording } from "../record/recording";
import { findForces } from "../scene/arrows";
import { element, make, plain, short, tidy } from "./dom";
import type { Theme } from "./theme";

interface Plot {
  chart: uPlot;
  now: HTMLElement;
  signals: number[];
  values: HTMLElement[];
  sizes: number[]; // largest value of each signal, to tell what is nothing beside it
}

export class Plots {
  onSeek: (time: number) => void = () => {};
  chosen: number[];
  private plots: Plot[] = [];
  private theme: Theme = "light";
  private drawnFrames = -1;
  private valuesOf = -1;
  private readonly box = element("plots");

  constructor(private readonly recording: Recording) {
    this.chosen = firstChoice(recording);
    new ResizeObserver(() => this.resize()).observe(this.box);
  }

  choose(signals: number[]): void {
    this.chosen = signals;
    this.build();
  }

  setTheme(theme: Theme): void {
    this.theme = theme;
    this.build();
  }

  /** Takes in what has arrived. Cheap when nothing has. */
  refresh(): void {
    if (this.recording.frames === this.drawnFrames) return;
    if (this.plots.length === 0 && this.chosen.length > 0) this.build();
    this.drawnFrames = this.recording.frames;
    for (const plot of this.plots) {
      plot.chart.setData(this.dataFor(plot.signals));
      plot.sizes = plot.signals.map((signal) => this.sizeOf(signal));
    }
  }

  private dataFor(signals: number[]): uPlot.AlignedData {
    return [this.recording.allTimes().slice(), ...signals.map((signal) => this.recording.signal(signal))] as uPlot.AlignedData;
  }

  private sizeOf(signal: number): number {
    return this.recording.signal(signal).reduce((most, value) => (Math.abs(value) > most ? Math.abs(value) : most), 0);
  }

  private build(): void {
    for (const plot of this.plots) plot.chart.destroy();
    this.box.replaceChildren();
    this.plots = [];
    this.valuesOf = -1;
    const byUnit = new Map<string, number[]>();
    for (const signal of this.chosen) {
      const { unit } = this.recording.head.signals[signal];
      byUnit.set(unit, [...(byUnit.get(unit) ?? []), signal]);
    }
    for (const [unit, signals] of byUnit) this.plots.push(this.makePlot(unit, signals));
    if (this.chosen.length === 0)
      this.box.append(make("p", { class: "empty" }, "No signal chosen. Choose adds some."));
    this.drawnFrames = this.recording.frames;
  }

  private makePlot(unit: string, signals: number[]): Plot {
    const head = make("div", { class: "plot-head" });
    const values = signals.map((signal, i) => {
      const { name, description } = this.recording.head.signals[signal];
      const swatch = make("i");
      swatch.style.background = curveColor(i, this.theme === "dark");
      const value = make("b", {}, "–");
      head.append(make("span", { class: "value", title: description }, swatch, name, value, tidy(unit)));
      return value;
    });
    const box = make("div", { class: "plot-box" });
    const outer = make("div", { class: "plot" }, head, box);
    this.box.append(outer);
    const chart = new uPlot(this.options(box, unit, signals), this.dataFor(signals), box);
    const now = make("div", { class: "plot-now" });
    chart.over.append(now);
    now.style.top = "0";
    now.style.bottom = "0";
    this.listen(chart);
    return { chart, now, signals, values, sizes: signals.map((signal) => this.sizeOf(signal)) };
  }

  private options(box: HTMLElement, unit: string, signals: number[]): uPlot.Options {
    const style = getComputedStyle(document.documentElement);
    const soft = style.getPropertyValue("--soft");
    const line = style.getPropertyValue("--line");
    const font = `11px ${style.getPropertyValue("--font")}`;
    const axis = { stroke: soft, font, grid: { stroke: line, width: 1 }, ticks: { show: false } };
    return {
      width: Math.max(50, box.clientWidth),
      height: Math.max(50, box.clientHeight),
      pxAlign: false,
      padding: [6, 16, 0, 0],
      legend: { show: false },
      cursor: { show: false },
      scales: {
        x: { time: false },
        y: { range: (_, low, high) => span(low, high) },
      },
      axes: [
        { ...axis, size: 26, space: 60, values: (_, ticks) => ticks.map((t) => `${short(t)} s`) },
        { ...axis, size: 52, space: 32, values: (_, ticks) => ticks.map((t) => shortNumber(t)) },
      ],
      series: [
        {},
        ...signals.map((signal, i) => ({
          label: `${this.recording.head.signals[signal].name} / ${unit}`,
          stroke: curveColor(i, this.theme === "dark"),
          width: 1.6,
          points: { show: false },
        })),
      ],
    };
  }

  private listen(chart: uPlot): void {
    const seek = (event: PointerEvent) => {
      const { left } = chart.over.getBoundingClientRect();
      this.onSeek(chart.posToVal(event.clientX - left, "x"));
    };
    chart.over.addEventListener("pointerdown", (event) => {
      chart.over.setPointerCapture(event.pointerId);
      seek(event);
    });
    chart.over.addEventListener("pointermove", (event) => {
      if (chart.over.hasPointerCapture(event.pointerId)) seek(event);
    });
  }

  private resize(): void {
    for (const { chart } of this.plots) {
      const box = chart.root.parentElement!;
      if (box.clientWidth > 0 && box.clientHeight > 0)
        chart.setSize({ width: box.clientWidth, height: box.clientHeight });
    }
  }

  /** Moves the line, and writes the values of the frame before it. */
  setTime(time: number, frame: number): void {
    for (const { chart, now } of this.plots)
      now.style.transform = `translateX(${chart.valToPos(time, "x").toFixed(2)}px)`;
    if (frame === this.valuesOf || this.recording.frames === 0) return;
    this.valuesOf = frame;
    for (const { signals, values, sizes } of this.plots)
      signals.forEach((signal, i) => {
        const value = this.recording.signalAt(signal, frame);
        values[i].textContent = plain(Math.abs(value) < 1e-5 * sizes[i] ? 0 : value);
      });
  }

  /** For screen readers. */
  describe(frame: number): string {
    return this.chosen
      .map((signal) => {
        const { name, unit } = this.recording.head.signals[signal];
        return `${name} ${plain(this.recording.signalAt(signal, frame))} ${tidy(unit)}`;
      })
      .join(", ");
  }
}

/** Room above and below, and never an empty range. */
function span(low: number | null, high: number | null): [number, number] {
  const a = low ?? 0;
  const b = high ?? 1;
  const room = Math.max(0.06 * (b - a), 1e-3 * Math.max(Math.abs(a), Math.abs(b)), 1e-12);
  return [a - room, b + room];
}

function shortNumber(value: number): string {
  const size = Math.abs(value);
  if (size >= 1e6) return `${short(value / 1e6)} M`;
  return size >= 1e4 ? `${short(value / 1e3)} k` : short(value);
}

/** The force on the first moving body, and what the first sensor says; else something about the whole. */
function firstChoice({ head }: Recording): number[] {
  const { signals } = head;
  const force = findForces(head)
    .slice(0, 1)
    .flatMap(({ signals: first }) => [first, first + 1, first + 2]);
  const isPort = new Set(signals.flatMap(({ name }) => (name.endsWith(".instantForce[1]") ? [owner(name)] : [])));
  const sensor = signals.findIndex(
    ({ name, description }) => !isPort.has(owner(name)) && owner(name) !== "info" && !description.includes("(on body"),
  );
  if (sensor >= 0) return [...force, sensor];
  return [...force, ...signals.flatMap(({ name }, i) => (name === "info.kineticEnergy" ? [i] : []))];
}

/** The port, sensor or group that a signal belongs to. */
const owner = (name: string) => name.slice(0, Math.max(0, name.indexOf(".")));
