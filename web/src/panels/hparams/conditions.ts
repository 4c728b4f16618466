/** Conditions on columns: what a brush, or the filter of a column, leaves. They are in the address. */

import { naturally, pattern } from "../../state/order";
import { decoded } from "../../state/url";
import type { Column } from "./columns";

export type Condition =
  | { kind: "range"; min: number; max: number }
  | { kind: "choice"; values: ReadonlySet<string> }
  /** Texts from one to another, in their natural order: a brush over more of them than an address should hold. */
  | { kind: "span"; from: string; to: string }
  | { kind: "match"; text: string };

export type Conditions = ReadonlyMap<string, Condition>;

const MOST_CHOSEN = 20;

/** Of the categories of a column those from `first` to `last`. */
export function chosen(column: Column, first: number, last: number): Condition {
  const values = column.categories.slice(first, last + 1);
  if (values.length <= MOST_CHOSEN) return { kind: "choice", values: new Set(values) };
  return { kind: "span", from: values[0], to: values[values.length - 1] };
}

/** Whether each session passes; one without a value in a column with a condition does not. */
export function matching(columns: readonly Column[], conditions: Conditions, count: number): Uint8Array {
  const passes = new Uint8Array(count).fill(1);
  for (const column of columns) {
    const condition = conditions.get(column.key);
    if (!condition) continue;
    const test = tester(column, condition);
    for (let row = 0; row < count; row++) if (passes[row] && !test(row)) passes[row] = 0;
  }
  return passes;
}

function tester(column: Column, condition: Condition): (row: number) => boolean {
  const { numbers, categories } = column;
  if (condition.kind === "range") {
    // What was a number when the address was written may be a text now: then it says nothing.
    if (!column.isNumber) return () => true;
    return (row) => numbers[row] >= condition.min && numbers[row] <= condition.max;
  }
  const wanted = condition.kind === "match" ? pattern(condition.text) : null;
  const fits = (text: string) => {
    if (condition.kind === "choice") return condition.values.has(text);
    if (condition.kind === "span")
      return naturally(text, condition.from) >= 0 && naturally(text, condition.to) <= 0;
    return !wanted || wanted.test(text);
  };
  if (column.isNumber) return (row) => column.text(row) !== "" && fits(column.text(row));
  const known = categories.map(fits);
  return (row) => !Number.isNaN(numbers[row]) && known[numbers[row]];
}

/** `key~r~0.1~0.2,key~c~adam~sgd`, every part encoded. */
export const conditionsCodec = {
  parse(text: string): Conditions {
    const found = new Map<string, Condition>();
    for (const one of text.split(",").filter(Boolean)) {
      const [key, kind, ...parts] = one.split("~").map(decoded);
      const condition = parseOne(kind, parts);
      if (condition) found.set(key, condition);
    }
    return found;
  },
  format: (conditions: Conditions): string =>
    [...conditions].map(([key, one]) => [key, ...partsOf(one)].map(escaped).join("~")).join(","),
};

function escaped(text: string): string {
  return encodeURIComponent(text).replaceAll("~", "%7E");
}

function parseOne(kind: string, parts: string[]): Condition | undefined {
  if (kind === "r") {
    const [min, max] = parts.map((part) => (part === "" ? NaN : Number(part)));
    return min <= max ? { kind: "range", min, max } : undefined;
  }
  if (kind === "c") return { kind: "choice", values: new Set(parts) };
  if (kind === "s" && parts.length === 2) return { kind: "span", from: parts[0], to: parts[1] };
  return kind === "x" && parts.length === 1 ? { kind: "match", text: parts[0] } : undefined;
}

function partsOf(condition: Condition): string[] {
  if (condition.kind === "range") return ["r", short(condition.min), short(condition.max)];
  if (condition.kind === "choice") return ["c", ...condition.values];
  if (condition.kind === "span") return ["s", condition.from, condition.to];
  return ["x", condition.text];
}

function short(value: number): string {
  return String(Number(value.toPrecision(12)));
}
