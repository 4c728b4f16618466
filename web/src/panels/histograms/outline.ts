/** The shape of a histogram: buckets of any width as a line of comparable heights. */

import type { Range } from "../../chart/line";
import type { Histograms } from "./series";

export interface Outline {
  x: Float64Array;
  /** How many elements there are in a bin around `x`. */
  y: Float64Array;
}

/** Bins over the whole range of a chart; heights are counts in one of them. */
const BINS = 80;

/** From the least to the largest edge of some histograms. */
export function valueRange(data: Histograms, rows: Iterable<number>): Range {
  let [min, max] = [Infinity, -Infinity];
  for (const row of rows) {
    for (let b = data.starts[row]; b < data.starts[row + 1]; b++) {
      if (data.counts[b] === 0) continue;
      if (data.lefts[b] < min) min = data.lefts[b];
      if (data.rights[b] > max) max = data.rights[b];
    }
  }
  if (min > max) return { min: 0, max: 1 };
  if (min === max) {
    const margin = Math.abs(min) * 0.1 || 0.5;
    return { min: min - margin, max: max + margin };
  }
  return { min, max };
}

/** How wide a bin is. */
export function binOf(range: Range): number {
  return (range.max - range.min) / BINS;
}

/** Left edge, right edge and count of pieces in the making: one place for all outlines, which are many. */
let pieces = new Float64Array(3 * 256);

/** Puts the buckets of a histogram together until none is narrower than a bin; gives how many pieces there are. */
function merge(data: Histograms, row: number, bin: number): number {
  const [from, to] = [data.starts[row], data.starts[row + 1]];
  if (3 * (to - from) > pieces.length) pieces = new Float64Array(6 * (to - from));
  const least = bin * 0.999;
  let at = -3;
  for (let b = from; b < to; b++) {
    const left = data.lefts[b];
    const right = data.rights[b];
    if (at >= 0 && pieces[at + 1] - pieces[at] < least && left - pieces[at + 1] < bin) {
      if (right > pieces[at + 1]) pieces[at + 1] = right;
      pieces[at + 2] += data.counts[b];
    } else {
      at += 3;
      pieces[at] = left;
      pieces[at + 1] = right;
      pieces[at + 2] = data.counts[b];
    }
  }
  // The last may have found nothing to its right.
  if (at >= 3 && pieces[at + 1] - pieces[at] < least && pieces[at] - pieces[at - 2] < bin) {
    pieces[at - 2] = Math.max(pieces[at - 2], pieces[at + 1]);
    pieces[at - 1] += pieces[at + 2];
    at -= 3;
  }
  return at / 3 + 1;
}

/**
 * A line through the buckets of histogram `row`, from zero to zero. Buckets narrower than a bin are put together, so
 * that those of PyTorch, hair-thin around zero, make no needles; wider ones stay as they were logged.
 */
export function outline(data: Histograms, row: number, bin: number): Outline {
  const count = merge(data, row, bin);
  const x = new Float64Array(3 * count + 1);
  const y = new Float64Array(3 * count + 1);
  let length = 0;
  let end = -Infinity;
  for (let at = 0; at < 3 * count; at += 3) {
    const width = Math.max(pieces[at + 1] - pieces[at], bin);
    const middle = (pieces[at] + pieces[at + 1]) / 2;
    const start = middle - width / 2;
    // Between buckets that do not touch there is nothing.
    if (start > end + bin * 0.001) {
      if (end > -Infinity) x[length++] = end;
      x[length++] = start;
    }
    x[length] = middle;
    y[length++] = (pieces[at + 2] * bin) / width;
    end = middle + width / 2;
  }
  if (count > 0) x[length++] = end;
  return { x: x.subarray(0, length), y: y.subarray(0, length) };
}

/** The height of an outline at `x`; 0 beside it. */
export function heightAt({ x, y }: Outline, at: number): number {
  let low = 0;
  let high = x.length - 1;
  if (high < 0 || !(at >= x[0] && at <= x[high])) return 0;
  while (high - low > 1) {
    const middle = (low + high) >> 1;
    if (x[middle] <= at) low = middle;
    else high = middle;
  }
  const width = x[high] - x[low];
  return width > 0 ? y[low] + ((at - x[low]) / width) * (y[high] - y[low]) : Math.max(y[low], y[high]);
}

/** The bucket of histogram `row` that holds `value`, as a place in the columns; the nearest if none does. */
export function bucketAt(data: Histograms, row: number, value: number): number {
  let found = -1;
  let least = Infinity;
  for (let b = data.starts[row]; b < data.starts[row + 1]; b++) {
    const away = Math.max(data.lefts[b] - value, value - data.rights[b], 0);
    // At a common edge a bucket begins; of several at one place the fullest is meant.
    if (
      away < least ||
      (away === least && (data.lefts[b] === value || data.counts[b] > data.counts[found]))
    ) {
      found = b;
      least = away;
    }
  }
  return found;
}

export function elements(data: Histograms, row: number): number {
  let total = 0;
  for (let b = data.starts[row]; b < data.starts[row + 1]; b++) total += data.counts[b];
  return total;
}

/**
 * At most about `most` of rising places, as evenly as they lie, the first and the last among them: those that would be
 * drawn over each other within a pixel are left out.
 */
export function spaced(at: Float64Array, first: number, last: number, most: number): number[] {
  const chosen: number[] = [];
  if (last <= first) return chosen;
  const gap = (at[last - 1] - at[first]) / most;
  const isFew = last - first <= most;
  let next = -Infinity;
  for (let i = last - 1; i >= first; i--) {
    if (isFew || next === -Infinity || at[i] <= next || i === first) {
      chosen.push(i);
      next = at[i] - gap;
    }
  }
  return chosen.reverse();
}
