/** How the table of runs is shown. All of it is in the address. */

import { computed } from "@preact/signals";
import { formatDuration, formatValue } from "../../chart/format";
import { runs, settings } from "../../state/board";
import { naturally } from "../../state/order";
import { groupBy, groupOf, isChecked } from "../../state/runs";
import { flagCodec, setCodec, textCodec, urlSignal } from "../../state/url";
import { direction as directionOf } from "../../ui/sheet_table";
import { type Column, plain, sortedBy } from "./columns";
import { rows } from "./data";
import { columns, kept } from "./narrowing";
import { t } from "./words";

/** Columns that are shown though they usually are not, and the other way about. */
export const toggled = urlSignal<ReadonlySet<string>>("rcols", new Set(), setCodec);
/** Columns that the user put in an order; the others follow. */
export const order = urlSignal<ReadonlySet<string>>("rorder", new Set(), setCodec);
/** The column rows are sorted by, with `-` before it if downwards; "" for the order of names. */
export const sort = urlSignal("rsort", "", textCodec);
/** Whether numbers are shaded from the worst to the best of their column. */
export const isShaded = urlSignal("rshade", false, flagCodec);
export const closedGroups = urlSignal<ReadonlySet<string>>("rclosed", new Set(), setCodec);

export const NAME = "f:name";

export function isShown(column: Column): boolean {
  return column.isUsual !== toggled.value.has(column.key);
}

export function toggle(keys: Iterable<string>): void {
  const next = new Set(toggled.value);
  for (const key of keys) if (!next.delete(key)) next.add(key);
  toggled.value = next;
}

/** The columns of the table in their order, without that of names, which is always there. */
export const shown = computed<Column[]>(() => {
  const places = new Map([...order.value].map((key, i) => [key, i]));
  const placeOf = (column: Column) => places.get(column.key) ?? places.size;
  return columns.value
    .filter((column) => column.key !== NAME && isShown(column))
    .sort((a, b) => placeOf(a) - placeOf(b));
});

const FACTS = ["state", "starred", "tags", "note", "duration", "started", "host", "points"] as const;

/** What the head of a column says. */
export function titleOf(column: Column): string {
  if (column.key === NAME) return t("name");
  if (column.role === "fact") return t(column.name as (typeof FACTS)[number]);
  return column.title;
}

/** The part of a scalar's column that is not its name; "" for others. */
export function statOf(column: Column): string {
  return column.stat ? t(column.stat) : "";
}

/** Its whole title, where there is only one line. */
export function fullTitleOf(column: Column): string {
  const stat = statOf(column);
  return stat ? `${titleOf(column)} (${stat})` : titleOf(column);
}

/** Puts a column so many places to the right; to the left if negative. */
export function moveBy(column: Column, places: number): void {
  const keys = shown.value.map(({ key }) => key);
  const from = keys.indexOf(column.key);
  const to = Math.max(0, Math.min(keys.length - 1, from + places));
  keys.splice(from, 1);
  keys.splice(to, 0, column.key);
  order.value = new Set(keys);
}

/** Puts a column where another is. */
export function moveTo(key: string, target: string): void {
  const keys = shown.value.map((column) => column.key);
  const [from, to] = [keys.indexOf(key), keys.indexOf(target)];
  if (from < 0 || to < 0 || from === to) return;
  keys.splice(from, 1);
  keys.splice(to, 0, key);
  order.value = new Set(keys);
}

/** Whether the runs of a row are in the charts. */
export function isOn(row: number): boolean {
  return rows.value[row].runs.some(isChecked);
}

/** Rows by the column that sorts them. */
const sorted = computed<number[]>(() => {
  const isDown = sort.value.startsWith("-");
  const key = isDown ? sort.value.slice(1) : sort.value;
  const column = columns.value.find((one) => one.key === key);
  return column ? sortedBy(column, kept.value, isDown) : kept.value;
});

export interface GroupLine {
  kind: "group";
  name: string;
  members: readonly number[];
  isOpen: boolean;
}

export interface RowLine {
  kind: "row";
  row: number;
}

export type Line = GroupLine | RowLine;

export function isOnTop(row: number): boolean {
  return settings.value.runs[rows.value[row].id]?.on_top ?? false;
}

/** What the table shows, from top to bottom. */
export const lines = computed<Line[]>(() => {
  if (!groupBy.value) {
    const top = sorted.value.filter(isOnTop);
    const rest = top.length ? sorted.value.filter((row) => !isOnTop(row)) : sorted.value;
    return [...top, ...rest].map((row) => ({ kind: "row", row }));
  }
  const groups = new Map<string, number[]>();
  for (const row of sorted.value) {
    const run = runs.value.get(rows.value[row].id);
    const name = run ? groupOf(run) : "–";
    const members = groups.get(name);
    if (members) members.push(row);
    else groups.set(name, [row]);
  }
  const names = sort.value ? [...groups.keys()] : [...groups.keys()].sort(naturally);
  return names.flatMap((name): Line[] => {
    const members = groups.get(name)!;
    const isOpen = !closedGroups.value.has(name);
    const inner = isOpen ? members.map((row): Line => ({ kind: "row", row })) : [];
    return [{ kind: "group", name, members, isOpen }, ...inner];
  });
});

/** The rows shown, in order, whether their group is open or not. */
export const listed = computed<number[]>(() => sorted.value);

/** Those of them that are in the charts: what the buttons for several runs act on. */
export const chosen = computed<number[]>(() => listed.value.filter(isOn));

/** Upwards, downwards, and as it was; scalars of which more is better begin downwards. */
export function sortBy(column: Column): void {
  const [up, down] = [column.key, `-${column.key}`];
  const [first, second] = column.better === "more" ? [down, up] : [up, down];
  sort.value = sort.value === first ? second : sort.value === second ? "" : first;
}

export function direction(column: Column): "ascending" | "descending" | undefined {
  return directionOf(sort.value, column.key);
}

export interface Spread {
  mean: number;
  /** The standard deviation of the sample; NaN for a single one. */
  deviation: number;
  count: number;
}

/** Mean and spread of a column over some rows, of what is finite. */
export function spreadOf(column: Column, members: readonly number[]): Spread | null {
  const values = members
    .map(column.value)
    .filter((value) => typeof value === "number" && Number.isFinite(value));
  const numbers = values as number[];
  if (numbers.length === 0) return null;
  const mean = numbers.reduce((a, b) => a + b, 0) / numbers.length;
  const squares = numbers.reduce((sum, value) => sum + (value - mean) ** 2, 0);
  const deviation = numbers.length > 1 ? Math.sqrt(squares / (numbers.length - 1)) : Number.NaN;
  return { mean, deviation, count: numbers.length };
}

export interface Range {
  least: number;
  largest: number;
}

/** The ends of each shown column of numbers over the rows shown: for shading, and for the best in bold. */
export const ranges = computed<ReadonlyMap<string, Range>>(() => {
  const found = new Map<string, Range>();
  for (const column of shown.value) {
    if (!column.isNumber || column.role === "fact") continue;
    const numbers = column.order();
    let [least, largest] = [Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY];
    for (const row of kept.value) {
      const value = numbers[row];
      if (value < least && value > Number.NEGATIVE_INFINITY) least = value;
      if (value > largest && value < Number.POSITIVE_INFINITY) largest = value;
    }
    if (least <= largest) found.set(column.key, { least, largest });
  }
  return found;
});

/** Where a value lies between the worst (0) and the best (1) of its column; NaN if nobody can say. */
export function shareOf(column: Column, row: number): number {
  const range = ranges.value.get(column.key);
  const value = column.value(row);
  if (!range || typeof value !== "number" || !Number.isFinite(value) || range.least === range.largest)
    return Number.NaN;
  const share = (value - range.least) / (range.largest - range.least);
  return column.better === "less" ? 1 - share : share;
}

export function isBest(column: Column, row: number): boolean {
  const range = ranges.value.get(column.key);
  if (!range || !column.better || range.least === range.largest) return false;
  return column.value(row) === (column.better === "less" ? range.least : range.largest);
}

/** A number as its column shows it. */
export function shownAs(column: Column, value: number, digits = 4): string {
  if (column.role === "hparam") return plain(value);
  if (column.name === "duration") return formatDuration(value);
  return formatValue(value, digits);
}
