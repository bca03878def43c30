/**
 * Light or dark: as the system says until the user says otherwise.
 */
import * as THREE from "three";
import type { Stage } from "../scene/stage";

export type Theme = "light" | "dark";

interface Palette {
  background: string;
  sky: string;
  ground: string;
  moving: string;
  resting: string;
  edge: string;
  arrow: string;
  paper: string;
  ink: string;
}

const PALETTES: Record<Theme, Palette> = {
  light: {
    background: "#e9e6e0",
    sky: "#ffffff",
    ground: "#8d867c",
    moving: "#e08a2e",
    resting: "#aab0b6",
    edge: "#3a3f45",
    arrow: "#b3123f",
    paper: "#dcd8d0",
    ink: "#8f8a80",
  },
  dark: {
    background: "#191d22",
    sky: "#f2f5fa",
    ground: "#5b6068",
    moving: "#e9913a",
    resting: "#7d868f",
    edge: "#0c0e11",
    arrow: "#ff6d8d",
    paper: "#22272d",
    ink: "#4a525b",
  },
};

export class ThemeSwitch {
  onChange: (theme: Theme) => void = () => {};
  private chosen: Theme | null = null;
  private readonly system = matchMedia("(prefers-color-scheme: dark)");

  constructor(chosen: string | null) {
    if (chosen === "light" || chosen === "dark") this.chosen = chosen;
    this.system.addEventListener("change", () => this.apply());
    this.apply();
  }

  get theme(): Theme {
    return this.chosen ?? (this.system.matches ? "dark" : "light");
  }

  toggle(): void {
    this.chosen = this.theme === "dark" ? "light" : "dark";
    this.apply();
  }

  private apply(): void {
    document.documentElement.dataset.theme = this.theme;
    this.onChange(this.theme);
  }
}

export function paint(stage: Stage, theme: Theme): void {
  const p = PALETTES[theme];
  const color = (text: string) => new THREE.Color(text);
  stage.setBackground(color(p.background), color(p.sky), color(p.ground));
  stage.bodies.setStyle({ moving: color(p.moving), resting: color(p.resting), edge: color(p.edge) });
  stage.arrows.setColor(color(p.arrow));
  // The planes' shader writes what it is given: colours as on the screen.
  const raw = (text: string) => new THREE.Color().setStyle(text, THREE.LinearSRGBColorSpace);
  stage.planes.setStyle({ paper: raw(p.paper), ink: raw(p.ink) });
  stage.touch();
}
