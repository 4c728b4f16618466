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

/** A message of any columns: its head, and what takes the next so many numbers. */
export function unpack<Head>(buffer: ArrayBuffer): {
  head: Head;
  column: (count: number) => Float64Array<ArrayBuffer>;
} {
  const view = new DataView(buffer);
  if (buffer.byteLength < 8 || view.getUint32(0, true) !== MAGIC) {
    throw new Error("The server's answer is not a message in columns.");
  }
  const length = view.getUint32(4, true);
  const head: Head = JSON.parse(new TextDecoder().decode(new Uint8Array(buffer, 8, length)));
  let offset = 8 + length;
  const column = (count: number) => {
    const values = new Float64Array(buffer, offset, count);
    offset += 8 * count;
    return values;
  };
  return { head, column };
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
