/** Mean and spread of several lines. */

export interface Curve {
  x: Float64Array;
  y: Float64Array;
}

export interface Spread {
  x: Float64Array;
  mean: Float64Array;
  low: Float64Array;
  high: Float64Array;
}

const GRID = 400;

/**
 * Mean, and mean ± one standard deviation, at the curves' own places if they share them, else on an even grid with
 * straight lines between points. A curve counts only where it has points; what is not finite does not count.
 */
export function aggregate(curves: readonly Curve[]): Spread {
  const used = curves.filter((curve) => curve.x.length > 0);
  const x = used.length ? grid(used) : new Float64Array(0);
  const mean = new Float64Array(x.length);
  const squares = new Float64Array(x.length);
  const counts = new Float64Array(x.length);
  for (const curve of used) accumulate(curve, x, counts, mean, squares);
  const deviation = squares.map((sum, i) => Math.sqrt(sum / counts[i]));
  return {
    x,
    mean: mean.map((value, i) => (counts[i] ? value : NaN)),
    low: mean.map((value, i) => value - deviation[i]),
    high: mean.map((value, i) => value + deviation[i]),
  };
}

/** Welford's update: no loss of digits where the spread is small beside the mean. */
function accumulate(
  curve: Curve,
  x: Float64Array,
  counts: Float64Array,
  mean: Float64Array,
  squares: Float64Array,
): void {
  sampled(curve, x).forEach((value, i) => {
    if (!Number.isFinite(value)) return;
    const difference = value - mean[i];
    mean[i] += difference / ++counts[i];
    squares[i] += difference * (value - mean[i]);
  });
}

/** The values of a curve at ascending places, on straight lines between its points; NaN where it has none. */
export function sampled(curve: Curve, places: Float64Array): Float64Array {
  let at = 0;
  return places.map((x) => {
    while (at + 1 < curve.x.length && curve.x[at + 1] <= x) at++;
    return curve.x.length ? between(curve, at, x) : NaN;
  });
}

function between(curve: Curve, at: number, x: number): number {
  if (x < curve.x[0] || x > curve.x[curve.x.length - 1]) return NaN;
  if (curve.x[at] === x || at + 1 >= curve.x.length) return curve.y[at];
  const part = (x - curve.x[at]) / (curve.x[at + 1] - curve.x[at]);
  return curve.y[at] + part * (curve.y[at + 1] - curve.y[at]);
}

function grid(curves: readonly Curve[]): Float64Array {
  const longest = curves.reduce((a, b) => (b.x.length > a.x.length ? b : a));
  // A shorter run that was logged at the same steps shares them, too.
  if (curves.every((curve) => curve.x.every((x, i) => x === longest.x[i]))) return longest.x;
  const min = Math.min(...curves.map((curve) => curve.x[0]));
  const max = Math.max(...curves.map((curve) => curve.x[curve.x.length - 1]));
  if (max === min) return Float64Array.of(min);
  return Float64Array.from({ length: GRID }, (_, i) => min + ((max - min) * i) / (GRID - 1));
}
