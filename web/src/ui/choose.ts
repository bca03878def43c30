/**
 * The list of signals to choose from, grouped by the port or sensor they belong to.
 */
import type { Head } from "../record/format";
import { element, make, tidy } from "./dom";

export class Chooser {
  onChoose: (signals: number[]) => void = () => {};
  private readonly boxes: HTMLInputElement[] = [];

  constructor(head: Head, chosen: number[]) {
    const list = element("choose-list");
    const groups = new Map<string, HTMLFieldSetElement>();
    head.signals.forEach(({ name, unit, description }, index) => {
      const dot = name.lastIndexOf(".");
      const group = dot > 0 ? name.slice(0, dot) : "other";
      if (!groups.has(group)) {
        groups.set(group, make("fieldset", {}, make("legend", {}, group)));
        list.append(groups.get(group)!);
      }
      const box = make("input", { type: "checkbox", checked: chosen.includes(index) });
      box.addEventListener("change", () => this.onChoose(this.boxes.flatMap((b, i) => (b.checked ? [i] : []))));
      this.boxes.push(box);
      groups.get(group)!.append(make("label", { title: description }, box, name.slice(dot + 1), make("small", {}, tidy(unit))));
    });
    const filter = element<HTMLInputElement>("choose-filter");
    filter.addEventListener("input", () => {
      const words = filter.value.toLowerCase();
      head.signals.forEach(({ name, description }, index) => {
        const label = this.boxes[index].closest("label")!;
        label.hidden = !`${name} ${description}`.toLowerCase().includes(words);
      });
      for (const group of groups.values()) group.hidden = !group.querySelector("label:not([hidden])");
    });
    closeOutside(element<HTMLDetailsElement>("choose"));
    closeOutside(element<HTMLDetailsElement>("bodies"));
  }
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
