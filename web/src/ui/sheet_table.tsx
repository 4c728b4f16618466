/** A table of thousands of rows and hundreds of columns, of which those in view exist. The first column stays in view. */

import type { ComponentChildren } from "preact";
import { useLayoutEffect, useRef, useState } from "preact/hooks";
import "./sheet_table.css";

type Style = Record<string, string>;

/** A column in view: which it is of all, counted from 1, and where it stands. */
export interface Placed<C> {
  column: C;
  index: number;
  style: Style;
}

/** Where a row stands, and its columns in view. */
export interface RowPlace<C> {
  index: number;
  style: Style;
  visible: readonly Placed<C>[];
}

interface Props<C> {
  label: string;
  columns: readonly C[];
  widthOf: (column: C) => number;
  nameWidth: number;
  /** The width of the first column where the table itself is narrow. */
  narrowNameWidth?: number;
  rowHeight: number;
  headHeight: number;
  rowCount: number;
  /** The cells of the head. */
  head: (visible: readonly Placed<C>[]) => ComponentChildren;
  row: (row: number, place: RowPlace<C>) => ComponentChildren;
  /** What stands below the rows. */
  children?: ComponentChildren;
}

const NARROW = 600;
const MARGIN = 10;
/** Scrolled sideways in steps of so many pixels, so that scrolling by a pixel renders nothing anew. */
const STEP = 120;

/** From which to which of things at `starts` a window from `from` to `to` reaches. */
export function inView(starts: readonly number[], from: number, to: number): [number, number] {
  let first = starts.findIndex((start) => start > from) - 1;
  if (first < 0) first = starts.length && starts[starts.length - 1] <= from ? starts.length - 1 : 0;
  let last = starts.findIndex((start) => start > to);
  if (last < 0) last = starts.length;
  return [first, last];
}

interface View {
  row: number;
  count: number;
  left: number;
  right: number;
  isNarrow: boolean;
}

function viewOf(element: HTMLElement, rowHeight: number): View {
  const left = Math.floor(element.scrollLeft / STEP) * STEP;
  return {
    row: Math.max(0, Math.floor(element.scrollTop / rowHeight) - MARGIN),
    count: Math.ceil(element.clientHeight / rowHeight) + 2 * MARGIN,
    left,
    right: left + Math.ceil(element.clientWidth / STEP + 1) * STEP,
    isNarrow: element.clientWidth < NARROW,
  };
}

/** Whether what exists of the table is enough for a view. */
function isEnough(old: View, next: View): boolean {
  return (
    Math.abs(old.row - next.row) < MARGIN / 2 &&
    old.count === next.count &&
    old.left === next.left &&
    old.right === next.right &&
    old.isNarrow === next.isNarrow
  );
}

export function SheetTable<C>(props: Props<C>) {
  const { columns, widthOf, rowHeight, rowCount } = props;
  const scroller = useRef<HTMLDivElement>(null);
  const [view, setView] = useState<View>({ row: 0, count: 40, left: 0, right: 1400, isNarrow: false });
  const measure = () => {
    const element = scroller.current;
    if (!element) return;
    const next = viewOf(element, rowHeight);
    setView((old) => (isEnough(old, next) ? old : next));
  };
  useLayoutEffect(() => {
    const observer = new ResizeObserver(measure);
    observer.observe(scroller.current!);
    measure();
    return () => observer.disconnect();
  }, []);

  const nameWidth = view.isNarrow ? (props.narrowNameWidth ?? props.nameWidth) : props.nameWidth;
  const lefts: number[] = [];
  let width = nameWidth;
  for (const column of columns) {
    lefts.push(width);
    width += widthOf(column);
  }
  const [first, last] = inView(lefts, view.left, view.right);
  const visible = columns.slice(first, last).map(
    (column, i): Placed<C> => ({
      column,
      index: first + i + 2,
      style: { left: `${lefts[first + i]}px`, width: `${widthOf(column)}px` },
    }),
  );
  const begin = Math.min(view.row, Math.max(0, rowCount - 1));
  const count = Math.max(0, Math.min(view.count, rowCount - begin));
  return (
    <div
      ref={scroller}
      class="st-table"
      role="table"
      tabIndex={0}
      aria-label={props.label}
      aria-rowcount={rowCount + 1}
      aria-colcount={columns.length + 1}
      style={{
        "--name": `${nameWidth}px`,
        "--row-height": `${rowHeight}px`,
        "--head-height": `${props.headHeight}px`,
      }}
      onScroll={measure}
    >
      <div role="rowgroup" class="st-head-group">
        <div
          class="st-row st-head"
          role="row"
          tabIndex={-1}
          aria-rowindex={1}
          style={{ width: `${width}px` }}
        >
          {props.head(visible)}
        </div>
      </div>
      <div
        class="st-rows"
        role="rowgroup"
        style={{ height: `${rowCount * rowHeight}px`, width: `${width}px` }}
      >
        {Array.from({ length: count }, (_, i) =>
          props.row(begin + i, {
            index: begin + i + 2,
            style: { top: `${(begin + i) * rowHeight}px`, width: `${width}px` },
            visible,
          }),
        )}
      </div>
      {props.children}
    </div>
  );
}

interface AllBoxProps {
  label: string;
  /** How many rows are on, of how many. */
  on: number;
  total: number;
  onChange: (isOn: boolean) => void;
}

/** The check box of the head, for all rows at once. */
export function AllBox({ label, on, total, onChange }: AllBoxProps) {
  const isAll = on > 0 && on === total;
  return (
    <input
      type="checkbox"
      checked={isAll}
      aria-label={label}
      data-tip={label}
      ref={(box) => {
        if (box) box.indeterminate = on > 0 && !isAll;
      }}
      onChange={() => onChange(!isAll)}
    />
  );
}

/** The direction of a column in the words of ARIA, from what the address says: its key, with `-` before it if downwards. */
export function direction(sort: string, key: string): "ascending" | "descending" | undefined {
  return sort === key ? "ascending" : sort === `-${key}` ? "descending" : undefined;
}
