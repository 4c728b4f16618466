/** A long list of rows of known height, of which only those in view exist. */

import type { ComponentChildren } from "preact";
import { useLayoutEffect, useRef, useState } from "preact/hooks";
import "./virtual.css";

export interface VirtualRow {
  key: string;
  height: number;
  render: () => ComponentChildren;
}

interface Props {
  rows: readonly VirtualRow[];
  class?: string;
  /** Names the rows as a list to screen readers; without it, they are a part of the page like any other. */
  listLabel?: string;
  /** Pixels above and below the view that exist already. */
  margin?: number;
}

export function Virtual({ rows, class: extra = "", listLabel, margin = 400 }: Props) {
  const scroller = useRef<HTMLDivElement>(null);
  const anchor = useRef({ key: "", offset: 0 });
  const [view, setView] = useState({ top: 0, height: 1000 });

  const tops: number[] = [];
  let total = 0;
  for (const row of rows) {
    tops.push(total);
    total += row.height;
  }
  const first = Math.max(0, firstAfter(tops, view.top - margin) - 1);
  const last = firstAfter(tops, view.top + view.height + margin);

  const remember = (element: HTMLElement) => {
    const index = Math.max(0, firstAfter(tops, element.scrollTop + 0.5) - 1);
    anchor.current = { key: rows[index]?.key ?? "", offset: element.scrollTop - (tops[index] ?? 0) };
  };

  // Rows that come or go above the view must not move what the user is looking at.
  const layout = rows.map((row) => `${row.key}:${row.height}`).join("\n");
  useLayoutEffect(() => {
    const element = scroller.current;
    if (!element || element.scrollTop === 0) return;
    const index = rows.findIndex((row) => row.key === anchor.current.key);
    if (index >= 0) element.scrollTop = tops[index] + anchor.current.offset;
  }, [layout]);

  useLayoutEffect(() => {
    const element = scroller.current!;
    const measure = () => setView({ top: element.scrollTop, height: element.clientHeight });
    const observer = new ResizeObserver(measure);
    observer.observe(element);
    measure();
    return () => observer.disconnect();
  }, []);

  return (
    <div
      ref={scroller}
      class={`virtual ${extra}`}
      onScroll={(event) => {
        remember(event.currentTarget);
        setView({ top: event.currentTarget.scrollTop, height: event.currentTarget.clientHeight });
      }}
    >
      <div
        class="virtual-rows"
        {...(listLabel ? { role: "list", "aria-label": listLabel } : {})}
        style={{ height: `${total}px` }}
      >
        {rows.slice(first, last).map((row, i) => (
          <div
            key={row.key}
            class="virtual-row"
            role={listLabel ? "none" : undefined}
            style={{ top: `${tops[first + i]}px`, height: `${row.height}px` }}
          >
            {row.render()}
          </div>
        ))}
      </div>
    </div>
  );
}

function firstAfter(tops: readonly number[], at: number): number {
  let low = 0;
  let high = tops.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if (tops[middle] <= at) low = middle + 1;
    else high = middle;
  }
  return low;
}
