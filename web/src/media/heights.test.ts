import { expect, it } from "vitest";
import { rowHeight } from "./heights";

it.each([
  [["low"], 80],
  [["low", "high"], 300],
  [["low", "huge"], 320],
  [["unknown"], 320],
])("a row of the cards %j is %i pixels high", (ids, height) => {
  const heights = new Map([
    ["low", 80],
    ["high", 300],
    ["huge", 4000],
  ]);
  expect(rowHeight(heights, ids, 320, 320)).toBe(height);
});

it("may be higher than usual where a panel says so", () => {
  expect(rowHeight(new Map([["sounds", 250]]), ["sounds"], 168, 420)).toBe(250);
});
