/**
 * Keys, for the whole page. Those that a focused control needs itself are left to it.
 */

export type Keys = Record<string, (shift: boolean) => void>;

/** Names are those of KeyboardEvent.key, letters in lower case. */
export function listenToKeys(keys: Keys): void {
  document.addEventListener("keydown", (event) => {
    if (event.ctrlKey || event.metaKey || event.altKey || event.defaultPrevented) return;
    const target = event.target as HTMLElement;
    const name = event.key.length === 1 ? event.key.toLowerCase() : event.key;
    if (document.querySelector("dialog[open]")) return;
    if (belongsTo(target, name)) return;
    const act = keys[name];
    if (!act) return;
    event.preventDefault();
    act(event.shiftKey);
  });
}

function belongsTo(target: HTMLElement, key: string): boolean {
  if (target instanceof HTMLInputElement && target.type !== "range") return target.type !== "checkbox" || key === " ";
  if (target instanceof HTMLSelectElement) return true;
  if (target instanceof HTMLButtonElement || target.tagName === "SUMMARY") return key === " " || key === "Enter";
  return false;
}
