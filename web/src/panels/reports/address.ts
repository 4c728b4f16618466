/** The views of the board that a text names: `#scalars?card=loss` on a line of its own. */

import { decoded } from "../../state/url";

export interface View {
  panel: string;
  query: URLSearchParams;
}

/** The view that an address of this board leads to; null for any other address. */
export function viewAt(address: string): View | null {
  const found = /^#(\w+)(?:\?(\S*))?$/.exec(address);
  return found ? { panel: decoded(found[1]), query: new URLSearchParams(found[2] ?? "") } : null;
}

/** A text without the board's own address, which another board, or this one tomorrow, does not have. */
export function withoutBase(text: string, base: string): string {
  return text.replaceAll(`${base.split("#", 1)[0]}#`, "#");
}

/** A test of runs as the list of runs has it: by name, and by boxes that are checked; null if the view names none. */
export function runTest({ query }: View): ((id: string, names: readonly string[]) => boolean) | null {
  if (!["runs", "base", "except"].some((key) => query.has(key))) return null;
  const exceptions = new Set((query.get("except") ?? "").split(",").filter(Boolean).map(decoded));
  const isUsual = query.get("base") !== "none";
  const wanted = expression(query.get("runs") ?? "");
  return (id, names) =>
    isUsual !== exceptions.has(id) && (wanted === null || names.some((name) => wanted.test(name)));
}

/** A regular expression; null for one that is empty or cannot be read. */
export function expression(text: string): RegExp | null {
  try {
    return text ? new RegExp(text, "i") : null;
  } catch {
    return null;
  }
}

/** The address of a view, as Markdown shows it in a text. */
export function embedding(caption: string, panel: string, query: Record<string, string>): string {
  const address = new URLSearchParams(query).toString().replace(/[()]/g, encodeURIComponent);
  return `![${caption.replace(/[[\]\\]/g, "\\$&")}](#${panel}${address ? `?${address}` : ""})`;
}
