/** Colours of points by a column of their metadata. */

import { PALETTE_SIZE, paletteColor } from "../../chart/palette";
import { naturally } from "../../state/order";
import type { Column } from "./columns";

export type Rgb = readonly [number, number, number];

export interface Key {
  code: number;
  name: string;
  count: number;
  color: string;
}

export interface Coloring {
  /** Four bytes a point. */
  colors: Uint8Array;
  /** The values with a colour of their own, the most frequent first; the rest is grey. */
  keys: Key[];
  /** How many points are of values without a colour of their own. */
  others: number;
  /** The ends of a scale of numbers. */
  range: { min: number; max: number } | null;
}

export const MOST_KEYS = 50;
const GREY = { light: "#9aa3b0", dark: "#6d7785" };
/** Dark to bright, after viridis: even for the eye, and safe for colour-blind ones. */
const SCALE: Rgb[] = [
  [68, 1, 84],
  [59, 82, 139],
  [33, 145, 140],
  [94, 201, 98],
  [253, 231, 37],
];
export const SCALE_CSS = `linear-gradient(90deg, ${SCALE.map((rgb) => `rgb(${rgb.join(" ")})`).join(", ")})`;

/** Of `#rrggbb`, or of `#rgb`, which is what a minifier makes of it. */
export function rgbOf(color: string): Rgb {
  const digits = color.slice(1);
  const value = Number.parseInt(digits.length === 3 ? [...digits].map((d) => d + d).join("") : digits, 16);
  return [value >> 16, (value >> 8) & 255, value & 255];
}

/** A colour for the so many-eth value: the palette's, and then hues as far from each other as can be. */
export function keyColor(place: number, total: number, isDark: boolean): string {
  if (total <= PALETTE_SIZE) return paletteColor(place, isDark);
  const hue = (place * 137.508) % 360;
  const light = isDark ? 62 : 45;
  return hslHex(hue, 62, light + (place % 3) * 6);
}

function hslHex(hue: number, saturation: number, light: number): string {
  const a = (saturation * Math.min(light, 100 - light)) / 10_000;
  const part = (n: number) => {
    const k = (n + hue / 30) % 12;
    const value = light / 100 - a * Math.max(-1, Math.min(k - 3, 9 - k, 1));
    return Math.round(255 * value)
      .toString(16)
      .padStart(2, "0");
  };
  return `#${part(0)}${part(8)}${part(4)}`;
}

export function scaleColor(share: number): Rgb {
  if (Number.isNaN(share)) return [140, 148, 160];
  const at = Math.max(0, Math.min(1, share)) * (SCALE.length - 1);
  const low = Math.min(Math.floor(at), SCALE.length - 2);
  const rest = at - low;
  return [0, 1, 2].map((i) => SCALE[low][i] * (1 - rest) + SCALE[low + 1][i] * rest) as unknown as Rgb;
}

export function colored(column: Column | null, count: number, isDark: boolean): Coloring {
  const colors = new Uint8Array(4 * count).fill(255);
  const paint = (i: number, [r, g, b]: Rgb) => {
    colors[4 * i] = r;
    colors[4 * i + 1] = g;
    colors[4 * i + 2] = b;
  };
  const nothing = { colors, keys: [], others: 0, range: null };
  if (!column) {
    const plain = rgbOf(paletteColor(0, isDark));
    for (let i = 0; i < count; i++) paint(i, plain);
    return nothing;
  }
  if (column.numbers) {
    let min = Number.POSITIVE_INFINITY;
    let max = Number.NEGATIVE_INFINITY;
    for (const value of column.numbers) {
      if (!Number.isFinite(value)) continue;
      if (value < min) min = value;
      if (value > max) max = value;
    }
    const width = max - min || 1;
    for (let i = 0; i < count; i++) paint(i, scaleColor((column.numbers[i] - min) / width));
    return { ...nothing, range: { min, max } };
  }
  const counts = new Uint32Array(column.values.length);
  for (let i = 0; i < count; i++) counts[column.codes[i]]++;
  // In the order of values where there are few, so that digits stand in a row; else the most frequent.
  const codes = [...counts.keys()];
  if (codes.length > MOST_KEYS) codes.sort((a, b) => counts[b] - counts[a]);
  const first = codes.slice(0, MOST_KEYS);
  if (codes.length <= MOST_KEYS) first.sort((a, b) => naturally(column.values[a], column.values[b]));
  // Values that are all different would be fifty colours that say nothing.
  const keys =
    column.values.length > MOST_KEYS && counts[first[0]] <= 1
      ? []
      : first.map((code, place) => ({
          code,
          name: column.values[code],
          count: counts[code],
          color: keyColor(place, first.length, isDark),
        }));
  const grey = rgbOf(keys.length ? (isDark ? GREY.dark : GREY.light) : paletteColor(0, isDark));
  const byCode = new Map(keys.map((key) => [key.code, rgbOf(key.color)]));
  let others = 0;
  for (let i = 0; i < count; i++) {
    const rgb = byCode.get(column.codes[i]);
    if (!rgb) others++;
    paint(i, rgb ?? grey);
  }
  return { ...nothing, keys, others: keys.length ? others : 0 };
}
