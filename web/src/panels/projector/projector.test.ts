import { expect, it, vi } from "vitest";
import { unpack } from "./api";
import { inside, matrixOf, moved, nearest, normalised, project, START, turned, zoomed } from "./camera";
import { colored, MOST_KEYS, rgbOf, scaleColor } from "./colors";
import { type Column, firstEnds, matching, textAt } from "./columns";
import { middles, placed } from "./labels";
import { fairOrder, Pace } from "./pace";
import { type Paper, scratch, sketch } from "./sketch";

function message(head: object, ...columns: (Float32Array | Uint32Array)[]): ArrayBuffer {
  let text = JSON.stringify(head);
  text += " ".repeat(-text.length & 7);
  const sizes = columns.map((column) => (column.byteLength + 7) & ~7);
  const bytes = new Uint8Array(8 + text.length + sizes.reduce((a, b) => a + b, 0));
  bytes.set(new TextEncoder().encode("TFA1"));
  new DataView(bytes.buffer).setUint32(4, text.length, true);
  bytes.set(new TextEncoder().encode(text), 8);
  let at = 8 + text.length;
  columns.forEach((column, i) => {
    bytes.set(new Uint8Array(column.buffer), at);
    at += sizes[i];
  });
  return bytes.buffer;
}

function categories(values: string[], codes: number[]): Column {
  return { name: "label", kind: "categories", values, codes: Uint32Array.from(codes), numbers: null };
}

it("takes arrays out of a message, and refuses what is none", () => {
  const head = {
    arrays: [
      { name: "0", dtype: "f4", length: 3 },
      { name: "codes", dtype: "u4", length: 1 },
    ],
  };
  const { arrays } = unpack(message(head, Float32Array.of(1, 2, 3), Uint32Array.of(7)));
  expect([...arrays.get("0")!]).toEqual([1, 2, 3]);
  expect([...arrays.get("codes")!]).toEqual([7]);
  expect(() => unpack(new TextEncoder().encode("<!doctype html>").buffer)).toThrow("not a message of arrays");
});

it("puts the middle into the middle, and moves it with the pointer", () => {
  const [width, height] = [400, 300];
  for (const is3d of [true, false]) {
    const at = (camera: typeof START) => {
      const { x, y } = project(new Float32Array(3), matrixOf(camera, is3d, width, height), width, height);
      return [x[0], y[0]];
    };
    expect(at(START)).toEqual([200, 150]);
    const [x, y] = at(moved(START, is3d, 30, -20, width, height));
    expect(x).toBeCloseTo(230, 1);
    expect(y).toBeCloseTo(130, 1);
  }
});

it("keeps what is under the pointer there while it zooms a plane", () => {
  const point = Float32Array.of(0.5, 0.25, 0);
  const before = project(point, matrixOf(START, false, 400, 300), 400, 300);
  const next = zoomed(START, false, 3, before.x[0] - 200, before.y[0] - 150, 400, 300);
  const after = project(point, matrixOf(next, false, 400, 300), 400, 300);
  expect(after.x[0]).toBeCloseTo(before.x[0], 2);
  expect(after.y[0]).toBeCloseTo(before.y[0], 2);
  expect(next.zoom).toBeCloseTo(3);
});

it("never turns upside down, and finds the point in front", () => {
  expect(turned(START, 0, 10_000).pitch).toBeCloseTo(Math.PI / 2);
  const points = Float32Array.of(0, 0, -0.9, 0, 0, 0.9, 5, 5, 5);
  const camera = { ...START, yaw: 0, pitch: 0 };
  const screen = project(points, matrixOf(camera, true, 200, 200), 200, 200);
  expect(nearest(screen, 100, 100, 8, () => true)).toBe(1);
  expect(nearest(screen, 100, 100, 8, (i) => i !== 1)).toBe(0);
  expect(nearest(screen, 10, 100, 8, () => true)).toBe(-1);
  expect(inside(screen, 90, 90, 110, 110, () => true)).toEqual([0, 1]);
});

it("brings any layout to one size, with points that have no place left out", () => {
  const places = normalised([Float32Array.of(0, 100, Number.NaN), Float32Array.of(10, 10, 10)], 3);
  expect([...places.slice(0, 6)]).toEqual([-1, 0, 0, 1, 0, 0]);
  expect(places[6]).toBeNaN();
  expect([...normalised([Float32Array.of(3, 3)], 2)]).toEqual([0, 0, 0, 0, 0, 0]);
});

it("colours categories, numbers, and more values than there are colours", () => {
  const few = colored(categories(["b", "a"], [0, 1, 1]), 3, false);
  expect(few.keys.map(({ name, count }) => [name, count])).toEqual([
    ["a", 2],
    ["b", 1],
  ]);
  expect([...few.colors.slice(4, 7)]).toEqual([...rgbOf(few.keys[0].color)]);
  const numbers = { ...categories([], []), numbers: Float32Array.of(0, 10, Number.NaN) };
  const scale = colored(numbers, 3, false);
  expect(scale.range).toEqual({ min: 0, max: 10 });
  expect([...scale.colors.slice(0, 3)]).toEqual([...scaleColor(0)]);
  const many = Array.from({ length: 200 }, (_, i) => `v${i}`);
  const codes = [...many.keys(), 7, 7];
  const cut = colored(categories(many, codes), codes.length, true);
  expect(cut.keys).toHaveLength(MOST_KEYS);
  expect(cut.keys[0].name).toBe("v7");
  expect(cut.others).toBe(150);
  expect(colored(categories(many, [...many.keys()]), 200, true).keys).toEqual([]);
});

it("reads the short form of a colour", () => {
  expect(rgbOf("#fff")).toEqual([255, 255, 255]);
  expect(rgbOf("#14171c")).toEqual([20, 23, 28]);
});

it("finds points by their text", () => {
  const column = categories(["cat", "dog"], [0, 1, 0]);
  expect(matching(column, 3, /CA/i)).toEqual([0, 2]);
  expect(textAt(column, 1)).toBe("dog");
  expect(matching(null, 12, /^#1/)).toEqual([1, 10, 11]);
});

it("writes labels that do not hide each other", () => {
  const screen = {
    x: Float32Array.of(10, 12, 200, Number.NaN),
    y: Float32Array.of(10, 11, 10, 10),
    depth: new Float32Array(4),
  };
  const labels = placed(
    [0, 1, 2, 3],
    screen,
    300,
    300,
    (i) => `label ${i}`,
    () => false,
  );
  expect(labels.map(({ text }) => text)).toEqual(["label 0", "label 2"]);
  const at = middles(new Map([[0, [0, 1, 2]]]), Float32Array.of(0, 0, 0, 1, 1, 1, 900, 900, 900));
  expect(at.get(0)).toEqual([1, 1, 1]);
});

function drawn(points: [x: number, y: number, z: number, state: number][], is3d = true): Paper {
  const [width, height] = [41, 31];
  const paper = {
    pixels: new Uint32Array(width * height),
    depths: new Float32Array(width * height),
    width,
    height,
  };
  const cloud = {
    places: Float32Array.from(points.flatMap((point) => point.slice(0, 3))),
    colors: Uint8Array.from(points.flatMap((_, i) => [10 * i, 20, 30, 255])),
    states: Uint8Array.from(points.map(([, , , state]) => state)),
  };
  const ahead = { ...START, yaw: 0, pitch: 0 };
  const look = {
    matrix: matrixOf(ahead, is3d, width, height),
    is3d,
    away: 100,
    size: 3,
    litScale: 0,
    ground: [1, 1, 1] as const,
  };
  sketch(paper, cloud, look, points.length, fairOrder(points.length));
  return paper;
}

const redAt = ({ pixels, width }: Paper, x: number, y: number) => pixels[y * width + x] & 0xff;

it("sketches points as discs, the nearer and what is lit up in front", () => {
  const GROUND = 255;
  const one = drawn([[0, 0, 0, 0]], false);
  expect(redAt(one, 20, 15)).toBe(0);
  expect(redAt(one, 17, 15)).toBe(GROUND);
  expect(one.pixels.filter((pixel) => (pixel & 0xff) !== GROUND).length).toBe(9);
  const front = drawn([
    [0, 0, 0.5, 0],
    [0, 0, -0.5, 0],
  ]);
  expect(redAt(front, 20, 15)).toBe(0);
  const lit = drawn([
    [0, 0, 0.5, 0],
    [0, 0, -0.5, 1],
  ]);
  expect(redAt(lit, 20, 15)).toBe(10);
});

it("sketches nothing of points that are hidden, nowhere or behind, and clips at the edges", () => {
  const none = drawn([
    [0, 0, 0, 3],
    [Number.NaN, 0, 0, 0],
    [0, 0, 50, 0],
    [90, 0, 0, 0],
  ]);
  expect(new Set(none.pixels).size).toBe(1);
  const aspect = 41 / 31;
  const corner = drawn([[-1.12 * aspect, 1.12, 0, 0]], false);
  expect(redAt(corner, 0, 0)).toBe(0);
  expect(corner.pixels.filter((pixel) => (pixel & 0xff) !== 255).length).toBeLessThan(9);
});

it("scratches lines from the lower left, as far as there is paper", () => {
  const paper = { pixels: new Uint32Array(12), depths: new Float32Array(12), width: 4, height: 3 };
  scratch(paper, [1, 0, 1, 9], [1, 0, 0]);
  const red = 0xff0000ff;
  expect([...paper.pixels]).toEqual([0, red, 0, 0, 0, red, 0, 0, 0, red, 0, 0]);
});

it("finds drawing slow after some frames that are, and draws all at rest", () => {
  vi.useFakeTimers();
  vi.advanceTimersByTime(1000);
  const pace = new Pace(() => {});
  const frames = (took: number, count: number) => {
    for (let i = 0; i < count; i++) {
      pace.move();
      pace.most(60_000);
      vi.advanceTimersByTime(took);
    }
    pace.move();
    return pace.most(60_000);
  };
  expect(frames(100, 1)).toBe(24_000);
  expect(pace.isSlow).toBe(false);
  expect(frames(100, 3)).toBe(60_000);
  expect(pace.isSlow).toBe(true);
  expect(frames(100, 2)).toBeLessThan(60_000);
  vi.advanceTimersByTime(2000);
  expect(pace.isMoving).toBe(false);
  expect(pace.most(60_000)).toBe(60_000);
  vi.useRealTimers();
});

it("begins axes of the user's own with the first labels", () => {
  expect(firstEnds(["a", "b", "c", "d", "e"])).toEqual(["a", "b", "c", "d"]);
  expect(firstEnds(["a", "b", "c"])).toEqual(["a", "b", "c", "b"]);
  expect(firstEnds(["a", "b"])).toEqual(["a", "b", "a", "b"]);
  expect(firstEnds(["a"])).toEqual(["", "", "", ""]);
});
