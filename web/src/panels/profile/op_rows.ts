/** The rows of the table of ops: chosen, searched, grouped, sorted. */

import type { EventKind, ProfileOp } from "../../api/schema";
import { naturally } from "../../state/order";

export interface OpRow {
  key: string;
  name: string;
  type: string;
  kind: EventKind;
  module: string;
  detail: string;
  isGradient: boolean;
  /** How many ops are in a group. */
  members: number;
  count: number;
  total: number;
  own: number;
  share: number;
  /** Self time in the other profile; NaN if there is none. */
  other: number;
}

export const COLUMNS = [
  "name",
  "type",
  "own",
  "share",
  "total",
  "count",
  "each",
  "other",
  "detail",
  "module",
] as const;
export type Column = (typeof COLUMNS)[number];

export function isOfKind(op: ProfileOp, kind: string): boolean {
  if (kind === "all") return true;
  return kind === "ops" ? op.kind === "xla" || op.kind === "framework" : op.kind === kind;
}

function keyOf(op: ProfileOp, isGrouped: boolean): string {
  return isGrouped ? `${op.kind}\n${op.type}\n${op.is_gradient}` : `${op.kind}\n${op.name}\n${op.module}`;
}

/** Rows for ops; shares are of all that were chosen, not of those that were found. */
export function rowsOf(
  ops: readonly ProfileOp[],
  others: readonly ProfileOp[] | null,
  wanted: RegExp | null,
  isGrouped: boolean,
): OpRow[] {
  const whole = ops.reduce((sum, { own }) => sum + own, 0) || 1;
  const rows = new Map<string, OpRow>();
  for (const op of ops) {
    if (wanted && ![op.name, op.type, op.module].some((text) => wanted.test(text))) continue;
    const key = keyOf(op, isGrouped);
    const row = rows.get(key);
    if (row) {
      row.members++;
      row.count += op.count;
      row.total += op.total;
      row.own += op.own;
      row.share += op.own / whole;
    } else {
      rows.set(key, {
        key,
        name: isGrouped ? op.type : op.name,
        type: op.type,
        kind: op.kind,
        module: op.module,
        detail: op.detail,
        isGradient: op.is_gradient,
        members: 1,
        count: op.count,
        total: op.total,
        own: op.own,
        share: op.own / whole,
        other: Number.NaN,
      });
    }
  }
  for (const op of others ?? []) {
    const row = rows.get(keyOf(op, isGrouped));
    if (row) row.other = (Number.isNaN(row.other) ? 0 : row.other) + op.own;
  }
  return [...rows.values()];
}

function cellOf(row: OpRow, column: Column): number | string {
  if (column === "each") return row.total / row.count;
  return row[column];
}

/** Rows by a column, "-own" for descending; what is no number comes last. */
export function sorted(rows: readonly OpRow[], by: string): OpRow[] {
  const isDown = by.startsWith("-");
  const column = COLUMNS.find((one) => one === by.replace("-", "")) ?? "own";
  const sign = isDown ? -1 : 1;
  return [...rows].sort((a, b) => {
    const [x, y] = [cellOf(a, column), cellOf(b, column)];
    if (typeof x === "number" && typeof y === "number") {
      if (Number.isNaN(x) || Number.isNaN(y)) return Number(Number.isNaN(x)) - Number(Number.isNaN(y));
      return sign * (x - y);
    }
    return sign * naturally(String(x), String(y));
  });
}

/** The largest shares, and the rest as one. */
export function slices(
  rows: readonly OpRow[],
  most: number,
): { rows: OpRow[]; rest: number; restCount: number } {
  const largest = sorted(rows, "-own").filter(({ own }) => own > 0);
  const shown = largest.length > most ? largest.slice(0, most - 1) : largest;
  const rest = largest.slice(shown.length);
  return { rows: shown, rest: rest.reduce((sum, { share }) => sum + share, 0), restCount: rest.length };
}
