import { expect, it } from "vitest";
import { LANE, layOut, moved, rowUnder, zoomed } from "./layout";
import type { Timeline } from "./timeline";

const WHOLE = { begin: 0, end: 1000 };

it("lays tracks out below the heading of their process, collapsed ones in one lane", () => {
  const lanes = (count: number) => Array.from({ length: count }, () => ({ first: 0, last: 0 }));
  const timeline = {
    tracks: [
      { process: "host", name: "main", lanes: lanes(3) },
      { process: "host", name: "worker", lanes: lanes(2) },
      { process: "device", name: "ops", lanes: lanes(1) },
    ],
  } as Timeline;
  const { rows, height } = layOut(timeline, new Set([1]));
  expect(rows.map(({ track, lanes }) => [track, lanes])).toEqual([
    [-1, 0],
    [0, 3],
    [1, 1],
    [-1, 0],
    [2, 1],
  ]);
  expect(height).toBe(rows[4].top + rows[4].height);
  expect(rowUnder(rows, rows[1].top + LANE)).toEqual({ row: rows[1], lane: 1 });
  expect(rowUnder(rows, rows[2].top + LANE + 1)?.lane).toBe(-1);
  expect(rowUnder(rows, height + 1)).toBeNull();
});

it("zooms about a moment, within the whole and down to a nanosecond", () => {
  expect(zoomed({ begin: 0, end: 100 }, WHOLE, 0.5, 50)).toEqual({ begin: 25, end: 75 });
  expect(zoomed({ begin: 0, end: 900 }, WHOLE, 2, 450)).toEqual(WHOLE);
  const { begin, end } = zoomed({ begin: 10, end: 12 }, WHOLE, 0.001, 11);
  expect(end - begin).toBe(1);
});

it("does not leave the whole", () => {
  expect(moved({ begin: 10, end: 110 }, WHOLE, -50)).toEqual({ begin: 0, end: 100 });
  expect(moved({ begin: 850, end: 950 }, WHOLE, 200)).toEqual({ begin: 900, end: 1000 });
});
