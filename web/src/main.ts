/**
 * The page of `scree view`: a recording, replayed.
 *
 *   record/   reads the data in the page, in a worker
 *   scene/    draws grains and bodies
 *   ui/       plots, legend, controls
 *   player    what time it is
 */
import * as THREE from "three";
import { Player } from "./player";
import { pumpBlocks, takeHead } from "./record/embedded";
import type { Frame, Head } from "./record/format";
import { Recording, readHead } from "./record/recording";
import { BODY_LOOKS, type BodyLook } from "./scene/bodies";
import { Stage, VIEWS } from "./scene/stage";
import { Chooser } from "./ui/choose";
import { CutControl } from "./ui/cut";
import { element, make, withUnit } from "./ui/dom";
import { listenToKeys } from "./ui/keyboard";
import { Legend } from "./ui/legend";
import { Plots } from "./ui/plots";
import { paint, ThemeSwitch } from "./ui/theme";
import { Transport } from "./ui/transport";

/** What comes after # in the address: t=1.5&play=0&color=force&theme=dark&panel=0&view=top&speed=0.5&cut=y&bodies=glass&draw=card */
const asked = new URLSearchParams(location.hash.slice(1));

class Page {
  readonly head: Head;
  readonly recording: Recording;
  readonly player: Player;
  readonly stage: Stage | null;
  readonly legend: Legend | null;
  readonly plots: Plots;
  readonly transport: Transport;
  readonly cut = new CutControl();
  readonly theme = new ThemeSwitch(asked.get("theme"));
  private view = 0;
  private framedAt = 0; // frames that the bounds are made of
  private started = false;
  private settled = false; // colour scales are those of the whole run
  private told = -1; // frame that screen readers have heard about

  constructor() {
    this.head = readHead(takeHead());
    this.recording = new Recording(this.head);
    this.player = new Player(this.recording);
    this.stage = this.openStage();
    this.player.slow = this.stage?.quality.software ?? false;
    this.legend = this.stage ? new Legend(this.head, this.stage.grains, this.stage.arrows.count > 0) : null;
    this.plots = new Plots(this.recording);
    this.transport = new Transport(this.player, this.recording);
    this.writeTitle();
    this.connect();
    this.bindKeys();
    pumpBlocks(this.recording);
    requestAnimationFrame((now) => this.turn(now));
  }

  private openStage(): Stage | null {
    try {
      return new Stage(element<HTMLCanvasElement>("canvas"), this.recording, asked.get("draw") === "card");
    } catch (error) {
      notify(`No picture: ${message(error)}. The plots work without it.`);
      element("legend").hidden = element("views").hidden = true;
      return null;
    }
  }

  private writeTitle(): void {
    const { name, description } = this.head.scene;
    document.title = `${name} · Scree`;
    element("name").textContent = name;
    element("description").textContent = description;
    element("about").textContent = `Recorded by ${this.head.program}. This page holds all its data and loads nothing from the network.`;
  }

  /* ---- wiring */

  private connect(): void {
    const { recording, player, plots, theme, legend, stage } = this;
    recording.onProblem = (text) => notify(`The recording cannot be read on: ${text}.`);
    recording.onIndex = () => this.grow();
    recording.onFrame = (frame) => legend?.notice(frame);
    recording.onRanges = (ranges) => {
      this.settled = true;
      legend?.settle(ranges);
      stage?.touch();
    };
    plots.onSeek = (time) => player.seek(time);
    const chooser = new Chooser(this.head, plots.chosen);
    chooser.onChoose = (signals) => plots.choose(signals);
    if (legend)
      legend.onMode = () => {
        if (legend.mode.channel >= 0) player.channel = legend.mode.channel;
        stage!.touch();
      };
    const applyTheme = () => {
      plots.setTheme(theme.theme);
      if (stage) paint(stage, theme.theme);
    };
    theme.onChange = applyTheme;
    applyTheme();
    element("theme-toggle").addEventListener("click", () => theme.toggle());
    element("panel-toggle").addEventListener("click", () => this.togglePanel());
    element("help-toggle").addEventListener("click", () => this.openHelp());
    for (const button of document.querySelectorAll<HTMLElement>("[data-view]"))
      button.addEventListener("click", () => stage?.look(button.dataset.view as (typeof VIEWS)[number], true));
    if (asked.get("panel") === "0" || (asked.get("panel") !== "1" && innerHeight < 420)) this.togglePanel();
    this.listBodies();
    this.connectCut();
  }

  private connectCut(): void {
    const { stage, cut, player } = this;
    cut.extent = (axis) => {
      const { min, max } = stage!.bounds;
      return { low: min.getComponent(axis), high: max.getComponent(axis), side: stage!.sideOf(axis) };
    };
    cut.onChange = (now) => (player.cut = now);
  }

  private listBodies(): void {
    const { stage } = this;
    const list = element("bodies-list");
    for (const part of stage?.bodies.parts ?? []) {
      if (!part.hasMesh) continue;
      const select = make("select", { ariaLabel: `Look of ${part.body.id}` });
      for (const look of BODY_LOOKS) select.append(make("option", { value: look }, look));
      select.addEventListener("change", () => {
        stage!.bodies.setLook(part, select.value as BodyLook);
        stage!.touch();
      });
      part.group.userData.select = select;
      list.append(make("div", { class: "body-row" }, part.body.id, select));
      element("bodies").hidden = false;
    }
  }

  private setLook(index: number, look: BodyLook): void {
    const part = this.stage!.bodies.parts[index];
    this.stage!.bodies.setLook(part, look);
    (part.group.userData.select as HTMLSelectElement).value = look;
    this.stage!.touch();
  }

  private bindKeys(): void {
    const { player, stage, legend } = this;
    const turn = 0.12;
    const move = (x: number, y: number) => (shift: boolean) =>
      shift ? stage?.pan(-60 * x, 60 * y) : stage?.turn(turn * x, turn * y);
    listenToKeys({
      " ": () => player.toggle(),
      k: () => player.toggle(),
      ArrowLeft: (shift) => player.step(shift ? -10 : -1),
      ArrowRight: (shift) => player.step(shift ? 10 : 1),
      Home: () => player.seek(this.recording.begin),
      End: () => player.seek(this.recording.stop),
      ",": () => player.changeSpeed(-1),
      ".": () => player.changeSpeed(1),
      "<": () => player.changeSpeed(-1),
      ">": () => player.changeSpeed(1),
      l: () => this.transport.toggleLoop(),
      a: move(-1, 0),
      d: move(1, 0),
      w: move(0, 1),
      s: move(0, -1),
      "+": () => stage?.zoom(1.15),
      "=": () => stage?.zoom(1.15),
      "-": () => stage?.zoom(1 / 1.15),
      _: () => stage?.zoom(1 / 1.15),
      f: () => stage?.look("home", true),
      v: () => stage?.look(VIEWS[(this.view = (this.view + 1) % VIEWS.length)], true),
      g: () => this.cycleLooks(),
      r: () => this.toggleArrows(),
      x: () => this.cut.cycle(),
      "[": () => this.cut.move(-0.02),
      "]": () => this.cut.move(0.02),
      p: () => this.togglePanel(),
      t: () => this.theme.toggle(),
      "?": () => this.openHelp(),
      h: () => this.openHelp(),
      ...Object.fromEntries(Array.from({ length: 9 }, (_, i) => [String(i + 1), () => legend?.choose(i)])),
    });
  }

  private toggleArrows(): void {
    if (!this.stage) return;
    this.stage.arrows.group.visible = !this.stage.arrows.group.visible;
    this.legend?.setArrows(this.stage.arrows.group.visible && this.stage.arrows.count > 0);
    this.stage.touch();
  }

  private cycleLooks(): void {
    const moving = this.stage?.bodies.parts.filter((part) => part.moves && part.hasMesh) ?? [];
    if (moving.length === 0) return;
    const next = BODY_LOOKS[(BODY_LOOKS.indexOf(moving[0].look) + 1) % BODY_LOOKS.length];
    for (const part of moving) this.setLook(part.index, next);
  }

  private togglePanel(): void {
    const hidden = element("app").classList.toggle("no-panel");
    element("panel-toggle").setAttribute("aria-expanded", String(!hidden));
  }

  private openHelp(): void {
    element<HTMLDialogElement>("help").showModal();
  }

  /* ---- data arrives */

  private grow(): void {
    const { recording, player } = this;
    this.transport.showLength();
    if (recording.frames === 0) {
      if (recording.complete) notify("This recording has no frames.");
      return;
    }
    this.plots.refresh();
    if (!this.started) {
      this.started = true;
      player.time = recording.begin;
      const speed = Number(asked.get("speed"));
      if (speed > 0) player.setSpeed(speed);
      const color = asked.get("color");
      if (color) this.legend?.chooseKey(color);
      const calm = matchMedia("(prefers-reduced-motion: reduce)").matches;
      const play = asked.get("play");
      if (play === "1" || (play === null && !asked.has("t") && !calm)) player.play();
    }
    const time = asked.get("t");
    if (recording.complete && time !== null) player.seek(Number(time));
  }

  /** Bounds from the grains of this frame and the ways of the bodies; the camera and the planes follow. */
  private frameScene(frame: Frame): void {
    const stage = this.stage!;
    const { recording } = this;
    const first = stage.bounds.isEmpty();
    const all = first || recording.complete;
    if (!all || this.framedAt === recording.frames) return;
    this.framedAt = recording.frames;
    const box = new THREE.Box3();
    const grains = new THREE.Box3();
    if (frame.grains > 0) {
      grains.set(new THREE.Vector3(...frame.low), new THREE.Vector3(...frame.high)).expandByScalar(frame.sizes[1]);
      box.union(grains);
    }
    const wanted = BODY_LOOKS.find((look) => look === asked.get("bodies"));
    for (const part of stage.bodies.parts) {
      if (!part.hasMesh) continue;
      const step = Math.max(1, Math.floor(recording.frames / 40));
      const own = new THREE.Box3();
      for (let i = 0; i < recording.frames; i += step) own.union(stage.bodies.boxOf(part, recording.pose(part.index, i)));
      box.union(own);
      if (first) this.setLook(part.index, wanted ?? (!part.moves && holdsGrains(own, frame) ? "glass" : "solid"));
    }
    if (box.isEmpty()) box.setFromCenterAndSize(new THREE.Vector3(), new THREE.Vector3(1, 1, 1));
    stage.bounds.copy(box);
    stage.planes.build(
      stage.bodies.planes((body) => recording.pose(body, frame.frame)),
      box,
    );
    paint(stage, this.theme.theme);
    this.legend?.setGrid(stage.planes.group.children.length > 0 ? stage.planes.spacing : 0);
    stage.arrows.setSize(box.getSize(new THREE.Vector3()).length());
    const view = asked.get("view");
    if (first || stage.framed) stage.look("home", false);
    const axis = ["x", "y", "z"].indexOf(asked.get("cut") ?? "");
    if (recording.complete && axis >= 0) this.cut.choose(String(axis));
    if (first && view && (VIEWS as readonly string[]).includes(view)) stage.look(view as (typeof VIEWS)[number], false);
  }

  /* ---- every turn */

  private turn(now: number): void {
    requestAnimationFrame((next) => this.turn(next));
    const { player, stage } = this;
    const changed = player.tick(now);
    if (stage && player.shown && (changed || stage.bounds.isEmpty())) {
      const { frame, share } = player.shown;
      this.frameScene(frame);
      stage.show(frame, share, player.playing);
    }
    stage?.tick(now);
    this.transport.show();
    this.plots.setTime(player.time, player.frame);
    if (!player.playing && player.shown) this.tell(player.frame);
  }

  /** A sentence for those who do not see the picture, when it stands still. */
  private tell(frame: number): void {
    if (frame === this.told) return;
    this.told = frame;
    const grains = this.recording.grainsIn(frame);
    const time = withUnit(this.recording.timeOf(frame), "s");
    element("summary").textContent =
      `Frame ${frame + 1} of ${this.recording.frames}, time ${time}, ${grains} grains, ` +
      `${this.legend?.describe() ?? ""}. ${this.plots.describe(frame)}`;
  }

  /** For tests and for the curious. */
  status() {
    const { player, recording, stage } = this;
    return {
      time: player.time,
      frame: player.frame,
      shown: player.shown?.frame.frame ?? -1,
      frames: recording.frames,
      complete: recording.complete,
      settled: this.settled,
      done: recording.done,
      playing: player.playing,
      buffering: player.buffering,
      speed: player.speed,
      grains: player.shown?.frame.grains ?? 0,
      drawable: player.shown?.frame.drawable ?? 0,
      drawn: stage?.grains.drawn ?? 0,
      still: stage?.still ?? true,
      pictures: stage?.pictures ?? 0,
      rate: stage?.quality.rate ?? 0,
      ratio: stage?.quality.ratio ?? 0,
      renderer: stage?.rendererName ?? "",
      camera: stage?.cameraPlace ?? [],
      color: this.legend?.mode.key ?? "",
      theme: this.theme.theme,
    };
  }
}

/** Whether some of the grains are inside a box: then what it stands for would hide them. */
function holdsGrains(box: THREE.Box3, { after, drawable }: Frame): boolean {
  const point = new THREE.Vector3();
  let inside = 0;
  for (let i = 0; i < drawable; i++) if (box.containsPoint(point.fromArray(after, 4 * i))) inside++;
  return inside > 0.05 * drawable;
}

function message(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}

function notify(text: string): void {
  const notice = element("notice");
  notice.textContent = text;
  notice.hidden = false;
}

try {
  (window as unknown as { screeView: Page }).screeView = new Page();
} catch (error) {
  notify(message(error));
}
