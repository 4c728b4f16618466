import { expect, it } from "vitest";
import { bandLines, readings } from "./bands";

const POINTS = [0, 1, 2, 3, 4, 5, 6, 7, 8];

it("makes bands around the median, and leaves out steps at which nothing was counted", () => {
  const data = {
    steps: Float64Array.of(0, 1),
    walls: Float64Array.of(5, 6),
    starts: Uint32Array.of(0, 1, 2),
    lefts: Float64Array.of(0, 0),
    rights: Float64Array.of(8, 0),
    counts: Float64Array.of(9, 0),
    percentiles: Float64Array.of(...POINTS, ...POINTS),
  };
  const order = { rows: Uint32Array.of(0, 1), at: Float64Array.of(0, 1) };
  const lines = bandLines(data, order, "#000000", (low, high) => `${low} to ${high}`);
  expect(lines.map(({ label }) => label)).toEqual([
    "0 to 100",
    "6.68 to 93.3",
    "15.9 to 84.1",
    "30.9 to 69.2",
  ]);
  expect(lines.map(({ band }) => [band!.low[0], band!.high[0]])).toEqual([
    [0, 8],
    [1, 7],
    [2, 6],
    [3, 5],
  ]);
  expect([...lines[0].steps]).toEqual([0]);
  const words = { largest: "max", median: "median", least: "min" };
  expect(readings(lines, 0, words).map(([name, value]) => `${name} ${Number(value)}`)).toEqual([
    "max 8",
    "93.3 % 7",
    "84.1 % 6",
    "69.2 % 5",
    "median 4",
    "30.9 % 3",
    "15.9 % 2",
    "6.68 % 1",
    "min 0",
  ]);
});
