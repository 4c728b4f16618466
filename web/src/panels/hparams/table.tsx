/** The table of sessions: hparams, then metrics. Of its rows and columns only those in view exist. */

import { computed } from "@preact/signals";
import type { SessionGroup } from "../../api/schema";
import { sharedFolder } from "../../chart/names";
import { runs } from "../../state/board";
import { colorOf, label, setChecked } from "../../state/runs";
import { Menu, Notice } from "../../ui/controls";
import { Name } from "../../ui/name";
import { AllBox, direction, type Placed, type RowPlace, SheetTable } from "../../ui/sheet_table";
import { type Column, NAME, STATUS } from "./columns";
import { FilterFields } from "./filter_fields";
import { hovered } from "./hover";
import { conditions, kept } from "./narrowing";
import { columns, groups, runOf } from "./sessions";
import { isOn, rows, shown, sort, sortBy, titleOf } from "./state";
import { t } from "./words";

const ROW = 28;
const HEAD = 32;
const NAME_WIDTH = 232;
const WIDTHS = { number: 104, text: 132, wide: 168 };

function widthOf(column: Column): number {
  if (column.key === "s:started") return WIDTHS.wide;
  const usual = column.isNumber || column.key === STATUS ? WIDTHS.number : WIDTHS.text;
  return Math.max(usual, Math.min(WIDTHS.wide, 48 + 7 * titleOf(column).length));
}

export function SessionTable() {
  const list = rows.value;
  return (
    <SheetTable
      label={t("table")}
      columns={shown.value}
      widthOf={widthOf}
      nameWidth={NAME_WIDTH}
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
      row={(i, place) => <SessionRow key={groups.value[list[i]].name} row={list[i]} {...place} />}
    >
      {list.length === 0 && <Notice title={t("noMatch")} />}
    </SheetTable>
  );
}

function SessionRow({ row, index, style, visible }: RowPlace<Column> & { row: number }) {
  return (
    <div
      class={`st-row ${isOn(row) ? "" : "is-off"} ${hovered.value === row ? "is-hovered" : ""}`}
      role="row"
      tabIndex={-1}
      aria-rowindex={index}
      style={style}
      onPointerEnter={() => (hovered.value = row)}
      onPointerLeave={() => (hovered.value = null)}
    >
      <NameCell row={row} />
      {visible.map(({ column, index: at, style: placed }) => (
        <div
          key={column.key}
          class={`st-cell ${column.isNumber ? "is-number" : ""}`}
          role="cell"
          aria-colindex={at}
          style={placed}
        >
          {cellText(column, row)}
        </div>
      ))}
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
  return (
    <div
      class="st-cell st-name"
      role="columnheader"
      tabIndex={-1}
      aria-colindex={1}
      aria-sort={direction(sort.value, NAME)}
    >
      <AllBox
        label={t("toggleAll")}
        on={kept.value.filter(isOn).length}
        total={kept.value.length}
        onChange={(isOn) =>
          setChecked(
            kept.value.flatMap((row) => groups.value[row].runs),
            isOn,
          )
        }
      />
      {names && <HeadButtons column={names} />}
    </div>
  );
}

function Head({ column, index, style }: Placed<Column>) {
  return (
    <div
      class={`st-cell ${column.isNumber ? "is-number" : ""} ${column.role === "metric" ? "is-metric" : ""}`}
      role="columnheader"
      tabIndex={-1}
      aria-colindex={index}
      aria-sort={direction(sort.value, column.key)}
      style={style}
    >
      <HeadButtons column={column} />
    </div>
  );
}

function HeadButtons({ column }: { column: Column }) {
  const name = titleOf(column);
  const sorted = direction(sort.value, column.key);
  const isFiltered = conditions.value.has(column.key);
  return (
    <>
      <button
        type="button"
        class="st-sort"
        data-tip={`${t("sort", { name })}${column.tip && column.tip !== name ? ` (${column.tip})` : ""}`}
        onClick={() => sortBy(column.key)}
      >
        <span class="st-title">{name}</span>
        {sorted && <span aria-hidden="true">{sorted === "descending" ? "↓" : "↑"}</span>}
      </button>
      <Menu
        icon="sliders"
        tip={t("filterColumn", { name })}
        isPressed={isFiltered}
        class={`st-more ${isFiltered ? "is-used" : ""}`}
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
    <div class="st-cell st-name" role="cell" aria-colindex={1}>
      <input
        type="checkbox"
        class="color-box"
        style={{ "--run": run ? colorOf(run) : "var(--text-3)" }}
        checked={isOn(row)}
        aria-label={t("toggle", { name })}
        data-tip={t("toggle", { name })}
        onChange={(event) => setChecked(group.runs, event.currentTarget.checked)}
      />
      <span class="st-title" data-tip={more > 0 ? group.sessions.slice(0, 20).join(" · ") : name}>
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
