/** A column of metadata on the page. */

import type { ProjectorColumnHead, ProjectorColumnKind } from "../../api/schema";
import { formatValue } from "../../chart/format";
import type { Packed } from "./api";

export interface Column {
  name: string;
  kind: ProjectorColumnKind;
  values: readonly string[];
  codes: Uint32Array;
  /** For columns of numbers, which have neither values nor codes. */
  numbers: Float32Array | null;
}

export function columnOf(name: string, { head, arrays }: Packed<ProjectorColumnHead>): Column {
  return {
    name,
    kind: head.kind,
    values: head.values,
    codes: (arrays.get("codes") as Uint32Array | undefined) ?? new Uint32Array(0),
    numbers: (arrays.get("numbers") as Float32Array | undefined) ?? null,
  };
}

export function textAt(column: Column | null, index: number): string {
  if (!column) return `#${index}`;
  if (column.numbers) return formatValue(column.numbers[index]);
  return column.values[column.codes[index]] ?? "";
}

/** Labels for the ends of two axes, left, right, down and up: as many others as there are; none of fewer than two. */
export function firstEnds(values: readonly string[]): readonly string[] {
  const [left = "", right = "", down = left, up = right] = values;
  return right === "" || left === "" ? ["", "", "", ""] : [left, right, down, up];
}

/** The points whose text in a column fits; a text alone is looked for anywhere, whatever its case. */
export function matching(column: Column | null, count: number, wanted: RegExp): number[] {
  const found: number[] = [];
  if (!column || column.numbers) {
    for (let i = 0; i < count; i++) if (wanted.test(textAt(column, i))) found.push(i);
    return found;
  }
  const fits = column.values.map((value) => wanted.test(value));
  for (let i = 0; i < count; i++) if (fits[column.codes[i]]) found.push(i);
  return found;
}
