/** The columns of the table of runs: facts, hparams, and five for each scalar. */

import type { Numbers } from "../../api/columns";
import type { RunRow, Setting } from "../../api/schema";
import { formatCount, formatDuration, formatTime, formatValue } from "../../chart/format";
import { naturally } from "../../state/order";
import { type Better, betterOf } from "./better";
import type { Scalar, Table } from "./data";
import type { Value } from "./expression";

export type Stat = "last" | "best" | "min" | "max" | "step";
export const STATS: readonly Stat[] = ["last", "best", "min", "max", "step"];

export interface Column {
  /** In the address: `f:` and a fact, `h:` and the name of an hparam, `v:` or a stat and the name of a scalar. */
  key: string;
  /** What expressions call it. */
  name: string;
  title: string;
  role: "fact" | "hparam" | "scalar";
  isNumber: boolean;
  /** Whether it is shown unless the user says otherwise. */
  isUsual: boolean;
  /** Of a scalar's column, the scalar and which of its values it shows. */
  scalar?: string;
  stat?: Stat;
  /** Which end of it is the good one; undefined where neither is. */
  better?: Better;
  /** Numbers to sort by; NaN where there is nothing. Texts have their place in order. */
  order: () => Numbers;
  value: (row: number) => Value;
  text: (row: number) => string;
}

/** What the user says of runs, and what a column shows of it. */
export interface Told {
  name: (row: RunRow) => string;
  standing: (row: RunRow) => string;
  note: (row: RunRow) => string;
  tags: (row: RunRow) => readonly string[];
  isStarred: (row: RunRow) => boolean;
}

const MOST_USUAL_HPARAMS = 20;
const MOST_USUAL_SCALARS = 12;

type Shared = Pick<Column, "key" | "name" | "title" | "role" | "isUsual"> &
  Partial<Pick<Column, "scalar" | "stat" | "better">>;

function numeric(shared: Shared, numbers: Numbers, show: (value: number) => string, has?: Numbers): Column {
  const isThere = (row: number) => !Number.isNaN((has ?? numbers)[row]);
  return {
    ...shared,
    isNumber: true,
    order: () => numbers,
    value: (row) => (isThere(row) ? numbers[row] : null),
    text: (row) => (isThere(row) ? show(numbers[row]) : ""),
  };
}

function textual(shared: Shared, count: number, text: (row: number) => string): Column {
  let places: Numbers | undefined;
  const order = () => {
    if (places) return places;
    const texts = Array.from({ length: count }, (_, row) => text(row));
    const sorted = [...new Set(texts.filter(Boolean))].sort(naturally);
    const known = new Map(sorted.map((one, i) => [one, i]));
    places = Float64Array.from(texts, (one) => known.get(one) ?? Number.NaN);
    return places;
  };
  return { ...shared, isNumber: false, order, value: (row) => text(row) || null, text };
}

/** Digits enough to tell hparams apart, without those that arithmetic leaves behind. */
export function plain(value: number): string {
  const size = Math.abs(value);
  if (!Number.isFinite(value) || value === 0) return formatValue(value);
  if (Number.isInteger(value) && size < 1e9) return String(value);
  if (size >= 1e6 || size < 1e-3)
    return String(Number(value.toPrecision(4)).toExponential()).replace("e+", "e");
  return String(Number(value.toPrecision(5)));
}

function facts(table: Table, told: Told): Column[] {
  const { rows } = table;
  const fact = (name: string, isUsual: boolean): Shared => ({
    key: `f:${name}`,
    name,
    title: "",
    role: "fact",
    isUsual,
  });
  const of = (name: string, isUsual: boolean, text: (row: RunRow) => string) =>
    textual(fact(name, isUsual), rows.length, (row) => text(rows[row]));
  const starred = of("starred", false, (row) => (told.isStarred(row) ? "★" : ""));
  return [
    of("name", false, told.name),
    { ...of("state", true, told.standing), value: (row) => rows[row].standing },
    { ...starred, value: (row) => told.isStarred(rows[row]) },
    of(
      "tags",
      rows.some((row) => told.tags(row).length > 0),
      (row) => told.tags(row).join(", "),
    ),
    of(
      "note",
      rows.some((row) => told.note(row) !== ""),
      told.note,
    ),
    numeric(fact("duration", true), table.durations, formatDuration),
    numeric(fact("started", true), table.started, formatTime),
    of("host", new Set(rows.map((row) => row.host)).size > 1, (row) => row.host),
    numeric(fact("points", false), table.points, formatCount),
  ];
}

function hparams(table: Table): Column[] {
  const anyDiffers = table.hparams.some(({ differs }) => differs);
  return table.hparams.map(({ name, kind, differs, values }, i): Column => {
    const isUsual = (differs || !anyDiffers) && i < MOST_USUAL_HPARAMS;
    const shared: Shared = { key: `h:${name}`, name, title: name, role: "hparam", isUsual };
    if (kind === "number") {
      const has = Float64Array.from(values, (value) => (value === null ? Number.NaN : 0));
      const numbers = Float64Array.from(values, (value) => (value === null ? Number.NaN : Number(value)));
      return numeric(shared, numbers, plain, has);
    }
    const text = (value: Setting | null) => (value === null ? "" : String(value));
    const column = textual(shared, values.length, (row) => text(values[row]));
    return kind === "bool" ? { ...column, value: (row) => values[row] } : column;
  });
}

export function numbersOf(scalar: Scalar, stat: Stat, better: Better | undefined): Numbers {
  if (stat === "last" || (stat === "best" && !better)) return scalar.last;
  if (stat === "step" && !better) return scalar.lastStep;
  if (stat === "min" || (stat === "best" && better === "less")) return scalar.least;
  if (stat === "max" || stat === "best") return scalar.largest;
  return better === "less" ? scalar.leastStep : scalar.largestStep;
}

/** One column of a scalar. The step is that of the best value. */
function scalarColumn(scalar: Scalar, stat: Stat, isSlot: boolean, isUsual: boolean): Column {
  const { name } = scalar;
  const better = betterOf(name);
  const shared: Shared = {
    key: isSlot ? `v:${name}` : `${stat}:${name}`,
    name: isSlot ? name : `${name}.${stat}`,
    title: name,
    role: "scalar",
    isUsual,
    scalar: name,
    stat,
    better: stat === "step" ? undefined : better,
  };
  const show = stat === "step" ? formatCount : formatValue;
  return numeric(shared, numbersOf(scalar, stat, better), show, scalar.lastStep);
}

function hasAtLeast(steps: Numbers, least: number): boolean {
  let count = 0;
  for (const step of steps) if (!Number.isNaN(step) && ++count >= least) return true;
  return false;
}

/** All columns there are. Of each scalar the one that `stat` names is shown; the others can be. */
export function makeColumns(table: Table, stat: Stat, told: Told): Column[] {
  const most = Math.max(1, table.rows.length / 10);
  const scalars = table.scalars.flatMap((scalar, i) => {
    // A scalar that only a few of many runs have is there to be chosen, not in everybody's way.
    const isUsual = i < MOST_USUAL_SCALARS && hasAtLeast(scalar.lastStep, Math.min(most, 3));
    const slot = scalarColumn(scalar, stat, true, isUsual);
    return [slot, ...STATS.map((one) => scalarColumn(scalar, one, false, false))];
  });
  const all = facts(table, told);
  const early = all.filter(({ name }) => ["name", "state", "starred", "tags", "note"].includes(name));
  const late = all.filter((column) => !early.includes(column));
  return [...early, ...hparams(table), ...scalars, ...late];
}

/** Rows by a column, those without a value always last. */
export function sortedBy(column: Column, rows: readonly number[], isDown: boolean): number[] {
  const numbers = column.order();
  const sign = isDown ? -1 : 1;
  return [...rows].sort((a, b) => {
    const [x, y] = [numbers[a], numbers[b]];
    if (Number.isNaN(x) || Number.isNaN(y)) return Number(Number.isNaN(x)) - Number(Number.isNaN(y)) || a - b;
    return x === y ? a - b : (x < y ? -1 : 1) * sign;
  });
}

const VALIDATION = ["validation", "val", "valid", "eval", "evaluation", "test"];

/**
 * Finds a column by the name an expression gives it: `loss`, `loss.min`, `lr`.
 *
 * `val_loss` is also what Keras logs as `epoch_loss` in the folder `validation`, and a name that ends just one column
 * (`loss` of `train/loss`) is that column.
 */
export function finder(columns: readonly Column[]): (name: string) => Column | undefined {
  const known = new Map<string, Column>();
  for (const column of columns) if (!known.has(column.name)) known.set(column.name, column);
  const ends = new Map<string, Column | null>();
  for (const column of columns) {
    if (column.key.startsWith("v:")) {
      const end = column.name.slice(column.name.lastIndexOf("/") + 1);
      ends.set(end, ends.has(end) ? null : column);
    }
  }
  const exact = (name: string): Column | undefined => {
    const after = /^val(?:idation)?_(.+)$/.exec(name)?.[1];
    const names = [name, `epoch_${name}`];
    if (after) for (const folder of VALIDATION) names.push(`${folder}/${after}`, `${folder}/epoch_${after}`);
    const found = names.find((one) => known.has(one));
    return found === undefined ? (ends.get(name) ?? undefined) : known.get(found);
  };
  return (name) => {
    const found = exact(name);
    if (found) return found;
    const [, base, stat] = /^(.+)\.(last|best|min|max|step)$/.exec(name) ?? [];
    const slot = base && exact(base);
    return slot ? known.get(`${slot.name}.${stat}`) : undefined;
  };
}
