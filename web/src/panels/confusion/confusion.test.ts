import { describe, expect, it } from "vitest";
import { withoutTwins } from "../../media/twins";
import { Counts, type Tag } from "../../state/tags";
import { windowInside, zoomed } from "./chart";
import { shortCount } from "./drawing";
import { formatShare, Matrix, matrixRows } from "./matrix";

/** 8 of 10 a are right, 1 of 4 b, and c was never seen but predicted once. */
const matrix = new Matrix({
  names: ["a10", "b", "a2"],
  gaps: [0, 1, 2, 1, 1],
  counts: [8, 2, 2, 1, 1],
});

describe("Matrix", () => {
  it("is made of the counts that are not 0", () => {
    expect([...matrix.counts]).toEqual([8, 2, 0, 2, 1, 1, 0, 0, 0]);
    expect([...matrix.support]).toEqual([10, 4, 0]);
    expect([...matrix.predicted]).toEqual([10, 3, 1]);
    expect([matrix.total, matrix.accuracy, matrix.most]).toEqual([14, 9 / 14, 8]);
    expect(matrix.worst).toEqual({ row: 0, column: 1 });
  });

  it("measures classes, also those that are not there", () => {
    expect([matrix.precision(0), matrix.recall(0), matrix.f1(0)]).toEqual([0.8, 0.8, 0.8]);
    expect([matrix.precision(1), matrix.recall(1)]).toEqual([1 / 3, 1 / 4]);
    expect([matrix.precision(2), matrix.recall(2), matrix.f1(2)]).toEqual([0, NaN, 0]);
    expect(formatShare(matrix.recall(2))).toBe("–");
    expect([matrix.takenFor(1), matrix.takenFor(2)]).toEqual([{ row: 1, column: 0 }, null]);
    const pair = { row: 1, column: 0 };
    expect([matrix.shareOfRow(pair), matrix.shareOfColumn(pair)]).toEqual([0.5, 0.2]);
  });

  it("weighs cells by what they are a part of", () => {
    const pair = { row: 1, column: 0 };
    expect((["counts", "row", "column"] as const).map((mode) => matrix.weight(pair, mode))).toEqual([
      0.25, 0.5, 0.2,
    ]);
  });

  it("puts the class that is most often wrong first", () => {
    const orders = (["index", "name", "support", "error", "errors"] as const).map((sort) => [
      ...matrix.order(sort),
    ]);
    expect(orders).toEqual([
      [0, 1, 2],
      [2, 0, 1],
      [0, 1, 2],
      [1, 0, 2],
      [1, 0, 2],
    ]);
  });

  it("is saved in the order shown", () => {
    expect(matrixRows(matrix, matrix.order("error"), "x").slice(0, 2)).toEqual([
      ["x", "b", "a10", "a2"],
      ["b", "1", "2", "1"],
    ]);
  });

  it("may be empty", () => {
    const none = new Matrix({ names: ["a", "b"], gaps: [], counts: [] });
    expect([none.worst, none.total, none.weight({ row: 0, column: 1 }, "row")]).toEqual([null, 0, 0]);
    expect([...none.order("error")]).toEqual([0, 1]);
  });
});

describe("the part shown", () => {
  it("stays inside and is never smaller than a few cells", () => {
    expect(windowInside({ x: -5, y: 95, span: 20 }, 100)).toEqual({ x: 0, y: 80, span: 20 });
    expect(windowInside({ x: 3, y: 3, span: 500 }, 100)).toBeNull();
    expect(zoomed(null, 0.5, 100)).toEqual({ x: 25, y: 25, span: 50 });
    expect(zoomed({ x: 10, y: 10, span: 5 }, 0.5, 100, { x: 0, y: 1 })).toEqual({ x: 10, y: 11, span: 4 });
    expect(zoomed(null, 0.5, 2)).toBeNull();
  });
});

it("shortens counts", () => {
  expect([7, 9999, 12345, 2_500_000, 0.5].map(shortCount)).toEqual(["7", "9,999", "12.3k", "2.5M", "0.50"]);
});

it("leaves the pictures of matrices out of the images, run by run", () => {
  const entry = (tag: string, ...runs: string[]): [string, Tag] => [
    tag,
    {
      tag,
      display_name: "",
      description: "",
      counts: Counts.of(Object.fromEntries(runs.map((run) => [run, 1]))),
    },
  ];
  const pictures = new Map([entry("a/image", "r", "s"), entry("b/image", "r"), entry("c", "r")]);
  const matrices = new Map([entry("a", "r"), entry("b", "r"), entry("c", "r")]);
  const found = withoutTwins(pictures, matrices, "/image");
  expect([...found].map(([tag, { counts }]) => [tag, [...counts.runs()]])).toEqual([
    ["a/image", ["s"]],
    ["c", ["r"]],
  ]);
});
