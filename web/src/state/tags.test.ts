import { expect, it } from "vitest";
import { Counts } from "./tags";

it("knows what each run has, and what has changed since", () => {
  const places = new Map([
    ["a", 0],
    ["b", 1],
    ["c", 2],
  ]);
  const counts = new Counts(places, Float32Array.from([3, 0, 5]));
  expect([...counts.runs()]).toEqual(["a", "c"]);
  counts.set("b", 1);
  counts.set("d", 7);
  counts.set("a", 0);
  expect(["a", "b", "c", "d", "e"].map((run) => counts.get(run))).toEqual([0, 1, 5, 7, 0]);
  expect([...counts.runs()]).toEqual(["c", "b", "d"]);
  expect(counts.has("a")).toBe(false);
  expect(counts.some((run) => run === "d")).toBe(true);
  expect(counts.some((run) => run === "a")).toBe(false);
});
