/**
 * The list of signals to choose from, grouped by the port or sensor they belong to; the parts of a vector in one row,
 * those of a large array folded up.
 */
import type { Head } from "../record/format";
import { element, make, tidy } from "./dom";

const ROW = 4; // parts that fit in a row

interface Item {
  words: string; // what the filter looks at
  row: HTMLElement;
  group: HTMLElement;
}

export class Chooser {
  onChoose: (signals: number[]) => void = () => {};
  private readonly boxes: HTMLInputElement[] = [];
  private readonly items: Item[] = [];

  constructor(
    private readonly head: Head,
    chosen: number[],
  ) {
    for (const [index] of head.signals.entries()) this.boxes[index] = this.makeBox(index, chosen.includes(index));
    const groups = new Map<string, Map<string, number[]>>();
    head.signals.forEach(({ name }, index) => {
      const dot = name.lastIndexOf(".");
      const group = dot > 0 ? name.slice(0, dot) : "other";
      const quantity = name.slice(dot + 1).replace(/\[.*$/, "");
      const quantities = groups.get(group) ?? new Map<string, number[]>();
      groups.set(group, quantities.set(quantity, [...(quantities.get(quantity) ?? []), index]));
    });
    for (const [name, quantities] of groups) {
      const group = make("fieldset", {}, make("legend", {}, name));
      for (const [quantity, indices] of quantities) this.addItem(group, quantity, indices);
      element("choose-list").append(group);
    }
    element("choose-filter").addEventListener("input", () => this.filter());
    for (const id of ["choose", "cut", "bodies"]) closeOutside(element<HTMLDetailsElement>(id));
  }

  private makeBox(index: number, checked: boolean): HTMLInputElement {
    const box = make("input", { type: "checkbox", checked, ariaLabel: this.head.signals[index].name });
    box.addEventListener("change", () => this.onChoose(this.boxes.flatMap((b, i) => (b.checked ? [i] : []))));
    return box;
  }

  private addItem(group: HTMLElement, quantity: string, indices: number[]): void {
    const { unit, description } = this.head.signals[indices[0]];
    const units = make("small", {}, tidy(unit));
    const parts = () =>
      make(
        "span",
        { class: "parts" },
        ...indices.map((index) => make("label", {}, this.boxes[index], partName(this.head.signals[index].name, indices.length))),
      );
    let row: HTMLElement;
    if (indices.length === 1) row = make("label", { class: "item", title: description }, this.boxes[indices[0]], quantity, units);
    else if (indices.length <= ROW) row = make("div", { class: "item", title: description }, quantity, parts(), units);
    else row = make("details", { title: description }, make("summary", {}, `${quantity} (${indices.length}) ${tidy(unit)}`), parts());
    if (indices.length === 1) units.style.marginLeft = "auto";
    group.append(row);
    const words = indices.slice(0, ROW).map((index) => `${this.head.signals[index].name} ${this.head.signals[index].description}`);
    this.items.push({ words: words.join(" ").toLowerCase(), row, group });
  }

  private filter(): void {
    const words = element<HTMLInputElement>("choose-filter").value.toLowerCase();
    for (const { words: own, row } of this.items) row.hidden = !own.includes(words);
    for (const { group } of this.items) group.hidden = ![...group.children].some((row) => row.tagName !== "LEGEND" && !(row as HTMLElement).hidden);
  }
}

/** [1] of three is x; others keep their numbers. */
function partName(name: string, count: number): string {
  const index = /\[(.*)\]$/.exec(name)?.[1] ?? "";
  return count === 3 ? ("xyz"[Number(index) - 1] ?? index) : index;
}

/** A list that opens over the page closes by a click elsewhere or by Escape. */
function closeOutside(details: HTMLDetailsElement): void {
  document.addEventListener("pointerdown", (event) => {
    if (details.open && !details.contains(event.target as Node)) details.open = false;
  });
  details.addEventListener("keydown", (event) => {
    if (event.key !== "Escape" || !details.open) return;
    details.open = false;
    details.querySelector("summary")!.focus();
    event.stopPropagation();
  });
}
