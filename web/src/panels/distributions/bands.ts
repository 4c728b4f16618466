/** Percentiles as the lines of a chart: four bands around the median, from all elements to the middle third. */

import { formatValue } from "../../chart/format";
import type { Line } from "../../chart/line";
import { BASIS_POINTS, type Histograms, type Ordered } from "../histograms/series";

/** Of the upper edges of the bands, the place in `BASIS_POINTS`; the lower edge is as far from the other end. */
const UPPER = [8, 7, 6, 5];
const MEDIAN = 4;

/** Hundredths of a percent as a percentage. */
export function percent(point: number): string {
  return formatValue(point / 100, point % 100 ? 3 : 2);
}

/** Steps at which nothing was counted are left out: there is no percentile of nothing. */
export function bandLines(
  data: Histograms,
  order: Ordered,
  color: string,
  words: (low: string, high: string) => string,
): Line[] {
  const filled = Array.from(order.rows, (row, i) => ({ row, at: order.at[i] })).filter(({ row }) =>
    isFilled(data, row),
  );
  const pick = (of: (one: { row: number; at: number }) => number) => Float64Array.from(filled, of);
  const percentile = (k: number) => pick(({ row }) => data.percentiles[row * BASIS_POINTS.length + k]);
  const shared = {
    color,
    isDashed: false,
    isStrong: false,
    raw: null,
    x: pick(({ at }) => at),
    y: percentile(MEDIAN),
    steps: pick(({ row }) => data.steps[row]),
    walls: pick(({ row }) => data.walls[row]),
  };
  return UPPER.map((k) => {
    const low = BASIS_POINTS.length - 1 - k;
    return {
      ...shared,
      id: String(k),
      label: words(percent(BASIS_POINTS[low]), percent(BASIS_POINTS[k])),
      band: { low: percentile(low), high: percentile(k) },
    };
  });
}

function isFilled(data: Histograms, row: number): boolean {
  for (let b = data.starts[row]; b < data.starts[row + 1]; b++) if (data.counts[b] > 0) return true;
  return false;
}

/** Name and value of every percentile at one place, the largest first. */
export function readings(
  lines: readonly Line[],
  index: number,
  words: { largest: string; median: string; least: string },
): [string, string][] {
  const upper = lines.map(({ band }, i) => [name(UPPER[i]), band!.high[index]] as const);
  const lower = lines.map(
    ({ band }, i) => [name(BASIS_POINTS.length - 1 - UPPER[i]), band!.low[index]] as const,
  );
  const all = [...upper, [words.median, lines[0].y[index]] as const, ...lower.reverse()];
  return all.map(([text, value]) => [text, formatValue(value)]);

  function name(k: number): string {
    if (k === 0) return words.least;
    return k === BASIS_POINTS.length - 1 ? words.largest : `${percent(BASIS_POINTS[k])} %`;
  }
}
