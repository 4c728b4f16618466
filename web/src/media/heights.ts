/** How high cards have to be for what is in them, so that no page is empty below a small picture or a line of text. */

import { type Signal, signal } from "@preact/signals";
import { createContext, type RefObject } from "preact";
import { useContext, useLayoutEffect, useMemo, useRef } from "preact/hooks";

/** Heights in pixels by the id of a card; a card that is not in it has the usual height. */
export type Heights = Signal<ReadonlyMap<string, number>>;

export const HeightsContext = createContext<Heights | null>(null);

export function useHeights(): Heights {
  return useMemo(() => signal<ReadonlyMap<string, number>>(new Map()), []);
}

/** The height of the highest of some cards, `usual` while one of them has not been measured; at most `most`. */
export function rowHeight(
  heights: ReadonlyMap<string, number>,
  ids: readonly string[],
  usual: number,
  most: number,
): number {
  const known = ids.map((id) => heights.get(id) ?? usual);
  return Math.min(most, Math.max(...known));
}

/** Measures the content of a card, and says how high the card would have to be to show all of it. */
export function useMeasured(id: string): {
  card: RefObject<HTMLElement | null>;
  body: RefObject<HTMLDivElement | null>;
  content: RefObject<HTMLDivElement | null>;
} {
  const heights = useContext(HeightsContext);
  const [card, body, content] = [
    useRef<HTMLElement>(null),
    useRef<HTMLDivElement>(null),
    useRef<HTMLDivElement>(null),
  ];
  useLayoutEffect(() => {
    const inner = content.current;
    if (!heights || !inner) return;
    const measure = () => {
      const [outer, box] = [card.current, body.current];
      if (!outer || !box || inner.offsetHeight === 0) return;
      const height = Math.ceil(outer.offsetHeight - box.offsetHeight + inner.offsetHeight);
      if (heights.peek().get(id) === height) return;
      heights.value = new Map(heights.peek()).set(id, height);
    };
    const observer = new ResizeObserver(measure);
    observer.observe(inner);
    measure();
    return () => observer.disconnect();
  });
  return { card, body, content };
}
