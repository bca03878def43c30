/** Small helpers for the page's elements. */

export function element<T extends HTMLElement = HTMLElement>(id: string): T {
  const found = document.getElementById(id);
  if (!found) throw new Error(`the page has no element ${id}`);
  return found as T;
}

export function make<K extends keyof HTMLElementTagNameMap>(
  tag: K,
  properties: Partial<HTMLElementTagNameMap[K]> & { class?: string } = {},
  ...children: (Node | string)[]
): HTMLElementTagNameMap[K] {
  const made = document.createElement(tag);
  const { class: name, ...rest } = properties;
  if (name) made.className = name;
  Object.assign(made, rest);
  made.append(...children);
  return made;
}

const PREFIXES: [number, string][] = [
  [1e9, "G"],
  [1e6, "M"],
  [1e3, "k"],
  [1, ""],
  [1e-3, "m"],
  [1e-6, "µ"],
  [1e-9, "n"],
];

/** A number as people write it: three digits, no exponents where they can be helped. */
export function plain(value: number): string {
  if (!Number.isFinite(value)) return "–";
  if (value === 0) return "0";
  const size = Math.abs(value);
  if (size >= 1e6 || size < 1e-4) return value.toExponential(2).replace("-", "−").replace("e+", "e");
  const digits = Math.max(0, 2 - Math.floor(Math.log10(size)));
  return value.toFixed(Math.min(6, digits)).replace("-", "−");
}

/** A round number, as on a scale: no zeros at its end. */
export function short(value: number): string {
  const size = Math.abs(value);
  if (size !== 0 && (size >= 1e6 || size < 1e-4)) return value.toExponential(0).replace("-", "−").replace("e+", "e");
  return String(Number(value.toPrecision(6))).replace("-", "−");
}

/** 1, 2 or 5 times a power of ten, not above a value. */
export function roundDown(value: number): number {
  const power = 10 ** Math.floor(Math.log10(value));
  const digit = value / power;
  return (digit >= 5 ? 5 : digit >= 2 ? 2 : 1) * power;
}

/** With a prefix to the unit: 1.2 kN, 350 mm/s. Units that are no names of quantities (1, kg) stay as they are. */
export function withUnit(value: number, unit: string): string {
  if (unit === "1" || unit === "") return plain(value);
  if (!Number.isFinite(value) || value === 0 || /^(kg|s|rad|K)/.test(unit)) return `${plain(value)} ${tidy(unit)}`;
  const size = Math.abs(value);
  const [scale, prefix] = PREFIXES.find(([least]) => size >= 0.9995 * least) ?? PREFIXES[PREFIXES.length - 1];
  return `${plain(value / scale)} ${prefix}${tidy(unit)}`;
}

/** Units of the FMI as people write them. */
export function tidy(unit: string): string {
  return unit === "1"
    ? ""
    : unit
        .replace(/\./g, " ")
        .replace(/([a-zA-Z])2\b/g, "$1²")
        .replace(/([a-zA-Z])3\b/g, "$1³");
}
