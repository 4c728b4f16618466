import { expect, it } from "vitest";
import type { Run } from "../../api/schema";
import { sampled } from "../../chart/aggregate";
import { makeLines } from "../scalars/lines";
import { Series } from "../scalars/series";
import { categoriesOf, folded, layout } from "./layout";

const NOT_ONE = { code: "invalid", text: "not one", values: {} };

const found = {
  problem: "",
  notes: [],
  categories: [
    {
      title: "losses",
      is_closed: true,
      charts: [
        {
          title: "all",
          lines: [
            { expression: "loss/.*", tags: ["loss/a", "loss/b"], problem: "", notes: [] },
            { expression: "loss/a", tags: ["loss/a"], problem: "", notes: [] },
            { expression: "(", tags: [], problem: "not one", notes: [NOT_ONE] },
          ],
          margins: [],
        },
        { title: "band", lines: [], margins: [{ value: "m", lower: "l", upper: "u" }] },
      ],
    },
    { title: "open", is_closed: false, charts: [] },
  ],
};

it("makes cards of charts, each tag once", () => {
  const [{ cards }] = categoriesOf(found);
  expect(cards.map(({ title, tags, problem }) => [title, tags, problem?.text ?? ""])).toEqual([
    ["all", ["loss/a", "loss/b"], "not one"],
    ["band", ["m", "l", "u"], ""],
  ]);
});

it("folds what the layout folds until the user turns it", () => {
  layout.value = found;
  expect([...folded.value]).toEqual(["losses"]);
  folded.value = new Set(["open"]);
  expect([...folded.value]).toEqual(["open"]);
});

it("draws a band between tags whose points were cut at other places", () => {
  const series = (steps: number[], factor: number) => {
    const column = Float64Array.from(steps);
    const head = { run: "r", tag: "", length: steps.length, window_total: 0, total: 0, is_raw: true };
    const rest = { missing: false, cursor: "", start_time: 0, is_reset: false, has_smoothed: false };
    const values = column.map((step) => step * factor);
    return new Series(
      { head: { ...head, ...rest }, steps: column, walls: column, values, smoothed: null },
      9,
      0,
    );
  };
  const of: Record<string, Series> = {
    m: series([0, 1, 2], 10),
    l: series([0, 2], 5),
    u: series([1, 2], 20),
  };
  const run = { id: "r", name: "r", path: ["r"], hparams: {} } as unknown as Run;
  const card = categoriesOf(found)[0].cards[1];
  const wish = { runs: [run], card, axis: "step" as const, smoothing: 0.9, showsSpread: true };
  const [line] = makeLines(wish, ({ tag }) => of[tag]);
  expect([...line.y]).toEqual([0, 10, 20]);
  expect([...line.band!.low]).toEqual([0, 5, 10]);
  expect([...line.band!.high]).toEqual([NaN, 20, 40]);
  expect(makeLines(wish, ({ tag }) => (tag === "m" ? of.m : undefined))[0].band).toBeNull();
  expect([...sampled({ x: new Float64Array(0), y: new Float64Array(0) }, Float64Array.of(1))]).toEqual([NaN]);
});
