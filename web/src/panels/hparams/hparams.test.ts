import { describe, expect, it } from "vitest";
import type { HParamsAnswer, Setting } from "../../api/schema";
import { conditionOf, spanOf } from "./brushes";
import { batches, merged } from "./canvas";
import { type Column, makeColumns, sortedBy } from "./columns";
import { type Condition, conditionsCodec, matching } from "./conditions";
import { csvOf, escapeLatex, jsonOf, latexOf } from "./files";
import { SHADES, shadeOf, shades } from "./ramp";
import { kindsOf, makeScale } from "./scale";
import { spaced } from "./scatter_plot";

function hparam(name: string, kind: "number" | "string" | "bool", values: (Setting | null)[]) {
  return { name, kind, values, display_name: "", description: "", differs: new Set(values).size > 1 };
}

function answer(): HParamsAnswer {
  return {
    groups: [0, 1, 2, 3].map((i) => ({
      name: `g${i}`,
      sessions: [`run-${i}`],
      runs: [`id${i}`],
      status: "success",
      start_time: 1.7e9 + i,
      duration_s: 10 * i,
    })),
    hparams: [
      hparam("lr", "number", [0.1, 0.001, null, "NaN"]),
      hparam("opt", "string", ["b10", "b2", "=a", null]),
      hparam("on", "bool", [true, false, true, true]),
      hparam("same", "number", [1, 1, 1, 1]),
    ],
    metrics: [
      {
        tag: "loss",
        group: "a:b",
        display_name: "",
        description: "",
        is_declared: false,
        values: [1, "Infinity", 3, null],
      },
    ],
    left_out: "",
    notes: [],
  };
}

const all = makeColumns(answer());
const of = (key: string): Column => all.find((column) => column.key === key)!;

describe("columns", () => {
  it("has what differs, metrics and facts, each under a key of its own", () => {
    expect(all.filter((column) => column.isUsual).map(({ key }) => key)).toEqual([
      "h:lr",
      "h:opt",
      "h:on",
      "m:a%3Ab:loss",
      "s:status",
      "s:duration",
    ]);
    expect(of("m:a%3Ab:loss").title).toBe("a:b/loss");
    expect(of("h:opt").categories).toEqual(["=a", "b2", "b10"]);
    expect([0, 1, 2, 3].map(of("h:lr").text)).toEqual(["0.1", "0.001", "", "NaN"]);
  });

  it("sorts numbers by value, texts naturally, and what is missing last", () => {
    const rows = [0, 1, 2, 3];
    expect(sortedBy(of("h:lr"), rows, false)).toEqual([1, 0, 2, 3]);
    expect(sortedBy(of("h:lr"), rows, true)).toEqual([0, 1, 2, 3]);
    expect(sortedBy(of("h:opt"), rows, true)).toEqual([0, 1, 2, 3]);
    expect(sortedBy(of("m:a%3Ab:loss"), rows, true)).toEqual([1, 2, 0, 3]);
  });
});

describe("conditions", () => {
  const passing = (key: string, condition: Condition) => [...matching(all, new Map([[key, condition]]), 4)];

  it("keeps ranges, choices, spans and matches; never what is missing", () => {
    expect(passing("h:lr", { kind: "range", min: 0.01, max: 1 })).toEqual([1, 0, 0, 0]);
    expect(passing("h:lr", { kind: "range", min: -Infinity, max: Infinity })).toEqual([1, 1, 0, 0]);
    expect(passing("h:opt", { kind: "choice", values: new Set(["b2", "="]) })).toEqual([0, 1, 0, 0]);
    expect(passing("h:opt", { kind: "span", from: "b2", to: "b10" })).toEqual([1, 1, 0, 0]);
    expect(passing("h:opt", { kind: "match", text: "^b" })).toEqual([1, 1, 0, 0]);
    expect(passing("h:on", { kind: "choice", values: new Set(["true"]) })).toEqual([1, 0, 1, 1]);
    expect(passing("h:opt", { kind: "range", min: 0, max: 1 })).toEqual([1, 1, 1, 1]);
    expect(passing("h:gone", { kind: "range", min: 0, max: 1 })).toEqual([1, 1, 1, 1]);
  });

  it("goes into an address and comes back", () => {
    const conditions = new Map<string, Condition>([
      ["m:a%3Ab:loss", { kind: "range", min: -Infinity, max: 0.5 }],
      ["h:a~b,c", { kind: "choice", values: new Set(["x~y", "1,2", ""]) }],
      ["h:s", { kind: "span", from: "a", to: "ü" }],
      ["h:x", { kind: "match", text: "^(a|b)~,$" }],
    ]);
    expect(conditionsCodec.parse(conditionsCodec.format(conditions))).toEqual(conditions);
    expect(conditionsCodec.parse("h:a~r~2~1,h:b~r~x~1,h:c,%E0~q").size).toBe(0);
  });
});

describe("scales", () => {
  const numbers = (...values: number[]) =>
    makeColumns({ ...answer(), groups: [], hparams: [hparam("x", "number", values)], metrics: [] })[0];

  it("draws what crowds at the lower end in logarithms", () => {
    expect(makeScale(numbers(1e-5, 1e-4, 1e-3, 0.1), undefined, 5).kind).toBe("log");
    expect(makeScale(numbers(0.01, 0.3, 0.5, 0.6), undefined, 5).kind).toBe("linear");
    expect(makeScale(numbers(-1, 0, 5), "log", 5).kind).toBe("linear");
    expect(kindsOf(numbers(0, 1))).toEqual(["linear", "quantile"]);
    expect(kindsOf(of("h:opt"))).toEqual([]);
  });

  it("places values, and gives them back", () => {
    const log = makeScale(numbers(1, 10, 100), "log", 5);
    expect([...log.units].map((unit) => Number(unit.toFixed(9)))).toEqual([0, 0.5, 1]);
    expect(log.valueAt(0.5)).toBeCloseTo(10);
    const quantile = makeScale(numbers(1, 2, 1000, 2), "quantile", 5);
    expect([...quantile.units]).toEqual([0, 0.5, 1, 0.5]);
    expect([quantile.valueAt(0.5), quantile.unitOf(501), quantile.unitOf(5000)]).toEqual([2, 0.75, 1]);
    expect([...makeScale(numbers(7, 7), undefined, 5).units]).toEqual([0.5, 0.5]);
    expect([...makeScale(of("m:a%3Ab:loss"), "linear", 5).units]).toEqual([0, 1, 1, NaN]);
    expect(makeScale(numbers(NaN), undefined, 5).units[0]).toBeNaN();
  });

  it("turns brushes into conditions and back", () => {
    const scale = makeScale(numbers(0, 10), "linear", 5);
    expect(conditionOf(numbers(0, 10), scale, [0.2, 0.5])).toEqual({ kind: "range", min: 2, max: 5 });
    expect(conditionOf(numbers(0, 10), scale, [0.2, 1])).toEqual({ kind: "range", min: 2, max: Infinity });
    expect(conditionOf(numbers(0, 10), scale, [0, 1])).toBeNull();
    expect(spanOf(numbers(0, 10), scale, { kind: "range", min: 2, max: Infinity })).toEqual([0.2, 1]);
    const names = makeScale(of("h:opt"), undefined, 5);
    expect(conditionOf(of("h:opt"), names, [0.4, 1])).toEqual({
      kind: "choice",
      values: new Set(["b2", "b10"]),
    });
    expect(conditionOf(of("h:opt"), names, [0.1, 0.2])).toBeNull();
    expect(spanOf(of("h:opt"), names, { kind: "choice", values: new Set(["b2", "gone"]) })).toEqual([
      0.35, 0.65,
    ]);
    expect(spanOf(of("h:opt"), names, { kind: "match", text: "b" })).toBeNull();
  });
});

describe("files", () => {
  const sheet = {
    columns: ["h:lr", "h:opt", "m:a%3Ab:loss"].map((key) => ({ title: key.slice(2), column: of(key) })),
    names: ["one", "t_2", "three", "four"],
    rows: [1, 2],
  };

  it("are what they should be", () => {
    expect(csvOf(sheet)).toBe("session,lr,opt,a%3Ab:loss\r\nt_2,0.001,b2,Infinity\r\nthree,,'=a,3\r\n");
    expect(JSON.parse(jsonOf(sheet))).toEqual([
      { session: "t_2", values: { lr: 0.001, opt: "b2", "a%3Ab:loss": "Infinity" } },
      { session: "three", values: { lr: null, opt: "=a", "a%3Ab:loss": 3 } },
    ]);
    expect(latexOf(sheet).split("\n").slice(1, 4)).toEqual([
      "session & lr & opt & a\\%3Ab:loss \\\\ \\hline",
      "t\\_2 & $0.001$ & b2 & $\\infty$ \\\\",
      "three & -- & =a & $3$ \\\\",
    ]);
    expect(escapeLatex("a\\b{}^~")).toBe("a\\textbackslash{}b\\{\\}\\textasciicircum{}\\textasciitilde{}");
  });
});

it("has as many shades as it says, from end to end", () => {
  expect(shades(false)).toHaveLength(SHADES);
  expect([shadeOf(0), shadeOf(1), shadeOf(NaN)]).toEqual([0, SHADES - 1, -1]);
});

describe("drawing", () => {
  it("puts rows of several shades into one step, as long as they are few", () => {
    const shade = Int16Array.of(1, 0, -1, 1, 1);
    const steps = [...batches([0, 1, 2, 3, 4], shade, 2, 3)];
    expect(steps).toEqual([
      [
        { shade: -1, rows: [2] },
        { shade: 0, rows: [1] },
        { shade: 1, rows: [0, 3, 4] },
      ],
    ]);
    expect([...batches([0, 3, 4], shade, 2, 2)].map((some) => some.map(({ rows }) => rows))).toEqual([
      [[0, 3]],
      [[4]],
    ]);
  });

  it("merges steps, and does each of them once", () => {
    const done: number[] = [];
    const steps = [0, 1, 2, 3, 4].map((i) => () => {
      done.push(i);
    });
    const few = [...merged(steps, 2)];
    expect(few.length).toBe(3);
    for (const step of few) step(null as unknown as CanvasRenderingContext2D);
    expect(done).toEqual([0, 1, 2, 3, 4]);
    expect([...merged(steps, 0)].length).toBe(5);
  });
});

it("leaves out marks of an axis that would stand on others", () => {
  const ticks = [0, 0.07, 0.31, 1, 0.95].map((at) => ({ at }));
  expect(spaced(ticks, 4).map(({ at }) => at)).toEqual([0, 0.31, 0.95]);
  expect(spaced(ticks, 100)).toHaveLength(5);
});
