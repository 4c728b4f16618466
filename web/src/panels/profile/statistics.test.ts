import { expect, it } from "vitest";
import type { ProfileOverview, ProfileSteps } from "../../api/schema";
import { formatBytes, formatMoment, formatSeconds, formatShare } from "./format";
import { figures, PHASES, shares } from "./statistics";
import { barsOf, pathOf } from "./step_bars";

function stepsOf(walls: number[], counts = walls.map(() => 1), compile = walls.map(() => 0)): ProfileSteps {
  const none = walls.map(() => 0);
  const phases = Object.fromEntries(PHASES.map((phase) => [phase, none]));
  return {
    kinds: ["train"],
    names: none,
    numbers: walls.map((_, i) => i),
    counts,
    starts: none,
    walls,
    phases: { ...phases, compile, device: walls.map((wall, i) => wall - compile[i]) },
    total: walls.length,
  };
}

it("counts every step of a program, and leaves those out that compile", () => {
  const steps = stepsOf([100, 4, 2, 8], [1, 4, 1, 1], [90, 0, 0, 0]);
  const found = figures({ steps, main: "train" } as ProfileOverview)!;
  expect(found.count).toBe(7);
  expect(found.mean).toBeCloseTo(14 / 6);
  expect(found).toMatchObject({ median: 1, p95: 8, longest: 8 });
  expect(found.left).toBe(1);
  expect(figures({ steps, main: "test" } as ProfileOverview)).toBeNull();
  expect(figures({ steps: stepsOf([5], [1], [5]), main: "train" } as ProfileOverview)?.mean).toBe(5);
});

it("gives shares of what took time", () => {
  expect(shares({ input: 3, device: 1, host: 0 })).toEqual([
    { phase: "input", seconds: 3, share: 0.75 },
    { phase: "device", seconds: 1, share: 0.25 },
  ]);
});

it("draws every step where there is room, and else the longest in a pixel", () => {
  const few = barsOf(stepsOf([1, 2, 3]), [0, 1, 2], null, 300, new Set());
  expect(few.bars.map(({ left, width }) => [left, width])).toEqual([
    [0, 100],
    [100, 100],
    [200, 100],
  ]);
  const walls = Array.from({ length: 10_000 }, (_, i) => (i === 4321 ? 99 : 1));
  const entries = walls.map((_, i) => i);
  const many = barsOf(stepsOf(walls), entries, null, 500, new Set());
  expect(many.bars.length).toBe(500);
  expect(many.most).toBe(99);
  expect(many.bars.some(({ entry }) => entry === 4321)).toBe(true);
  const part = barsOf(stepsOf(walls), entries, { begin: 4320, end: 4323 }, 300, new Set());
  expect(part.bars.map(({ entry }) => entry)).toEqual([4320, 4321, 4322]);
});

it("gives a program of many steps the width of all and the time of one, without hidden phases", () => {
  const { bars, most } = barsOf(stepsOf([8, 2], [4, 1]), [0, 1], null, 100, new Set());
  expect(bars.map(({ width }) => width)).toEqual([80, 20]);
  expect(most).toBe(2);
  expect(pathOf(bars, PHASES.indexOf("device"), 100, most)).toBe(
    "M0.00 100.00v-100.00h79.00v100.00zM80.00 100.00v-100.00h19.00v100.00z",
  );
  expect(barsOf(stepsOf([8]), [0], null, 100, new Set(["device"])).most).toBe(0);
});

it("writes times and sizes in a unit that fits", () => {
  expect([0, 123, 1.5, 0.0144, 4.2e-5, 3e-9].map(formatSeconds)).toEqual([
    "0 s",
    "123 s",
    "1.50 s",
    "14.4 ms",
    "42.0 µs",
    "3.00 ns",
  ]);
  expect(formatMoment(0.0125, 0.0005)).toBe("12.5 ms");
  expect(formatMoment(7.5, 2.5)).toBe("7.5 s");
  expect([0, 1500, 2.5e8, 3e12].map(formatBytes)).toEqual(["0 B", "1.5 kB", "250 MB", "3.0 TB"]);
  expect([0.005, 0.53].map(formatShare)).toEqual(["0.5%", "53%"]);
});
