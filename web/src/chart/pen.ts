/** Draws lines with any pen: a canvas on the screen, a path in an SVG. */

import { type Line, lowerBound, type Range } from "./line";

/** What a canvas context and an SVG path writer have in common. */
export interface Path {
  moveTo(x: number, y: number): void;
  lineTo(x: number, y: number): void;
}

type Place = (value: number) => number;

/** The points of a line that a window shows, with one more on either side. */
export function shownPart(xs: Float64Array, window: Range): [from: number, to: number] {
  return [Math.max(0, lowerBound(xs, window.min) - 1), Math.min(xs.length, lowerBound(xs, window.max) + 2)];
}

/** A line broken where a value is not finite or cannot be shown. Gives the lonely points between breaks. */
export function trace(
  path: Path,
  line: Line,
  ys: Float64Array,
  window: Range,
  toX: Place,
  toY: Place,
): [number, number][] {
  const [from, to] = shownPart(line.x, window);
  const lonely: [number, number][] = [];
  let length = 0;
  let [lastX, lastY] = [0, 0];
  for (let i = from; i <= to; i++) {
    const x = i < to ? toX(line.x[i]) : NaN;
    const y = i < to ? toY(ys[i]) : NaN;
    if (Number.isFinite(x) && Number.isFinite(y)) {
      if (length === 0) path.moveTo(x, y);
      else path.lineTo(x, y);
      lastX = x;
      lastY = y;
      length++;
    } else {
      if (length === 1) lonely.push([lastX, lastY]);
      length = 0;
    }
  }
  return lonely;
}

export type Oddity = "nan" | "inf" | "-inf";

/** Places where a logged value is NaN or infinite, at most one of a kind for a pixel. */
export function oddities(line: Line, window: Range, toX: Place): { x: number; kind: Oddity }[] {
  const values = line.raw ?? line.y;
  const [from, to] = shownPart(line.x, window);
  if (isWhole(values, from, to)) return [];
  const found: { x: number; kind: Oddity }[] = [];
  const last: Record<Oddity, number> = { nan: -1e9, inf: -1e9, "-inf": -1e9 };
  for (let i = from; i < to; i++) {
    const value = values[i];
    if (Number.isFinite(value)) continue;
    const kind: Oddity = Number.isNaN(value) ? "nan" : value > 0 ? "inf" : "-inf";
    const x = toX(line.x[i]);
    if (!(x - last[kind] >= 4)) continue;
    last[kind] = x;
    found.push({ x, kind });
  }
  return found;
}

function isWhole(values: Float64Array, from: number, to: number): boolean {
  for (let i = from; i < to; i++) if (!Number.isFinite(values[i])) return false;
  return true;
}
