/** Long names in little room: those of runs are alike at their beginning and differ at their end, so neither may be cut off. */

import "./names.css";

const KEPT = 12;
const [LEAST_KEPT, MOST_KEPT] = [8, 20];

/** The beginning, which is cut first, and the end of a name: `kept` letters, where more than `least` are left. */
export function nameParts(text: string, kept = KEPT, least = LEAST_KEPT): [head: string, tail: string] {
  const letters = [...text];
  if (letters.length <= kept + least) return [text, ""];
  return [letters.slice(0, -kept).join(""), letters.slice(-kept).join("")];
}

/** How many letters the last part of a path has, as far as a name of it should be kept. */
export function lastLetters(name: string): number {
  return Math.min(MOST_KEPT, [...name.slice(name.lastIndexOf("/") + 1)].length);
}

/** How many letters at the end of each of these names set it apart from the others. */
export function keptLetters(names: readonly string[]): number[] {
  // As far as the last word all have: half a number says nothing.
  const shared = names.length > 1 ? names.reduce(sharedBeginning).replace(/[^-_/\s,;:]*$/, "") : "";
  return names.map((name) =>
    shared.length < LEAST_KEPT
      ? KEPT
      : Math.max(LEAST_KEPT, Math.min(MOST_KEPT, [...name.slice(shared.length)].length)),
  );
}

/** The folders that all of these names begin with, up to the slash after them. */
export function sharedFolder(names: readonly string[]): string {
  return names.length > 1 ? names.reduce(sharedBeginning).replace(/[^/]*$/, "") : "";
}

const fitted = new Map<string, string>();
const MOST_FITTED = 10_000;
const LONGEST = 200;

/** A name for a canvas, cut in its middle where it is wider than this. Measuring is slow, and names stay the same. */
export function fittedName(context: CanvasRenderingContext2D, name: string, width: number): string {
  const key = `${context.font}\n${width}\n${name}`;
  let found = fitted.get(key);
  if (found === undefined) {
    if (fitted.size >= MOST_FITTED) fitted.clear();
    found = cut(context, name, width);
    fitted.set(key, found);
  }
  return found;
}

function cut(context: CanvasRenderingContext2D, name: string, width: number): string {
  const letters = [...name];
  const shortened = (count: number) =>
    `${letters.slice(0, Math.ceil(count / 2)).join("")}…${letters.slice(letters.length - Math.floor(count / 2)).join("")}`;
  if (letters.length <= LONGEST && context.measureText(name).width <= width) return name;
  let count = Math.min(letters.length - 1, LONGEST);
  while (count > 1 && context.measureText(shortened(count)).width > width) count--;
  return shortened(count);
}

function sharedBeginning(a: string, b: string): string {
  let length = 0;
  while (length < a.length && a[length] === b[length]) length++;
  return a.slice(0, length);
}

/** A name as an element, where there is no framework. */
export function nameElement(text: string, kept?: number): HTMLElement {
  const made = document.createElement("span");
  made.className = "name";
  for (const [i, part] of nameParts(text, kept).entries()) {
    if (!part) continue;
    const piece = document.createElement("span");
    piece.className = i === 0 ? "name-head" : "name-tail";
    piece.textContent = part;
    made.append(piece);
  }
  return made;
}
