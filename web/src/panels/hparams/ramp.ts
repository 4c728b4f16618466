/** Colours for the values of a metric, from its least to its largest; told apart without red and green. */

const LIGHT = ["#1d1a8c", "#6a1ea8", "#b12a90", "#dd5e56", "#eb9a1d"];
const DARK = ["#6c63ff", "#b06cf5", "#ee6fae", "#ff9a6b", "#ffdf5a"];
/** As many colours as are told apart: lines of one colour are drawn in one stroke. */
export const SHADES = 24;

function channels(color: string): number[] {
  return [1, 3, 5].map((at) => Number.parseInt(color.slice(at, at + 2), 16));
}

function mixed(stops: readonly string[], at: number): string {
  const place = at * (stops.length - 1);
  const first = Math.min(Math.floor(place), stops.length - 2);
  const [from, to] = [channels(stops[first]), channels(stops[first + 1])];
  const mix = from.map((value, i) => Math.round(value + (to[i] - value) * (place - first)));
  return `#${mix.map((value) => value.toString(16).padStart(2, "0")).join("")}`;
}

export function shades(isDark: boolean): string[] {
  const stops = isDark ? DARK : LIGHT;
  return Array.from({ length: SHADES }, (_, i) => mixed(stops, i / (SHADES - 1)));
}

/** The shade of a place between 0 and 1; -1 for none. */
export function shadeOf(unit: number): number {
  return Number.isNaN(unit) ? -1 : Math.min(SHADES - 1, Math.floor(unit * SHADES));
}
