/** The table of runs. Of its rows and columns only those in view exist. */

import { computed } from "@preact/signals";
import { useState } from "preact/hooks";
import { lastLetters, sharedFolder } from "../../chart/names";
import { RunMenu } from "../../runs/run_menu";
import { changeRun, runs, settings } from "../../state/board";
import { openedRun } from "../../state/opened";
import { baseline, checkOnly, colorOf, colorOfGroup, groupBy, setChecked } from "../../state/runs";
import { Item, Menu, Notice } from "../../ui/controls";
import { Icon } from "../../ui/icon";
import { Name } from "../../ui/name";
import { AllBox, type Placed, type RowPlace, SheetTable } from "../../ui/sheet_table";
import { type Better, setBetter } from "./better";
import type { Column } from "./columns";
import { rows } from "./data";
import { columns, nameOf } from "./narrowing";
import * as state from "./state";
import { standingTip, t } from "./words";

const ROW = 30;
const HEAD = 40;
const NAME_WIDTH = 260;
const NARROW_NAME_WIDTH = 188;
const WIDTHS = { number: 96, text: 120, wide: 168, widest: 216 };
const SPREAD_WIDTH = 40;

function widthOf(column: Column): number {
  if (column.name === "started" || column.name === "note") return WIDTHS.wide;
  const usual = column.isNumber ? WIDTHS.number + (groupBy.value ? SPREAD_WIDTH : 0) : WIDTHS.text;
  return Math.max(usual, Math.min(WIDTHS.widest, 52 + 7 * state.titleOf(column).length));
}

export function RunsTable() {
  const list = state.lines.value;
  return (
    <SheetTable
      label={t("table")}
      columns={state.shown.value}
      widthOf={widthOf}
      nameWidth={NAME_WIDTH}
      narrowNameWidth={NARROW_NAME_WIDTH}
      rowHeight={ROW}
      headHeight={HEAD}
      rowCount={list.length}
      head={(visible) => (
        <>
          <NameHead />
          {visible.map((placed) => (
            <Head key={placed.column.key} {...placed} />
          ))}
        </>
      )}
      row={(i, place) => {
        const line = list[i];
        return line.kind === "group" ? (
          <GroupRow key={`group ${line.name}`} line={line} {...place} />
        ) : (
          <RunRow key={rows.value[line.row].id} row={line.row} {...place} />
        );
      }}
    >
      {list.length === 0 && <Notice title={t("noMatch")} />}
    </SheetTable>
  );
}

/** All of the rows in the charts or none of them, and their names, which sort. */
function NameHead() {
  const names = columns.value.find((column) => column.key === state.NAME);
  return (
    <div
      class="st-cell st-name"
      role="columnheader"
      tabIndex={-1}
      aria-colindex={1}
      aria-sort={names && state.direction(names)}
    >
      <AllBox
        label={t("toggleAll")}
        on={state.chosen.value.length}
        total={state.listed.value.length}
        onChange={(isOn) =>
          setChecked(
            state.listed.value.flatMap((row) => rows.value[row].runs),
            isOn,
          )
        }
      />
      {names && <SortButton column={names} />}
    </div>
  );
}

function Head({ column, index, style }: Placed<Column>) {
  const [isTarget, setTarget] = useState(false);
  return (
    <div
      class={`st-cell ${column.isNumber ? "is-number" : ""} ${isTarget ? "is-target" : ""}`}
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
    <button type="button" class="st-sort" data-tip={t("sort", { name })} onClick={() => state.sortBy(column)}>
      <span class="rt-titles">
        <span class="st-title">{state.titleOf(column)}</span> {stat && <span class="rt-stat">{stat}</span>}
      </span>
      {sorted && <span aria-hidden="true">{sorted === "descending" ? "↓" : "↑"}</span>}
    </button>
  );
}

/** What else can be done with a column: its place, and which end of it is the good one. */
function HeadMenu({ column }: { column: Column }) {
  const name = state.fullTitleOf(column);
  const { scalar, stat, better } = column;
  const choose = (value: Better, text: string, close: () => void) =>
    scalar &&
    stat !== "step" && (
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
    <Menu icon="sliders" tip={t("column", { name })} class="st-more">
      {(close) => (
        <>
          <p class="sheet-title">{name}</p>
          {choose("less", t("lessBetter"), close)}
          {choose("more", t("moreBetter"), close)}
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

function GroupRow({ line, index, style, visible }: RowPlace<Column> & { line: state.GroupLine }) {
  const { name, members, isOpen } = line;
  const ids = members.flatMap((row) => rows.value[row].runs);
  const on = members.filter(state.isOn).length;
  const fold = () => {
    const next = new Set(state.closedGroups.value);
    if (!next.delete(name)) next.add(name);
    state.closedGroups.value = next;
  };
  return (
    <div class="st-row is-group" role="row" tabIndex={-1} aria-rowindex={index} style={style}>
      <div class="st-cell st-name" role="rowheader" tabIndex={-1} aria-colindex={1}>
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
        <span class="st-title" data-tip={name}>
          <Name text={name} />
        </span>
        <span class="run-count" data-tip={t("members", { n: members.length })}>
          {members.length}
        </span>
      </div>
      {visible.map(({ column, index: at, style: placed }) => (
        <div
          key={column.key}
          class={`st-cell ${column.isNumber ? "is-number" : ""}`}
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

function RunRow({ row, index, style, visible }: RowPlace<Column> & { row: number }) {
  const isOn = state.isOn(row);
  return (
    <div
      class={`st-row ${isOn ? "" : "is-off"} ${state.isOnTop(row) ? "is-on-top" : ""}`}
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

function ValueCell({ column, row, index, style }: Placed<Column> & { row: number }) {
  const text = column.text(row);
  const share = state.isShaded.value ? state.shareOf(column, row) : Number.NaN;
  const shade = Number.isNaN(share) ? {} : { "--share": share.toFixed(3) };
  const isBest = state.isBest(column, row);
  return (
    <div
      class={`st-cell ${column.isNumber ? "is-number" : ""} ${isBest ? "is-best" : ""} ${Number.isNaN(share) ? "" : "is-shaded"}`}
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
    <div class="st-cell st-name" role="rowheader" tabIndex={-1} aria-colindex={1}>
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
        class="st-title rt-open"
        href={`#runs?run=${encodeURIComponent(id)}`}
        aria-label={t("open", { name })}
        data-tip={name}
        onClick={(event) => {
          if (event.ctrlKey || event.metaKey || event.shiftKey) return;
          event.preventDefault();
          openedRun.value = id;
        }}
      >
        <Name text={name.slice(folder.value.length)} kept={lastLetters(name)} least={2} />
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
