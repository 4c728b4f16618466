/** The table of runs. Of its rows and columns only those in view exist. */

import { computed } from "@preact/signals";
import { useLayoutEffect, useRef, useState } from "preact/hooks";
import { lastLetters, sharedFolder } from "../../chart/names";
import { RunMenu } from "../../runs/run_menu";
import { changeRun, runs, settings } from "../../state/board";
import { openedRun } from "../../state/opened";
import { baseline, checkOnly, colorOf, colorOfGroup, groupBy, setChecked } from "../../state/runs";
import { Item, Menu, Notice } from "../../ui/controls";
import { Icon } from "../../ui/icon";
import { Name } from "../../ui/name";
import { type Better, setBetter } from "./better";
import type { Column } from "./columns";
import { rows } from "./data";
import { columns, nameOf } from "./narrowing";
import * as state from "./state";
import { standingTip, t } from "./words";

const ROW = 30;
const NAME_WIDTH = 260;
const NARROW_NAME_WIDTH = 188;
const NARROW = 600;
const WIDTHS = { number: 96, text: 120, wide: 168, widest: 216 };
const SPREAD_WIDTH = 40;
const MARGIN = 10;

function widthOf(column: Column): number {
  if (column.name === "started" || column.name === "note") return WIDTHS.wide;
  const usual = column.isNumber ? WIDTHS.number + (groupBy.value ? SPREAD_WIDTH : 0) : WIDTHS.text;
  return Math.max(usual, Math.min(WIDTHS.widest, 52 + 7 * state.titleOf(column).length));
}

/** From which to which of things at `starts` a window from `from` to `to` reaches. */
function inView(starts: readonly number[], from: number, to: number): [number, number] {
  let first = starts.findIndex((start) => start > from) - 1;
  if (first < 0) first = starts.length && starts[starts.length - 1] <= from ? starts.length - 1 : 0;
  let last = starts.findIndex((start) => start > to);
  if (last < 0) last = starts.length;
  return [first, last];
}

interface Placed {
  column: Column;
  index: number;
  style: Record<string, string>;
}

export function RunsTable() {
  const scroller = useRef<HTMLDivElement>(null);
  const [view, setView] = useState({ row: 0, count: 40, left: 0, right: 1400, isNarrow: false });
  const list = state.lines.value;
  const all = state.shown.value;
  const nameWidth = view.isNarrow ? NARROW_NAME_WIDTH : NAME_WIDTH;
  const lefts: number[] = [];
  let width = nameWidth;
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
    const isNarrow = element.clientWidth < NARROW;
    setView((old) =>
      Math.abs(old.row - row) < MARGIN / 2 &&
      old.count === count &&
      old.left === left &&
      old.right === right &&
      old.isNarrow === isNarrow
        ? old
        : { row, count, left, right, isNarrow },
    );
  };
  useLayoutEffect(() => {
    const observer = new ResizeObserver(measure);
    observer.observe(scroller.current!);
    measure();
    return () => observer.disconnect();
  }, []);

  const [first, last] = inView(lefts, view.left, view.right);
  const visible = all.slice(first, last).map(
    (column, i): Placed => ({
      column,
      index: first + i + 2,
      style: { left: `${lefts[first + i]}px`, width: `${widthOf(column)}px` },
    }),
  );
  const begin = Math.min(view.row, Math.max(0, list.length - 1));
  return (
    <div
      ref={scroller}
      class="rt-table"
      role="table"
      tabIndex={0}
      aria-label={t("table")}
      aria-rowcount={list.length + 1}
      aria-colcount={all.length + 1}
      style={{ "--name": `${nameWidth}px` }}
      onScroll={measure}
    >
      <div role="rowgroup" class="rt-head-group">
        <div
          class="rt-row rt-head"
          role="row"
          tabIndex={-1}
          aria-rowindex={1}
          style={{ width: `${width}px` }}
        >
          <NameHead />
          {visible.map((placed) => (
            <Head key={placed.column.key} {...placed} />
          ))}
        </div>
      </div>
      <div class="rt-rows" role="rowgroup" style={{ height: `${list.length * ROW}px`, width: `${width}px` }}>
        {list.slice(begin, begin + view.count).map((line, i) => {
          const place = {
            index: begin + i + 2,
            style: { top: `${(begin + i) * ROW}px`, width: `${width}px` },
            visible,
          };
          return line.kind === "group" ? (
            <GroupRow key={`group ${line.name}`} line={line} {...place} />
          ) : (
            <RunRow key={rows.value[line.row].id} row={line.row} {...place} />
          );
        })}
      </div>
      {list.length === 0 && <Notice title={t("noMatch")} />}
    </div>
  );
}

/** All of the rows in the charts or none of them, and their names, which sort. */
function NameHead() {
  const names = columns.value.find((column) => column.key === state.NAME);
  const on = state.chosen.value.length;
  const isAll = on > 0 && on === state.listed.value.length;
  return (
    <div
      class="rt-cell rt-name"
      role="columnheader"
      tabIndex={-1}
      aria-colindex={1}
      aria-sort={names && state.direction(names)}
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
            state.listed.value.flatMap((row) => rows.value[row].runs),
            !isAll,
          )
        }
      />
      {names && <SortButton column={names} />}
    </div>
  );
}

function Head({ column, index, style }: Placed) {
  const [isTarget, setTarget] = useState(false);
  return (
    <div
      class={`rt-cell ${column.isNumber ? "is-number" : ""} ${isTarget ? "is-target" : ""}`}
      role="columnheader"
      tabIndex={-1}
      aria-colindex={index}
      aria-sort={state.direction(column)}
      style={style}
      draggable
      onDragStart={(event) => event.dataTransfer?.setData("text/column", column.key)}
      onDragOver={(event) => {
        if (!event.dataTransfer?.types.includes("text/column")) return;
        event.preventDefault();
        setTarget(true);
      }}
      onDragLeave={() => setTarget(false)}
      onDrop={(event) => {
        setTarget(false);
        const key = event.dataTransfer?.getData("text/column");
        if (key) state.moveTo(key, column.key);
      }}
    >
      <SortButton column={column} />
      <HeadMenu column={column} />
    </div>
  );
}

function SortButton({ column }: { column: Column }) {
  const name = state.fullTitleOf(column);
  const sorted = state.direction(column);
  const stat = state.statOf(column);
  return (
    <button type="button" class="rt-sort" data-tip={t("sort", { name })} onClick={() => state.sortBy(column)}>
      <span class="rt-titles">
        <span class="rt-title">{state.titleOf(column)}</span> {stat && <span class="rt-stat">{stat}</span>}
      </span>
      {sorted && <span aria-hidden="true">{sorted === "descending" ? "↓" : "↑"}</span>}
    </button>
  );
}

/** What else can be done with a column: its place, and which end of it is the good one. */
function HeadMenu({ column }: { column: Column }) {
  const name = state.fullTitleOf(column);
  const { scalar, better } = column;
  const choose = (value: Better, text: string, close: () => void) =>
    scalar && (
      <Item
        icon={better === value ? "check" : undefined}
        tip={t("betterTip", { name: scalar })}
        onClick={() => {
          setBetter(scalar, value);
          close();
        }}
      >
        {text}
      </Item>
    );
  return (
    <Menu icon="sliders" tip={t("column", { name })} class="rt-more">
      {(close) => (
        <>
          <p class="sheet-title">{name}</p>
          {better && choose("less", t("lessBetter"), close)}
          {better && choose("more", t("moreBetter"), close)}
          <Item tip={t("left")} onClick={() => state.moveBy(column, -1)}>
            {t("left")}
          </Item>
          <Item tip={t("right")} onClick={() => state.moveBy(column, 1)}>
            {t("right")}
          </Item>
          <Item
            icon="close"
            tip={t("hideColumn")}
            onClick={() => {
              close();
              state.toggle([column.key]);
            }}
          >
            {t("hideColumn")}
          </Item>
        </>
      )}
    </Menu>
  );
}

interface RowPlace {
  index: number;
  style: Record<string, string>;
  visible: readonly Placed[];
}

function GroupRow({ line, index, style, visible }: RowPlace & { line: state.GroupLine }) {
  const { name, members, isOpen } = line;
  const ids = members.flatMap((row) => rows.value[row].runs);
  const on = members.filter(state.isOn).length;
  const fold = () => {
    const next = new Set(state.closedGroups.value);
    if (!next.delete(name)) next.add(name);
    state.closedGroups.value = next;
  };
  return (
    <div class="rt-row is-group" role="row" tabIndex={-1} aria-rowindex={index} style={style}>
      <div class="rt-cell rt-name" role="rowheader" tabIndex={-1} aria-colindex={1}>
        <button
          type="button"
          class="fold"
          aria-expanded={isOpen}
          aria-label={t("fold", { name })}
          data-tip={t("fold", { name })}
          onClick={fold}
        >
          <Icon name="chevron" />
        </button>
        <input
          type="checkbox"
          class="color-box"
          style={{ "--run": colorOfGroup(name) }}
          checked={on === members.length}
          aria-label={t("toggle", { name })}
          data-tip={t("toggle", { name })}
          ref={(box) => {
            if (box) box.indeterminate = on > 0 && on < members.length;
          }}
          onChange={(event) => setChecked(ids, event.currentTarget.checked)}
        />
        <span class="rt-title" data-tip={name}>
          <Name text={name} />
        </span>
        <span class="run-count" data-tip={t("members", { n: members.length })}>
          {members.length}
        </span>
      </div>
      {visible.map(({ column, index: at, style: placed }) => (
        <div
          key={column.key}
          class={`rt-cell ${column.isNumber ? "is-number" : ""}`}
          role="cell"
          tabIndex={-1}
          aria-colindex={at}
          style={placed}
        >
          <GroupCell column={column} members={members} />
        </div>
      ))}
    </div>
  );
}

function GroupCell({ column, members }: { column: Column; members: readonly number[] }) {
  if (!column.isNumber || column.name === "started") {
    const texts = new Set(members.map(column.text));
    return <>{texts.size === 1 ? [...texts][0] || "–" : ""}</>;
  }
  const spread = state.spreadOf(column, members);
  if (!spread) return <>–</>;
  const { mean, deviation, count } = spread;
  return (
    <span data-tip={t("spread", { n: count })}>
      {state.shownAs(column, mean)}
      {/* What arithmetic leaves of equal numbers is no spread. */}
      {deviation > 1e-9 * Math.abs(mean) && (
        <span class="rt-spread"> ±{state.shownAs(column, Number(deviation.toPrecision(2)), 2)}</span>
      )}
    </span>
  );
}

function RunRow({ row, index, style, visible }: RowPlace & { row: number }) {
  const isOn = state.isOn(row);
  return (
    <div
      class={`rt-row ${isOn ? "" : "is-off"} ${state.isOnTop(row) ? "is-on-top" : ""}`}
      role="row"
      tabIndex={-1}
      aria-rowindex={index}
      style={style}
    >
      <NameCell row={row} />
      {visible.map(({ column, index: at, style: placed }) => (
        <ValueCell key={column.key} column={column} row={row} index={at} style={placed} />
      ))}
    </div>
  );
}

function ValueCell({ column, row, index, style }: Placed & { row: number }) {
  const text = column.text(row);
  const share = state.isShaded.value ? state.shareOf(column, row) : Number.NaN;
  const shade = Number.isNaN(share) ? {} : { "--share": share.toFixed(3) };
  const isBest = state.isBest(column, row);
  return (
    <div
      class={`rt-cell ${column.isNumber ? "is-number" : ""} ${isBest ? "is-best" : ""} ${Number.isNaN(share) ? "" : "is-shaded"}`}
      role="cell"
      tabIndex={-1}
      aria-colindex={index}
      style={{ ...style, ...shade }}
      data-tip={text.length > 14 ? text : undefined}
    >
      {column.key === "f:state" ? <Standing row={row} /> : text || <span class="rt-nothing">–</span>}
    </div>
  );
}

export function Standing({ row }: { row: number }) {
  const { standing } = rows.value[row];
  const column = columns.value.find(({ key }) => key === "f:state");
  return (
    <span class={`standing is-${standing}`} data-tip={standingTip(standing)}>
      {column?.text(row)}
    </span>
  );
}

const folder = computed(() => sharedFolder(rows.value.map(nameOf)));

/** The name of a run, which leads to its page, with a check box in its colour that puts it into the charts. */
function NameCell({ row }: { row: number }) {
  const { id, runs: ids } = rows.value[row];
  const parts = ids.map((one) => runs.value.get(one)).filter((one) => one !== undefined);
  const [run] = parts;
  const name = nameOf(rows.value[row]);
  const isStarred = settings.value.runs[id]?.starred ?? false;
  return (
    <div class="rt-cell rt-name" role="rowheader" tabIndex={-1} aria-colindex={1}>
      <input
        type="checkbox"
        class="color-box"
        style={{ "--run": run ? colorOf(run) : "var(--text-3)" }}
        checked={state.isOn(row)}
        aria-label={t("toggle", { name })}
        data-tip={t("toggle", { name })}
        onChange={(event) => setChecked(ids, event.currentTarget.checked)}
        onClick={(event) => {
          if (!event.altKey) return;
          event.preventDefault();
          checkOnly(ids);
        }}
      />
      <button
        type="button"
        class={`rt-star ${isStarred ? "is-on" : ""}`}
        aria-pressed={isStarred}
        aria-label={t("star", { name })}
        data-tip={t("star", { name })}
        onClick={() => changeRun(id, { starred: isStarred ? null : true })}
      >
        {isStarred ? "★" : "☆"}
      </button>
      <a
        class="rt-title rt-open"
        href={`#runs?run=${encodeURIComponent(id)}`}
        aria-label={t("open", { name })}
        data-tip={name}
        onClick={(event) => {
          if (event.ctrlKey || event.metaKey || event.shiftKey) return;
          event.preventDefault();
          openedRun.value = id;
        }}
      >
        <Name text={name.slice(folder.value.length)} kept={lastLetters(name)} />
      </a>
      {state.isOnTop(row) && (
        <span class="rt-mark" role="img" aria-label={t("onTop")} data-tip={t("onTop")}>
          <Icon name="pin" />
        </span>
      )}
      {ids.includes(baseline.value) && (
        <span class="rt-mark" role="img" aria-label={t("baseline")} data-tip={t("baseline")}>
          <Icon name="minus" />
        </span>
      )}
      {run && <RunMenu run={run} text={name} all={parts} archives={parts} />}
    </div>
  );
}
