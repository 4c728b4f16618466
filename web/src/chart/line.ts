/** A line of a chart, the range a set of lines needs, and the way from values to pixels. */

export interface Line {
  id: string;
  label: string;
  color: string;
  isDashed: boolean;
  isStrong: boolean;
  x: Float64Array;
  /** What is drawn: smoothed, or as it was logged. */
  y: Float64Array;
  /** As it was logged, drawn faintly behind; null where `y` is that. */
  raw: Float64Array | null;
  /** The spread around `y`, of a mean over runs. */
  band: { low: Float64Array; high: Float64Array } | null;
  steps: Float64Array;
  walls: Float64Array;
}

export interface Range {
  min: number;
  max: number;
}

export interface Scaling {
  isLogX: boolean;
  isLogY: boolean;
  isClipped: boolean;
}

/** Places of the first point at or after `x`, in an ascending column. */
export function lowerBound(xs: Float64Array, x: number): number {
  let low = 0;
  let high = xs.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if (xs[middle] < x) low = middle + 1;
    else high = middle;
  }
  return low;
}

/** The point nearest to `x`, or -1 if there is none. */
export function nearest(xs: Float64Array, x: number): number {
  if (xs.length === 0) return -1;
  const after = Math.min(lowerBound(xs, x), xs.length - 1);
  const before = Math.max(0, after - 1);
  return x - xs[before] <= xs[after] - x ? before : after;
}

export function rangeX(lines: readonly Line[], isLog: boolean): Range {
  let [min, max] = [Infinity, -Infinity];
  for (const { x } of lines) {
    if (x.length === 0) continue;
    const first = isLog ? Math.min(lowerBound(x, Number.MIN_VALUE), x.length - 1) : 0;
    if (isLog && x[first] <= 0) continue;
    min = Math.min(min, x[first]);
    max = Math.max(max, x[x.length - 1]);
  }
  if (min > max) return isLog ? { min: 1, max: 10 } : { min: 0, max: 1 };
  if (min === max) return isLog ? { min: min / 2, max: max * 2 } : { min: min - 0.5, max: max + 0.5 };
  return { min, max };
}

/** Part of the values on each side that clipping leaves out. */
const OUTLYING = 0.02;

export function rangeY(lines: readonly Line[], window: Range, scaling: Scaling): Range {
  const { isLogY, isClipped } = scaling;
  let [min, max] = [Infinity, -Infinity];
  const sample: number[] = [];
  const take = (column: Float64Array, from: number, to: number) => {
    for (let i = from; i < to; i++) {
      const value = column[i];
      if (!Number.isFinite(value) || (isLogY && value <= 0)) continue;
      if (isClipped) sample.push(value);
      if (value < min) min = value;
      if (value > max) max = value;
    }
  };
  for (const line of lines) {
    const from = lowerBound(line.x, window.min);
    let to = lowerBound(line.x, window.max);
    while (to < line.x.length && line.x[to] === window.max) to++;
    take(line.y, from, to);
    if (line.raw) take(line.raw, from, to);
    if (line.band) {
      take(line.band.low, from, to);
      take(line.band.high, from, to);
    }
  }
  if (isClipped && sample.length > 10) {
    const sorted = Float64Array.from(sample).sort();
    min = sorted[Math.floor(OUTLYING * (sorted.length - 1))];
    max = sorted[Math.ceil((1 - OUTLYING) * (sorted.length - 1))];
  }
  return padded(min, max, isLogY);
}

function padded(min: number, max: number, isLog: boolean): Range {
  if (min > max) return isLog ? { min: 0.1, max: 1 } : { min: 0, max: 1 };
  if (isLog) {
    const ratio = min === max ? 2 : (max / min) ** 0.05;
    return { min: min / ratio, max: max * ratio };
  }
  const margin = min === max ? Math.abs(min) * 0.1 || 1 : (max - min) * 0.06;
  return { min: min - margin, max: max + margin };
}

/** From a value to a place along `length` pixels. What a log scale cannot show becomes NaN. */
export function projection(
  range: Range,
  isLog: boolean,
  start: number,
  length: number,
): (value: number) => number {
  if (isLog) {
    const low = Math.log(range.min);
    const factor = length / (Math.log(range.max) - low);
    return (value) => (value > 0 ? start + (Math.log(value) - low) * factor : NaN);
  }
  const factor = length / (range.max - range.min);
  return (value) => start + (value - range.min) * factor;
}

/** Whether every line lies wholly on one side of a part of the axis; a line that crosses it without a point does not. */
export function isOutside(lines: readonly Line[], window: Range): boolean {
  const reaches = ({ x }: Line) => x.length > 0 && x[x.length - 1] >= window.min && x[0] <= window.max;
  return lines.length > 0 && !lines.some(reaches);
}
