import { expect, it } from "vitest";
import type { MediaItem } from "../../api/schema";
import { averagePrecision, bestPoint, curveOf, curveRows } from "./curve";
import { allSteps } from "./data";

const blob = {
  thresholds: 5,
  true_positives: [4, 4, 2, 1],
  false_positives: [4, 1, 0, null],
  true_negatives: [0, 3, 4, 4],
  false_negatives: [0, 0, 2, 3],
  precision: [0.5, 0.8, 1, null],
  recall: [1, 1, 0.5, 0.25],
  problem: "",
};

it("orders points by recall and leaves out what is no number", () => {
  const curve = curveOf(blob);
  expect([...curve.recall]).toEqual([0.5, 1, 1]);
  expect([...curve.threshold]).toEqual([0.5, 0.25, 0]);
  expect([...curve.falsePositives]).toEqual([0, 1, 4]);
  expect(averagePrecision(curve)).toBeCloseTo(0.5 * 1 + 0.5 * 0.8, 12);
  expect(bestPoint(curve)).toBe(1);
  expect(curveRows("r", "t", 3, curve)[1]).toEqual(["r", "t", "3", "0.25", "0.8", "1", "4", "1", "3", "0"]);
});

it("may be a curve of nothing", () => {
  const none = curveOf({ ...blob, precision: [0], recall: [0], thresholds: 1 });
  expect([averagePrecision(none), bestPoint(none)]).toEqual([0, -1]);
});

it("has a step for every one that any run has", () => {
  const item = (step: number) => ({ step }) as MediaItem;
  const found = new Map([
    ["a", [item(0), item(10)]],
    ["b", [item(5), item(10)]],
  ]);
  expect(allSteps(found).map(({ step }) => step)).toEqual([0, 5, 10]);
});
