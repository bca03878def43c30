/**
 * Colours. The map for quantities runs through OKLab with evenly rising lightness, so that equal steps look equal and
 * the order stays readable without seeing hue; its dark end is light enough for shading to show on it. Materials get
 * well separated hues of differing lightness.
 */

export type Rgb = [number, number, number]; // sRGB, 0 to 1

/** OKLCh (lightness 0 to 1, chroma, hue in degrees) → sRGB, chroma reduced until it fits. */
export function fromOklch(lightness: number, chroma: number, hue: number): Rgb {
  for (let c = chroma; ; c -= 0.004) {
    const a = Math.max(0, c) * Math.cos((hue * Math.PI) / 180);
    const b = Math.max(0, c) * Math.sin((hue * Math.PI) / 180);
    const linear = oklabToLinear(lightness, a, b);
    if (c <= 0 || linear.every((v) => v >= -1e-4 && v <= 1.0001)) return linear.map(encode) as Rgb;
  }
}

function oklabToLinear(lightness: number, a: number, b: number): Rgb {
  const l = (lightness + 0.3963377774 * a + 0.2158037573 * b) ** 3;
  const m = (lightness - 0.1055613458 * a - 0.0638541728 * b) ** 3;
  const s = (lightness - 0.0894841775 * a - 1.291485548 * b) ** 3;
  return [
    4.0767416621 * l - 3.3077115913 * m + 0.2309699292 * s,
    -1.2684380046 * l + 2.6097574011 * m - 0.3413193965 * s,
    -0.0041960863 * l - 0.7034186147 * m + 1.707614701 * s,
  ];
}

function encode(value: number): number {
  const v = Math.min(1, Math.max(0, value));
  return v <= 0.0031308 ? 12.92 * v : 1.055 * v ** (1 / 2.4) - 0.055;
}

/** sRGB → linear light. */
export function decode(value: number): number {
  return value <= 0.04045 ? value / 12.92 : ((value + 0.055) / 1.055) ** 2.4;
}

export const css = ([r, g, b]: Rgb) => `rgb(${[r, g, b].map((v) => Math.round(255 * v)).join(" ")})`;

/** Stops of the map: place, chroma, hue. Lightness is linear in the place. */
const STOPS: [number, number, number][] = [
  [0.0, 0.085, 272],
  [0.22, 0.105, 245],
  [0.45, 0.1, 200],
  [0.65, 0.12, 160],
  [0.83, 0.16, 115],
  [1.0, 0.17, 96],
];
const DARKEST = 0.4;
const LIGHTEST = 0.93;

/** The map for quantities, 0 to 1. */
export function mapColor(place: number): Rgb {
  const p = Math.min(1, Math.max(0, place));
  let i = 0;
  while (i < STOPS.length - 2 && p > STOPS[i + 1][0]) i++;
  const [p0, c0, h0] = STOPS[i];
  const [p1, c1, h1] = STOPS[i + 1];
  const t = (p - p0) / (p1 - p0);
  return fromOklch(DARKEST + (LIGHTEST - DARKEST) * p, c0 + (c1 - c0) * t, h0 + (h1 - h0) * t);
}

/** Kinds: the first is the colour of sand, which most beds are; the others keep apart in hue and in lightness. */
const KINDS: [number, number, number][] = [
  [0.76, 0.075, 80],
  [0.55, 0.1, 250],
  [0.66, 0.13, 40],
  [0.78, 0.1, 165],
  [0.5, 0.11, 325],
  [0.85, 0.12, 105],
  [0.62, 0.1, 205],
  [0.45, 0.08, 145],
];

export function kindColor(kind: number): Rgb {
  const [l, c, h] = KINDS[((kind % KINDS.length) + KINDS.length) % KINDS.length];
  return fromOklch(l, c, h);
}

export const KIND_COUNT = KINDS.length;

/** Colours of curves: readable on both themes, apart in lightness too. */
export function curveColor(index: number, dark: boolean): string {
  const hues = [255, 40, 155, 325, 95, 200];
  const lightness = dark ? [0.72, 0.74, 0.8, 0.7, 0.86, 0.78] : [0.5, 0.58, 0.6, 0.52, 0.66, 0.58];
  const i = index % hues.length;
  return css(fromOklch(lightness[i], 0.14, hues[i]));
}
