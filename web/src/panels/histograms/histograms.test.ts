import { describe, expect, it } from "vitest";
import { bucketsCsv, percentilesCsv } from "./download";
import { marksSvg, mix } from "./marks";
import { bucketAt, heightAt, outline, spaced, valueRange } from "./outline";
import { type Look, makeScene, nearestCurve } from "./scene";
import { type Histograms, joined, NONE, ordered } from "./series";

function made(...histograms: [step: number, buckets: [number, number, number][]][]): Histograms {
  const buckets = histograms.flatMap(([, rows]) => rows);
  const column = (k: number) => Float64Array.from(buckets, (bucket) => bucket[k]);
  return joined(NONE, {
    steps: Float64Array.from(histograms, ([step]) => step),
    walls: Float64Array.from(histograms, ([step]) => 1000 + 2 * step),
    sizes: histograms.map(([, rows]) => rows.length),
    lefts: column(0),
    rights: column(1),
    counts: column(2),
    percentiles: new Float64Array(9 * histograms.length),
  });
}

const LOOK: Look = {
  mode: "offset",
  isLog: false,
  axis: "step",
  window: null,
  color: "#0072b2",
  colors: { text: "#555555", grid: "#eeeeee", background: "#fff", strong: "#000000" },
};

describe("series", () => {
  it("grows, and is put in the order of an axis", () => {
    const all = joined(made([3, [[0, 1, 2]]]), {
      ...made([
        1,
        [
          [0, 1, 5],
          [1, 2, 6],
        ],
      ]),
      sizes: [2],
    });
    expect([...all.starts]).toEqual([0, 1, 3]);
    expect([...all.counts]).toEqual([2, 5, 6]);
    expect([...ordered(all, "step", 0).rows]).toEqual([1, 0]);
    expect([...ordered(all, "relative", 1000).at]).toEqual([2, 6]);
  });
});

describe("outline", () => {
  it("goes from zero over the middles of buckets to zero", () => {
    const data = made([
      0,
      [
        [0, 10, 4],
        [10, 20, 8],
      ],
    ]);
    const { x, y } = outline(data, 0, 5);
    expect([...x]).toEqual([0, 5, 15, 20]);
    // Heights are counts in a bin: a bucket of two bins has half its count in each.
    expect([...y]).toEqual([0, 2, 4, 0]);
    expect(heightAt({ x, y }, 10)).toBe(3);
    expect(heightAt({ x, y }, 30)).toBe(0);
  });

  it("puts hair-thin buckets together, and keeps gaps empty", () => {
    const thin = made([
      0,
      [
        [0, 0.1, 1],
        [0.1, 0.2, 2],
        [0.2, 1.2, 3],
        [1.2, 1.25, 4],
      ],
    ]);
    const { x, y } = outline(thin, 0, 1);
    expect([...x].map((one) => Number(one.toFixed(3)))).toEqual([0, 0.625, 1.25]);
    expect(y[1]).toBeCloseTo(10 / 1.25);
    const gap = outline(
      made([
        0,
        [
          [0, 1, 1],
          [5, 6, 1],
        ],
      ]),
      0,
      1,
    );
    expect([...gap.x]).toEqual([0, 0.5, 1, 5, 5.5, 6]);
    expect([...gap.y]).toEqual([0, 1, 0, 0, 1, 0]);
  });

  it("makes a peak of a single value, and nothing of none", () => {
    const { x, y } = outline(made([0, [[3, 3, 7]]]), 0, 1);
    expect([...x]).toEqual([2.5, 3, 3.5]);
    expect([...y]).toEqual([0, 7, 0]);
    expect(outline(made([0, []]), 0, 1).x).toHaveLength(0);
    expect(valueRange(made([0, [[3, 3, 7]]]), [0])).toEqual({ min: 2.7, max: 3.3 });
    expect(valueRange(made([0, []]), [0])).toEqual({ min: 0, max: 1 });
  });

  it("finds the bucket of a value", () => {
    const data = made(
      [0, []],
      [
        1,
        [
          [0, 1, 2],
          [1, 2, 0],
          [2, 3, 5],
        ],
      ],
    );
    expect([0.5, 1, 2, 9, -9].map((value) => bucketAt(data, 1, value))).toEqual([0, 1, 2, 2, 0]);
    expect(bucketAt(data, 0, 1)).toBe(-1);
  });
});

describe("scene", () => {
  it("draws every step while there is room, the ends always", () => {
    const at = Float64Array.from({ length: 10_000 }, (_, i) => i);
    expect(spaced(at, 0, 100, 300)).toHaveLength(100);
    const few = spaced(at, 0, 10_000, 300);
    expect(few.length).toBeLessThan(305);
    expect([few[0], few.at(-1)]).toEqual([0, 9999]);
    expect(spaced(at, 5, 5, 300)).toEqual([]);
  });

  it("puts the newest in front, and finds what is pointed at", () => {
    const data = made([0, [[0, 1, 4]]], [10, [[0, 1, 4]]], [20, [[0, 1, 4]]]);
    const scene = makeScene(data, ordered(data, "step", 0), LOOK, 300, 200);
    expect(scene.curves.map(({ place }) => place)).toEqual([0, 1, 2]);
    const [back, , front] = scene.curves;
    expect(back.foot).toBeLessThan(front.foot);
    expect(nearestCurve(scene, scene.toX(0.5), front.foot - scene.lift(4 / 80))?.place).toBe(2);
    expect(scene.toAxis(scene.curves[1].foot)).toBeCloseTo(10);
    const zoomed = makeScene(
      data,
      ordered(data, "step", 0),
      { ...LOOK, window: { min: 5, max: 10 } },
      300,
      200,
    );
    expect([zoomed.first, zoomed.last]).toEqual([1, 2]);
  });

  it("can be saved", () => {
    const data = made([0, [[0, 1, 4]]]);
    const scene = makeScene(
      data,
      ordered(data, "step", 0),
      { ...LOOK, mode: "overlay", isLog: true },
      300,
      200,
    );
    const svg = marksSvg("<a>", scene.marks, 300, 200);
    expect(svg).toContain("&#60;a&#62;");
    expect(svg).toContain("<polyline");
    expect(bucketsCsv(data)).toBe("step,wall_time,left,right,count\r\n0,1000,0,1,4\r\n");
    expect(percentilesCsv(data).split("\r\n")[0]).toBe(
      "step,wall_time,p0,p6.68,p15.87,p30.85,p50,p69.15,p84.13,p93.32,p100",
    );
  });

  it("mixes colours, long and short", () => {
    expect(mix("#fff", "#000000", 0.5)).toBe("#808080");
    expect(mix("red", "#123456", 0.5)).toBe("#123456");
  });
});
