/** A PR curve: points by ascending recall, as a chart needs them. */

import type { PrCurveBlob } from "../../api/schema";

export interface Curve {
  threshold: Float64Array;
  precision: Float64Array;
  recall: Float64Array;
  truePositives: Float64Array;
  falsePositives: Float64Array;
  trueNegatives: Float64Array;
  falseNegatives: Float64Array;
}

/** Points that are numbers; of those with the same recall the one with the highest threshold comes first. */
export function curveOf(blob: PrCurveBlob): Curve {
  const isNumber = (i: number) => blob.recall[i] !== null && blob.precision[i] !== null;
  const places = blob.recall.map((_, i) => i).filter(isNumber);
  places.sort((a, b) => blob.recall[a]! - blob.recall[b]! || b - a);
  const column = (values: readonly (number | null)[]) => Float64Array.from(places, (i) => values[i] ?? NaN);
  return {
    threshold: Float64Array.from(places, (i) => i / Math.max(1, blob.thresholds - 1)),
    precision: column(blob.precision),
    recall: column(blob.recall),
    truePositives: column(blob.true_positives),
    falsePositives: column(blob.false_positives),
    trueNegatives: column(blob.true_negatives),
    falseNegatives: column(blob.false_negatives),
  };
}

/** Average precision: the precision at each point, weighted by how much recall it adds. */
export function averagePrecision({ recall, precision }: Curve): number {
  let [sum, before] = [0, 0];
  recall.forEach((value, i) => {
    sum += (value - before) * precision[i];
    before = value;
  });
  return sum;
}

/** The point where the harmonic mean of precision and recall is largest; -1 if there is none. */
export function bestPoint({ recall, precision }: Curve): number {
  let [best, most] = [-1, 0];
  recall.forEach((value, i) => {
    const f1 = (2 * value * precision[i]) / (value + precision[i]);
    if (f1 > most) [best, most] = [i, f1];
  });
  return best;
}

export const CSV_HEAD = [
  "run",
  "tag",
  "step",
  "threshold",
  "precision",
  "recall",
  "true_positives",
  "false_positives",
  "true_negatives",
  "false_negatives",
];

export function curveRows(run: string, tag: string, step: number, curve: Curve): string[][] {
  const columns = [
    curve.threshold,
    curve.precision,
    curve.recall,
    curve.truePositives,
    curve.falsePositives,
    curve.trueNegatives,
    curve.falseNegatives,
  ];
  return Array.from(curve.recall, (_, i) => [
    run,
    tag,
    String(step),
    ...columns.map((column) => String(column[i])),
  ]);
}
