import { describe, expect, it } from "vitest";
import { aggregate } from "./aggregate";
import { formatDuration, formatTick, formatValue } from "./format";
import { type Line, lowerBound, nearest, projection, rangeX, rangeY } from "./line";
import { assignColors, PALETTE_SIZE, paletteColor } from "./palette";
import { oddities, trace } from "./pen";
import { smooth } from "./smoothing";
import { chartSvg } from "./svg";
import { ticks } from "./ticks";

function line(x: number[], y: number[], more: Partial<Line> = {}): Line {
  const columns = { x: Float64Array.from(x), y: Float64Array.from(y) };
  return {
    id: "run\ntag",
    label: "run",
    color: "#123456",
    isDashed: false,
    isStrong: false,
    raw: null,
    band: null,
    steps: columns.x,
    walls: columns.x,
    ...columns,
    ...more,
  };
}

const PLAIN = { isLogX: false, isLogY: false, isClipped: false };

describe("smooth", () => {
  it("is a debiased moving average", () => {
    const [a, b, c] = smooth(Float64Array.of(1, 2, 4), 0.6);
    expect(a).toBeCloseTo(1);
    expect(b).toBeCloseTo((0.6 * 0.4 * 1 + 0.4 * 2) / (1 - 0.6 ** 2));
    expect(c).toBeCloseTo((0.36 * 0.4 * 1 + 0.6 * 0.4 * 2 + 0.4 * 4) / (1 - 0.6 ** 3));
  });

  it("leaves a constant as it is and what is not finite out", () => {
    expect([...smooth(Float64Array.of(3, NaN, 3, Infinity, 3), 0.9)].map((v) => +v.toFixed(9))).toEqual([
      3,
      NaN,
      3,
      Infinity,
      3,
    ]);
  });
});

describe("aggregate", () => {
  it("takes mean and deviation where curves share their steps", () => {
    const curves = [line([0, 1, 2], [1, 2, 3]), line([0, 1], [3, 4])];
    const { x, mean, low, high } = aggregate(curves);
    expect([...x]).toEqual([0, 1, 2]);
    expect([...mean]).toEqual([2, 3, 3]);
    expect([...low]).toEqual([1, 2, 3]);
    expect([...high]).toEqual([3, 4, 3]);
  });

  it("interpolates where they do not, and skips NaN", () => {
    const { x, mean } = aggregate([line([0, 10], [0, 10]), line([5, 15], [NaN, NaN])]);
    const middle = x.findIndex((at) => at >= 5);
    expect(mean[middle]).toBeCloseTo(x[middle]);
    expect(mean[mean.length - 1]).toBeNaN();
  });
});

describe("ticks and numbers", () => {
  it("writes just the decimals that tell marks apart", () => {
    expect(ticks(0, 1, 4, "linear").map((tick) => tick.label)).toEqual(["0", "0.25", "0.50", "0.75", "1.00"]);
    expect(ticks(0, 7, 8, "step").map((tick) => tick.label)).toEqual([
      "0",
      "1",
      "2",
      "3",
      "4",
      "5",
      "6",
      "7",
    ]);
    expect(ticks(0, 3, 8, "step").map((tick) => tick.at)).toEqual([0, 1, 2, 3]);
    expect(ticks(1e-5, 1, 5, "log").map((tick) => tick.label)).toEqual([
      "1e-5",
      "1e-4",
      "1e-3",
      "0.01",
      "0.1",
      "1",
    ]);
    expect(ticks(0, 3e6, 3, "linear").map((tick) => tick.label)).toEqual(["0", "1M", "2M", "3M"]);
    expect(ticks(5, 5, 3, "linear")).toEqual([]);
  });

  it.each([
    [0.123456, "0.1235"],
    [-12345.6, "−12346"],
    [1e-9, "1.000e-9"],
    [NaN, "NaN"],
    [0.009999999776482582, "0.01000"],
    [-Infinity, "−∞"],
    [0, "0"],
  ])("%s is %s", (value, text) => expect(formatValue(value)).toBe(text));

  it("names durations", () => {
    expect([0.5, 75, 7260, 90000].map(formatDuration)).toEqual(["0.5s", "1m 15s", "2h 01m", "1d 1h"]);
    expect(formatTick(25000, 5000)).toBe("25k");
  });

  it("writes all marks of an axis alike", () => {
    const labels = (min: number, max: number) => ticks(min, max, 4, "linear").map(({ label }) => label);
    expect(labels(0.00093, 0.00111)).toEqual(["0.00095", "0.00100", "0.00105", "0.00110"]);
    expect(labels(9000, 11000)).toEqual(["9.0k", "9.5k", "10.0k", "10.5k", "11.0k"]);
    expect(labels(1e-4, 6e-4)).toEqual(["2e-4", "4e-4", "6e-4"]);
  });
});

describe("lines", () => {
  it("finds points", () => {
    const xs = Float64Array.of(1, 2, 2, 5);
    expect([lowerBound(xs, 0), lowerBound(xs, 2), lowerBound(xs, 9)]).toEqual([0, 1, 4]);
    expect([nearest(xs, 3), nearest(xs, 4), nearest(xs, 99), nearest(new Float64Array(0), 1)]).toEqual([
      2, 3, 3, -1,
    ]);
  });

  it("fits the range to what is in the window, and clips outliers", () => {
    const ys = Array.from({ length: 100 }, (_, i) => (i === 50 ? 1000 : 1 + i / 100));
    const one = line(Array.from(ys.keys()), ys);
    expect(rangeX([one], false)).toEqual({ min: 0, max: 99 });
    expect(rangeY([one], { min: 0, max: 99 }, PLAIN).max).toBeGreaterThan(1000);
    expect(rangeY([one], { min: 0, max: 40 }, PLAIN).max).toBeLessThan(2);
    expect(rangeY([one], { min: 0, max: 99 }, { ...PLAIN, isClipped: true }).max).toBeLessThan(3);
  });

  it("leaves what a log scale cannot show out", () => {
    const one = line([0, 1, 2], [-1, 0, 10]);
    expect(rangeY([one], { min: 0, max: 2 }, { ...PLAIN, isLogY: true }).min).toBeGreaterThan(0);
    expect(rangeX([one], true).min).toBe(1);
    expect(projection({ min: 1, max: 100 }, true, 0, 10)(10)).toBeCloseTo(5);
    expect(projection({ min: 1, max: 100 }, true, 0, 10)(-1)).toBeNaN();
  });

  it("breaks at values that are not finite and marks them", () => {
    const one = line([0, 1, 2, 3, 4], [1, NaN, 2, Infinity, -Infinity]);
    const drawn: string[] = [];
    const path = { moveTo: (x: number) => drawn.push(`M${x}`), lineTo: (x: number) => drawn.push(`L${x}`) };
    const same = (value: number) => value;
    const lonely = trace(path, one, one.y, { min: 0, max: 4 }, same, same);
    expect(drawn).toEqual(["M0", "M2"]);
    expect(lonely).toEqual([
      [0, 1],
      [2, 2],
    ]);
    expect(oddities(one, { min: 0, max: 4 }, (x) => x * 10)).toEqual([
      { x: 10, kind: "nan" },
      { x: 30, kind: "inf" },
      { x: 40, kind: "-inf" },
    ]);
  });
});

describe("palette", () => {
  it("gives few runs different colours, whatever their names", () => {
    const names = Array.from({ length: PALETTE_SIZE }, (_, i) => `run ${i * i}`);
    expect(new Set(assignColors(new Set(names), new Map()).values()).size).toBe(PALETTE_SIZE);
  });

  it("keeps a run's colour when others come and go", () => {
    const before = assignColors(new Set(["a", "b", "c"]), new Map());
    const after = assignColors(new Set(["0", "b", "c", "d"]), before);
    expect([after.get("b"), after.get("c")]).toEqual([before.get("b"), before.get("c")]);
  });

  it("takes a remembered colour back that two visible runs would share", () => {
    const colors = assignColors(
      new Set(["a", "b"]),
      new Map([
        ["a", 3],
        ["b", 3],
      ]),
    );
    expect(colors.get("a")).not.toBe(colors.get("b"));
  });
});

describe("chartSvg", () => {
  it("is well-formed XML whatever runs are called", () => {
    const view = {
      ...PLAIN,
      xKind: "step" as const,
      window: null,
      colors: { text: "", grid: "", background: "" },
    };
    const svg = chartSvg({
      title: `a<script>&"\u0000`,
      xLabel: "Step",
      lines: [line([0, 1], [1, NaN], { label: `<b onload='x'>`, color: paletteColor(0, true) })],
      x: { min: 0, max: 1 },
      y: { min: 0, max: 1 },
      view,
    });
    const parsed = new DOMParser().parseFromString(svg, "image/svg+xml");
    expect(parsed.querySelector("parsererror")).toBeNull();
    // The dark theme's colours are too pale for paper.
    expect(svg).toContain(paletteColor(0, false));
    expect(svg).not.toContain(paletteColor(0, true));
    expect(svg).not.toContain("<script");
    expect(svg).not.toContain("<b");
    expect(svg).toContain("&#60;script&#62;");
  });
});
