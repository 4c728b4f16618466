/** Where on an axis a value stands: 0 at its lower end, 1 at its upper one. */

import { type Tick, ticks } from "../../chart/ticks";
import type { Column } from "./columns";

export type ScaleKind = "linear" | "log" | "quantile";

export interface Scale {
  kind: ScaleKind | "category";
  /** The place of each session; NaN where it has no value. */
  units: Float64Array;
  /** The value at a place, for numbers. */
  valueAt: (unit: number) => number;
  /** The place of a value. */
  unitOf: (value: number) => number;
  ticks: readonly Tick[];
}

const MOST_NAMED = 24;
/** Values of which half would crowd so near to the lower end are drawn in logarithms unless the user says otherwise. */
const CROWDED = 0.12;
const LOG_FROM = 10;
/** How near two marks may be, as a part of the axis. */
const LEAST_APART = 0.06;

function finite(column: Column): number[] {
  return [...column.numbers].filter(Number.isFinite).sort((a, b) => a - b);
}

/** The kinds of scale a column can have. */
export function kindsOf(column: Column): ScaleKind[] {
  if (!column.isNumber) return [];
  const [least] = finite(column);
  return least > 0 ? ["linear", "log", "quantile"] : ["linear", "quantile"];
}

export function makeScale(column: Column, wanted: ScaleKind | undefined, tickCount: number): Scale {
  if (!column.isNumber) return categories(column);
  const sorted = finite(column);
  const [min, max] = [sorted[0] ?? 0, sorted[sorted.length - 1] ?? 1];
  const middle = sorted[sorted.length >> 1];
  const isCrowded = max / min >= LOG_FROM && middle - min < CROWDED * (max - min);
  const usual = min > 0 && isCrowded ? "log" : "linear";
  const kind = wanted === "log" && !(min > 0) ? "linear" : (wanted ?? usual);
  if (kind === "quantile") return quantiles(column, sorted, tickCount);
  return continuous(column, kind, min, max, tickCount);
}

function place(column: Column, unitOf: (value: number) => number): Float64Array {
  return Float64Array.from(column.numbers, unitOf);
}

function continuous(
  column: Column,
  kind: "linear" | "log",
  min: number,
  max: number,
  tickCount: number,
): Scale {
  if (min === max) {
    // One value stands in the middle.
    const room = kind === "log" ? 0 : Math.abs(min) || 1;
    [min, max] = kind === "log" ? [min / 2, max * 2] : [min - room, max + room];
  }
  const [to, from] = kind === "log" ? [Math.log, Math.exp] : [(v: number) => v, (v: number) => v];
  const [low, high] = [to(min), to(max)];
  // Infinities are at the ends.
  const unitOf = (value: number) => Math.max(0, Math.min(1, (to(value) - low) / (high - low)));
  const own = ownTicks(column, unitOf, tickCount);
  const marks = own.length > 0 ? own : ticks(min, max, tickCount, kind);
  return {
    kind,
    units: place(column, unitOf),
    unitOf,
    valueAt: (unit) => from(low + unit * (high - low)),
    ticks: marks.map(({ at, label }) => ({ at: unitOf(at), label })),
  };
}

/** Of a few values, those: 32 and 64 have no marks at 40 and 50 between them. None if they would cover each other. */
function ownTicks(column: Column, unitOf: (value: number) => number, tickCount: number): Tick[] {
  if (column.role !== "hparam") return [];
  const distinct = [...new Set(finite(column))];
  if (distinct.length > tickCount) return [];
  const crowds = (at: number, i: number) => i > 0 && unitOf(at) - unitOf(distinct[i - 1]) < LEAST_APART;
  if (distinct.some(crowds)) return [];
  return distinct.map((at) => ({ at, label: String(Number(at.toPrecision(3))) }));
}

/** As many sessions between two marks as between any other two. */
function quantiles(column: Column, sorted: readonly number[], tickCount: number): Scale {
  const distinct = [...new Set(sorted)];
  const last = Math.max(1, distinct.length - 1);
  const unitOf = (value: number) => {
    if (Number.isNaN(value)) return NaN;
    let [low, high] = [0, distinct.length];
    while (low < high) {
      const middle = (low + high) >> 1;
      if (distinct[middle] < value) low = middle + 1;
      else high = middle;
    }
    if (low >= distinct.length) return 1;
    if (low === 0 || distinct[low] === value) return low / last;
    const share = (value - distinct[low - 1]) / (distinct[low] - distinct[low - 1]);
    return (low - 1 + share) / last;
  };
  const valueAt = (unit: number) => {
    const at = Math.max(0, Math.min(last, unit * last));
    const below = Math.min(Math.floor(at), distinct.length - 1);
    const above = Math.min(below + 1, distinct.length - 1);
    return distinct[below] + (at - below) * (distinct[above] - distinct[below]);
  };
  const count = Math.min(tickCount, distinct.length);
  const marks = Array.from({ length: count }, (_, i) => Math.round((i * last) / Math.max(1, count - 1)));
  return {
    kind: "quantile",
    units: place(column, unitOf),
    unitOf,
    valueAt,
    ticks: marks
      .filter((at) => at < distinct.length)
      .map((at) => ({ at: at / last, label: String(Number(distinct[at].toPrecision(3))) })),
  };
}

function categories(column: Column): Scale {
  const { categories: names } = column;
  const last = names.length - 1;
  const unitOf = (value: number) => (last > 0 ? value / last : value === 0 ? 0.5 : NaN);
  const every = Math.ceil(names.length / MOST_NAMED);
  return {
    kind: "category",
    units: place(column, unitOf),
    unitOf,
    valueAt: (unit) => unit * last,
    ticks: names.map((label, i) => ({ at: unitOf(i), label })).filter((_, i) => i % every === 0),
  };
}
