/** Messages in columns: a JSON head, then the steps, wall times and values of each series as float64. */

import type { ColumnsHead, SeriesHead } from "./schema";

export interface Columns {
  head: SeriesHead;
  steps: Float64Array;
  walls: Float64Array;
  values: Float64Array;
  /** Averages over every point of the series, if they were asked for. */
  smoothed: Float64Array | null;
}

const MAGIC = 0x31434654; // "TFC1", little-endian

function headOf<Head>(buffer: ArrayBuffer): { head: Head; offset: number } {
  const view = new DataView(buffer);
  if (buffer.byteLength < 8 || view.getUint32(0, true) !== MAGIC) {
    throw new Error("The server's answer is not a message in columns.");
  }
  const length = view.getUint32(4, true);
  return {
    head: JSON.parse(new TextDecoder().decode(new Uint8Array(buffer, 8, length))),
    offset: 8 + length,
  };
}

/** A message of any columns: its head, and what takes the next so many numbers. */
export function unpack<Head>(buffer: ArrayBuffer): {
  head: Head;
  column: (count: number) => Float64Array<ArrayBuffer>;
} {
  const { head, offset: begin } = headOf<Head>(buffer);
  let offset = begin;
  const column = (count: number) => {
    const values = new Float64Array(buffer, offset, count);
    offset += 8 * count;
    return values;
  };
  return { head, column };
}

export type Numbers = Float64Array<ArrayBuffer> | Float32Array<ArrayBuffer>;

/** How a column of a message is written: its kind, its length, and the number that it is made of. */
type Written = ["=" | "f4" | "f8", number, (number | null)?];

/** A message whose columns take as little room as they can: its head, and what takes the next column. */
export function unpackSmall<Head extends { columns: unknown[][] }>(
  buffer: ArrayBuffer,
): { head: Head; next: () => Numbers } {
  const { head, offset: begin } = headOf<Head>(buffer);
  let offset = begin;
  let turn = 0;
  const next = (): Numbers => {
    const [kind, count, number] = head.columns[turn++] as Written;
    if (kind === "=") return filled(count, number ?? Number.NaN);
    const values = new (kind === "f4" ? Float32Array : Float64Array)(buffer, offset, count);
    offset += Math.ceil(values.byteLength / 8) * 8;
    return values;
  };
  return { head, next };
}

function filled(count: number, number: number): Numbers {
  const isSmall = Number.isNaN(number) || Math.fround(number) === number;
  return new (isSmall ? Float32Array : Float64Array)(count).fill(number);
}

export function decodeColumns(buffer: ArrayBuffer): Columns[] {
  const { head, column } = unpack<ColumnsHead>(buffer);
  return head.series.map((series) => ({
    head: series,
    steps: column(series.length),
    walls: column(series.length),
    values: column(series.length),
    smoothed: series.has_smoothed ? column(series.length) : null,
  }));
}

export function fromBase64(text: string): ArrayBuffer {
  const binary = atob(text);
  const bytes = new Uint8Array(binary.length);
  for (let i = 0; i < binary.length; i++) bytes[i] = binary.charCodeAt(i);
  return bytes.buffer;
}
