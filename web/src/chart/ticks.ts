/** Marks of an axis: round numbers, powers of ten, or round times. The screen and the SVG share them. */

import { formatDuration, formatTick, formatTime } from "./format";

export type AxisKind = "linear" | "step" | "log" | "duration" | "time";

export interface Tick {
  at: number;
  label: string;
}

/** About `count` marks from `min` to `max`. */
export function ticks(min: number, max: number, count: number, kind: AxisKind): Tick[] {
  if (!(max > min)) return [];
  if (kind === "log") return logTicks(min, max, count);
  if (kind === "duration") return timeTicks(min, max, count, (at) => formatDuration(at));
  if (kind === "time") return wallTicks(min, max, count);
  return linearTicks(min, max, count, kind === "step" ? 1 : 0);
}

/** Round numbers, at least `least` apart: there is nothing between two steps. */
function linearTicks(min: number, max: number, count: number, least = 0): Tick[] {
  const rough = roundStep((max - min) / Math.max(1, count));
  const step = least && rough < 5 ? Math.max(least, Math.round(rough)) : rough;
  const places = multiples(min, max, step);
  const largest = places.reduce((most, at) => Math.max(most, Math.abs(at)), 0);
  return places.map((at) => ({ at, label: formatTick(at, step, largest) }));
}

function roundStep(rough: number): number {
  const unit = 10 ** Math.floor(Math.log10(rough));
  const times = rough / unit;
  return unit * (times <= 1 ? 1 : times <= 2 ? 2 : times <= 2.5 ? 2.5 : times <= 5 ? 5 : 10);
}

function multiples(min: number, max: number, step: number, offset = 0): number[] {
  const first = Math.ceil((min - offset) / step - 1e-9);
  const last = Math.floor((max - offset) / step + 1e-9);
  const result: number[] = [];
  // Multiplied, not added up: 0.30000000000000004 would not be a round number.
  for (let i = first; i <= last && result.length < 100; i++)
    result.push(Number((i * step + offset).toPrecision(15)));
  return result;
}

function logTicks(min: number, max: number, count: number): Tick[] {
  const first = Math.floor(Math.log10(min));
  const last = Math.ceil(Math.log10(max));
  const decades = last - first;
  if (decades <= 2 && max / min < 30) {
    const digits = [1, 2, 3, 5, 7].flatMap((digit) =>
      Array.from({ length: decades + 1 }, (_, i) => Number((digit * 10 ** (first + i)).toPrecision(3))),
    );
    const inside = digits.filter((at) => at >= min && at <= max).sort((a, b) => a - b);
    return inside.length >= 2
      ? inside.map((at) => ({ at, label: formatTick(at, at) }))
      : linearTicks(min, max, count);
  }
  const every = Math.max(1, Math.ceil(decades / Math.max(1, count)));
  const result: Tick[] = [];
  for (let power = first; power <= last; power += every) {
    const at = 10 ** power;
    if (at >= min * 0.999 && at <= max * 1.001)
      result.push({ at, label: power >= -2 && power <= 3 ? String(at) : `1e${power}` });
  }
  return result;
}

const SECONDS = [1, 2, 5, 10, 15, 30, 60, 120, 300, 600, 900, 1800, 3600, 7200, 10800, 21600, 43200, 86400];

function roundSeconds(rough: number): number {
  if (rough < 1) return roundStep(rough);
  return SECONDS.find((step) => step >= rough) ?? 86400 * Math.ceil(rough / 86400);
}

function timeTicks(min: number, max: number, count: number, format: (at: number) => string): Tick[] {
  const step = roundSeconds((max - min) / Math.max(1, count));
  return multiples(min, max, step).map((at) => ({ at, label: format(at) }));
}

function wallTicks(min: number, max: number, count: number): Tick[] {
  const zone = -new Date(min * 1000).getTimezoneOffset() * 60;
  const step = roundSeconds((max - min) / Math.max(1, count));
  return multiples(min, max, step, -zone % step).map((at) => {
    const [day, clock] = formatTime(at).split(" ");
    const short =
      step >= 60 ? clock.slice(0, 5) : step >= 1 ? clock : `${clock}.${String(at.toFixed(1)).split(".")[1]}`;
    return { at, label: step >= 86400 || clock === "00:00:00" ? day.slice(5) : short };
  });
}
