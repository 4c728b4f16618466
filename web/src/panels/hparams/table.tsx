/** The table of sessions: hparams, then metrics. Of its rows and columns only those in view exist. */

import { computed } from "@preact/signals";
import { useLayoutEffect, useRef, useState } from "preact/hooks";
import type { SessionGroup } from "../../api/schema";
import { sharedFolder } from "../../chart/names";
import { runs } from "../../state/board";
import { colorOf, label, setChecked } from "../../state/runs";
import { Menu, Notice } from "../../ui/controls";
import { Name } from "../../ui/name";
import { type Column, NAME, STATUS } from "./columns";
import { FilterFields } from "./filter_fields";
import { hovered } from "./hover";
import { conditions, kept } from "./narrowing";
import { columns, groups, runOf } from "./sessions";
import { isOn, rows, shown, sort, sortBy, titleOf } from "./state";
import { t } from "./words";

const ROW = 28;
const NAME_WIDTH = 232;
const WIDTHS = { number: 104, text: 132, wide: 168 };
const MARGIN = 10;

function widthOf(column: Column): number {
  if (column.key === "s:started") return WIDTHS.wide;
  const usual = column.isNumber || column.key === STATUS ? WIDTHS.number : WIDTHS.text;
  return Math.max(usual, Math.min(WIDTHS.wide, 48 + 7 * titleOf(column).length));
}

/** From which to which of things at `starts` a window from `from` to `to` reaches. */
function inView(starts: readonly number[], from: number, to: number): [number, number] {
  let first = starts.findIndex((start) => start > from) - 1;
  if (first < 0) first = starts.length && starts[starts.length - 1] <= from ? starts.length - 1 : 0;
  let last = starts.findIndex((start) => start > to);
  if (last < 0) last = starts.length;
  return [first, last];
}

export function SessionTable() {
  const scroller = useRef<HTMLDivElement>(null);
  const [view, setView] = useState({ row: 0, count: 40, left: 0, right: 1400 });
  const list = rows.value;
  const all = shown.value;
  const lefts: number[] = [];
  let width = NAME_WIDTH;
  for (const column of all) {
    lefts.push(width);
    width += widthOf(column);
  }

  const measure = () => {
    const element = scroller.current;
    if (!element) return;
    const row = Math.max(0, Math.floor(element.scrollTop / ROW) - MARGIN);
    const count = Math.ceil(element.clientHeight / ROW) + 2 * MARGIN;
    // In steps, so that scrolling by a pixel renders nothing anew.
    const left = Math.floor(element.scrollLeft / WIDTHS.text) * WIDTHS.text;
    const right = left + Math.ceil(element.clientWidth / WIDTHS.text + 1) * WIDTHS.text;
    setView((old) =>
      Math.abs(old.row - row) < MARGIN / 2 && old.count === count && old.left === left && old.right === right
        ? old
        : { row, count, left, right },
    );
  };
  useLayoutEffect(() => {
    const observer = new ResizeObserver(measure);
    observer.observe(scroller.current!);
    measure();
    return () => observer.disconnect();
  }, []);

  const [first, last] = inView(lefts, view.left, view.right);
  const visible = all.slice(first, last).map((column, i) => ({
    column,
    index: first + i + 2,
    style: { left: `${lefts[first + i]}px`, width: `${widthOf(column)}px` },
  }));
  const begin = Math.min(view.row, Math.max(0, list.length - 1));
  return (
    <div
      ref={scroller}
      class="hp-table"
      role="table"
      tabIndex={0}
      aria-label={t("table")}
      aria-rowcount={list.length + 1}
      aria-colcount={all.length + 1}
      onScroll={measure}
    >
      <div role="rowgroup" class="hp-head-group">
        <div
          class="hp-row hp-head"
          role="row"
          tabIndex={-1}
          aria-rowindex={1}
          style={{ width: `${width}px` }}
        >
          <NameHead />
          {visible.map(({ column, index, style }) => (
            <Head key={column.key} column={column} index={index} style={style} />
          ))}
        </div>
      </div>
      <div class="hp-rows" role="rowgroup" style={{ height: `${list.length * ROW}px`, width: `${width}px` }}>
        {list.slice(begin, begin + view.count).map((row, i) => (
          <div
            key={groups.value[row].name}
            class={`hp-row ${isOn(row) ? "" : "is-off"} ${hovered.value === row ? "is-hovered" : ""}`}
            role="row"
            tabIndex={-1}
            aria-rowindex={begin + i + 2}
            style={{ top: `${(begin + i) * ROW}px`, width: `${width}px` }}
            onPointerEnter={() => (hovered.value = row)}
            onPointerLeave={() => (hovered.value = null)}
          >
            <NameCell row={row} />
            {visible.map(({ column, index, style }) => (
              <div
                key={column.key}
                class={`hp-cell ${column.isNumber ? "is-number" : ""}`}
                role="cell"
                aria-colindex={index}
                style={style}
              >
                {cellText(column, row)}
              </div>
            ))}
          </div>
        ))}
      </div>
      {list.length === 0 && <Notice title={t("noMatch")} />}
    </div>
  );
}

function cellText(column: Column, row: number): string {
  const text = column.text(row);
  return column.key === STATUS ? t(text as "success") : text || "–";
}

/** All of the rows on or off, and their names, which sort. */
function NameHead() {
  const names = columns.value.find((column) => column.key === NAME);
  const on = kept.value.filter(isOn).length;
  const isAll = on > 0 && on === kept.value.length;
  return (
    <div
      class="hp-cell hp-name"
      role="columnheader"
      tabIndex={-1}
      aria-colindex={1}
      aria-sort={direction(NAME)}
    >
      <input
        type="checkbox"
        checked={isAll}
        aria-label={t("toggleAll")}
        data-tip={t("toggleAll")}
        ref={(box) => {
          if (box) box.indeterminate = on > 0 && !isAll;
        }}
        onChange={() =>
          setChecked(
            kept.value.flatMap((row) => groups.value[row].runs),
            !isAll,
          )
        }
      />
      {names && <HeadButtons column={names} />}
    </div>
  );
}

function direction(key: string): "ascending" | "descending" | undefined {
  return sort.value === key ? "ascending" : sort.value === `-${key}` ? "descending" : undefined;
}

interface HeadProps {
  column: Column;
  index: number;
  style: Record<string, string>;
}

function Head({ column, index, style }: HeadProps) {
  return (
    <div
      class={`hp-cell ${column.isNumber ? "is-number" : ""} ${column.role === "metric" ? "is-metric" : ""}`}
      role="columnheader"
      tabIndex={-1}
      aria-colindex={index}
      aria-sort={direction(column.key)}
      style={style}
    >
      <HeadButtons column={column} />
    </div>
  );
}

function HeadButtons({ column }: { column: Column }) {
  const name = titleOf(column);
  const sorted = direction(column.key);
  const isFiltered = conditions.value.has(column.key);
  return (
    <>
      <button
        type="button"
        class="hp-sort"
        data-tip={`${t("sort", { name })}${column.tip && column.tip !== name ? ` (${column.tip})` : ""}`}
        onClick={() => sortBy(column.key)}
      >
        <span class="hp-title">{name}</span>
        {sorted && <span aria-hidden="true">{sorted === "descending" ? "↓" : "↑"}</span>}
      </button>
      <Menu
        icon="sliders"
        tip={t("filterColumn", { name })}
        isPressed={isFiltered}
        class={`hp-filter ${isFiltered ? "is-used" : ""}`}
      >
        {() => (
          <>
            <p class="sheet-title">{name}</p>
            <FilterFields column={column} />
          </>
        )}
      </Menu>
    </>
  );
}

const folder = computed(() => sharedFolder(groups.value.map(nameOf)));

function nameOf(group: SessionGroup): string {
  const run = runOf(group);
  return run ? label(run) : group.sessions[0];
}

/** The name of a session, with a check box in its colour that puts its runs into the charts. */
function NameCell({ row }: { row: number }) {
  const group = groups.value[row];
  const run = runOf(group);
  const name = nameOf(group);
  const more = group.sessions.length - 1;
  return (
    <div class="hp-cell hp-name" role="cell" aria-colindex={1}>
      <input
        type="checkbox"
        class="color-box"
        style={{ "--run": run ? colorOf(run) : "var(--text-3)" }}
        checked={isOn(row)}
        aria-label={t("toggle", { name })}
        data-tip={t("toggle", { name })}
        onChange={(event) => setChecked(group.runs, event.currentTarget.checked)}
      />
      <span class="hp-title" data-tip={more > 0 ? group.sessions.slice(0, 20).join(" · ") : name}>
        <Name text={name.slice(folder.value.length)} />
      </span>
      {more > 0 && (
        <span class="run-count" data-tip={t("sessions", { n: more + 1 })}>
          +{more}
        </span>
      )}
      {group.runs.some((id) => runs.value.get(id)?.live) && (
        <span class="live-mark" role="img" aria-label={t("running")} data-tip={t("running")} />
      )}
    </div>
  );
}
