/** How confusion matrices are shown. All of it is in the address. */

import { choiceCodec, textCodec, urlSignal } from "../../state/url";
import type { Window } from "./drawing";
import type { Mode, Pair, Sort } from "./matrix";

export const mode = urlSignal<Mode>("cmcells", "counts", choiceCodec("counts", "row", "column"));

export const SORTS = ["index", "name", "support", "error", "errors"] as const;

export const sort = urlSignal<Sort>("cmsort", "index", choiceCodec(...SORTS));

/** The cell that was clicked, in every matrix of its tag. */
export const pinned = urlSignal<(Pair & { tag: string }) | null>("cmpair", null, {
  parse(text) {
    const [, row, column, tag] = /^(\d+)\.(\d+)\.(.*)$/s.exec(text) ?? [];
    return tag === undefined ? undefined : { row: Number(row), column: Number(column), tag };
  },
  format: (value) => (value ? `${value.row}.${value.column}.${value.tag}` : ""),
});

/** The matrix that is shown large. */
export const opened = urlSignal<{ run: string; tag: string } | null>("cmopen", null, {
  parse(text) {
    const [run, ...tag] = text.split(":");
    return tag.length ? { run, tag: tag.join(":") } : undefined;
  },
  format: (value) => (value ? `${value.run}:${value.tag}` : ""),
});

/** The run beside it; "" for none. */
export const versus = urlSignal("cmversus", "", textCodec);

/** The part of it that is shown; null for all. */
export const part = urlSignal<Window | null>("cmpart", null, {
  parse(text) {
    const [x, y, span] = text.split("_").map(Number);
    return x >= 0 && y >= 0 && span > 0 ? { x, y, span } : undefined;
  },
  format: (value) => (value ? [value.x, value.y, value.span].map((n) => Number(n.toFixed(2))).join("_") : ""),
});

export function togglePin(tag: string, pair: Pair): void {
  const before = pinned.value;
  const isSame = before?.tag === tag && before.row === pair.row && before.column === pair.column;
  pinned.value = isSame ? null : { ...pair, tag };
}
