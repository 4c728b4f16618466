import { expect, it } from "vitest";
import type { RunChart } from "../../api/schema";
import { grouped, topOf, valueAt } from "./system_groups";

function chart(tag: string, unit: string, values: (number | string)[] = [1, 2]): RunChart {
  return { tag, title: tag, unit, seconds: values.map((_, i) => 5 * i), values };
}

it("puts what belongs together into one chart, CPU first", () => {
  const charts = [
    chart("system/sent", "B/s"),
    chart("system/gpu0", "%"),
    chart("system/gpu1", "%"),
    chart("system/cpu", "%"),
    chart("system/received", "B/s"),
    chart("system/process_cpu", "%"),
    chart("fan", "rpm"),
    chart("heat", "rpm"),
  ];
  expect(grouped(charts).map(({ charts: members }) => members.map(({ tag }) => tag))).toEqual([
    ["system/cpu", "system/process_cpu"],
    ["system/gpu0", "system/gpu1"],
    ["system/sent", "system/received"],
    ["fan"],
    ["heat"],
  ]);
});

it("shows percentages up to 100, or to what several cores take", () => {
  const [idle] = grouped([chart("system/cpu", "%", [3, 7])]);
  expect(topOf(idle)).toBe(100);
  const [busy] = grouped([chart("system/process_cpu", "%", [150, "NaN"])]);
  expect(topOf(busy)).toBe(150);
  const [none] = grouped([chart("system/sent", "B/s", [0, 0])]);
  expect(topOf(none)).toBe(1);
});

it("reads the last value that was measured", () => {
  const one = chart("system/cpu", "%", [3, "NaN", 7]);
  expect(valueAt(one, 4)).toBe(3);
  expect(valueAt(one, 5)).toBeNaN();
  expect(valueAt(one, 99)).toBe(7);
  expect(valueAt(one, -1)).toBeNaN();
});
