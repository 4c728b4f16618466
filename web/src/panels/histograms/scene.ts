/** The drawing of many histograms: behind each other, the oldest at the back, or all over each other. */

import { projection, type Range } from "../../chart/line";
import { type AxisKind, ticks } from "../../chart/ticks";
import { line, type Mark, mix, type Shape } from "./marks";
import { binOf, heightAt, type Outline, outline, spaced, valueRange } from "./outline";
import type { Histograms, Ordered } from "./series";

export interface Look {
  mode: "offset" | "overlay";
  isLog: boolean;
  axis: AxisKind;
  /** The part of the axis shown; null for all. */
  window: Range | null;
  color: string;
  colors: { text: string; grid: string; background: string; strong: string };
}

export interface Box {
  left: number;
  top: number;
  width: number;
  height: number;
}

/** One histogram of a scene: which, its shape, and the height of its foot. */
export interface Curve {
  /** Its place in the order of the axis. */
  place: number;
  outline: Outline;
  foot: number;
}

export interface Scene {
  marks: Mark[];
  box: Box;
  /** Places on the axis that are in the window: from the first to before the last. */
  first: number;
  last: number;
  values: Range;
  curves: Curve[];
  look: Look;
  toX: (value: number) => number;
  toValue: (x: number) => number;
  /** How far above its foot a height is drawn. */
  lift: (height: number) => number;
  /** Any histogram of the axis, also one that is not drawn. */
  curve: (place: number) => Curve;
  /** Where on the axis a height of the drawing is. */
  toAxis: (y: number) => number;
}

/** How much of the plot the tallest histogram takes. */
const TALLEST = { several: 0.42, single: 0.9 };
const MARGIN = { offset: { left: 12, right: 56 }, overlay: { left: 50, right: 12 }, top: 8, bottom: 22 };
/** Histograms a pixel of height: more would only be drawn over. */
const DENSEST = 1;
const MOST_OVERLAID = 500;

export function makeScene(
  data: Histograms,
  order: Ordered,
  look: Look,
  width: number,
  height: number,
): Scene {
  const { mode, isLog, window } = look;
  const margin = MARGIN[mode];
  const box = {
    left: margin.left,
    top: MARGIN.top,
    width: Math.max(10, width - margin.left - margin.right),
    height: Math.max(10, height - MARGIN.top - MARGIN.bottom),
  };
  const [first, last] = inWindow(order.at, window);
  const values = valueRange(data, order.rows.subarray(first, last));
  const bin = binOf(values);
  const bottom = box.top + box.height;
  const isSingle = last - first <= 1 || mode === "overlay";
  const reach = box.height * (isSingle ? TALLEST.single : TALLEST.several);
  const span = { min: order.at[first] ?? 0, max: order.at[last - 1] ?? 1 };
  const toFoot = isSingle
    ? () => bottom
    : projection(padded(span), false, box.top + reach, box.height - reach);
  const curve = (place: number): Curve => ({
    place,
    outline: outline(data, order.rows[place], bin),
    foot: toFoot(order.at[place]),
  });
  const most = mode === "overlay" ? MOST_OVERLAID : Math.ceil(box.height * DENSEST);
  const curves = spaced(order.at, first, last, most).map(curve);

  const tall = isLog ? Math.log1p : (value: number) => value;
  let tallest = 0;
  for (const one of curves) for (const y of one.outline.y) if (y > tallest) tallest = y;
  const lift = (value: number) => (tallest > 0 ? (tall(value) / tall(tallest)) * reach : 0);
  const toX = projection(values, false, box.left, box.width);
  const toValue = (x: number) => values.min + ((x - box.left) / box.width) * (values.max - values.min);
  const toAxis = (y: number) =>
    span.min + ((y - box.top - reach) / (box.height - reach)) * (span.max - span.min);

  const scene: Scene = {
    marks: [],
    box,
    first,
    last,
    values,
    curves,
    look,
    toX,
    toValue,
    lift,
    curve,
    toAxis,
  };
  scene.marks.push(...axes(scene, span, toFoot, tallest));
  const age = (one: Curve) =>
    span.max > span.min ? (order.at[one.place] - span.min) / (span.max - span.min) : 1;
  const spacing = (box.height - reach) / Math.max(1, curves.length - 1);
  for (const one of curves) {
    if (one.outline.x.length === 0) continue;
    const shade = mix(look.colors.background, look.color, 0.3 + 0.7 * age(one));
    scene.marks.push(
      mode === "overlay"
        ? shape(scene, one, { stroke: shade, width: curves.length > 60 ? 0.75 : 1 })
        : shape(scene, one, {
            fill: shade,
            stroke: mix(shade, look.colors.background, 0.75),
            width: Math.min(1, Math.max(0.25, spacing / 5)),
          }),
    );
  }
  return scene;
}

/** The line of one histogram. */
export function shape(
  { toX, lift }: Scene,
  { outline: { x, y }, foot }: Curve,
  style: Partial<Shape>,
): Shape {
  const points = new Float32Array(2 * x.length);
  for (let i = 0; i < x.length; i++) {
    points[2 * i] = toX(x[i]);
    points[2 * i + 1] = foot - lift(y[i]);
  }
  return { ...style, kind: "shape", points };
}

/** The histogram that is seen at a point: the foremost one there, or else the one whose line is nearest. */
export function nearestCurve(scene: Scene, x: number, y: number): Curve | undefined {
  const value = scene.toValue(x);
  const isFilled = scene.look.mode === "offset";
  let found: Curve | undefined;
  let least = Infinity;
  for (const one of scene.curves) {
    const top = one.foot - scene.lift(heightAt(one.outline, value));
    const away = isFilled && y >= top && y <= one.foot && top < one.foot ? 0 : Math.abs(top - y);
    if (away <= least) [found, least] = [one, away];
  }
  return found;
}

function inWindow(at: Float64Array, window: Range | null): [first: number, last: number] {
  if (!window) return [0, at.length];
  const first = at.findIndex((one) => one >= window.min);
  const last = at.findLastIndex((one) => one <= window.max) + 1;
  return first < 0 || last <= first ? [0, 0] : [first, last];
}

function padded(span: Range): Range {
  return span.max > span.min ? span : { min: span.min - 1, max: span.max };
}

function axes(scene: Scene, span: Range, toFoot: (at: number) => number, tallest: number): Mark[] {
  const { box, look, values, toX, lift } = scene;
  const { text, grid } = look.colors;
  const [right, bottom] = [box.left + box.width, box.top + box.height];
  const marks: Mark[] = [];
  for (const { at, label } of ticks(
    values.min,
    values.max,
    Math.max(2, Math.floor(box.width / 64)),
    "linear",
  )) {
    marks.push(line(toX(at), box.top, toX(at), bottom + 3, grid));
    marks.push({ kind: "label", x: toX(at), y: bottom + 12, text: label, color: text, align: "center" });
  }
  if (look.mode === "overlay") {
    for (const { at, label } of heightTicks(tallest, box.height, look.isLog)) {
      const y = bottom - lift(at);
      marks.push(line(box.left, y, right, y, grid));
      marks.push({ kind: "label", x: box.left - 6, y, text: label, color: text, align: "right" });
    }
  } else {
    const count = Math.max(2, Math.floor((toFoot(span.max) - toFoot(span.min)) / 28));
    const shown = span.max > span.min ? ticks(span.min, span.max, count, look.axis) : [];
    if (shown.length === 0 && scene.last > scene.first)
      shown.push({ at: span.max, label: look.axis === "step" ? String(span.max) : "" });
    for (const { at, label } of shown) {
      const y = toFoot(at);
      marks.push(line(box.left, y, right + 4, y, grid));
      marks.push({ kind: "label", x: right + 8, y, text: label, color: text, align: "left" });
    }
  }
  marks.push(line(box.left, bottom, right, bottom, mix(grid, text, 0.3)));
  return marks;
}

function heightTicks(tallest: number, height: number, isLog: boolean): { at: number; label: string }[] {
  if (tallest <= 0) return [];
  if (!isLog) return ticks(0, tallest, Math.max(2, Math.floor(height / 36)), "linear");
  const powers = Math.floor(Math.log10(Math.max(tallest, 1)));
  const every = Math.max(1, Math.ceil(powers / Math.max(2, Math.floor(height / 36))));
  const found = [{ at: 0, label: "0" }];
  for (let power = 0; power <= powers; power += every)
    found.push({ at: 10 ** power, label: power > 3 ? `1e${power}` : String(10 ** power) });
  return found;
}
