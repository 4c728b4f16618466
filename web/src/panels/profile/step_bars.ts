/** Steps as stacked bars: each one where there is room, else the longest of those that share a pixel. */

import type { ProfileSteps } from "../../api/schema";
import { PHASES, type Phase } from "./statistics";

export interface Bar {
  /** The entry of the columns it shows. */
  entry: number;
  /** Pixels. */
  left: number;
  width: number;
  /** Seconds of one step, by phase, in the order of PHASES. */
  parts: number[];
  /** How many steps there are before it. */
  at: number;
}

export interface Bars {
  bars: Bar[];
  /** All steps there are. */
  count: number;
  /** The longest sum of shown phases. */
  most: number;
}

/** The bars of `entries` in the window from step `begin` to `end`, counted from 0 whatever their numbers. */
export function barsOf(
  steps: ProfileSteps,
  entries: readonly number[],
  window: { begin: number; end: number } | null,
  width: number,
  hidden: ReadonlySet<Phase>,
): Bars {
  const count = entries.reduce((sum, entry) => sum + steps.counts[entry], 0);
  const begin = window?.begin ?? 0;
  const end = window?.end ?? Math.max(count, 1);
  const scale = width / (end - begin);
  const bars: Bar[] = [];
  let at = 0;
  let most = 0;
  let lastPixel = -1;
  let lastSum = 0;
  for (const entry of entries) {
    const size = steps.counts[entry];
    const from = at;
    at += size;
    if (at <= begin || from >= end) continue;
    const parts = PHASES.map((phase) => (hidden.has(phase) ? 0 : steps.phases[phase][entry] / size));
    const sum = parts.reduce((a, b) => a + b, 0);
    most = Math.max(most, sum);
    const left = (Math.max(from, begin) - begin) * scale;
    const wide = (Math.min(at, end) - Math.max(from, begin)) * scale;
    const bar = { entry, left, width: Math.max(wide, 1), parts, at: from };
    const pixel = Math.floor(left);
    if (wide < 1 && pixel === lastPixel) {
      if (sum > lastSum) {
        bars[bars.length - 1] = bar;
        lastSum = sum;
      }
      continue;
    }
    bars.push(bar);
    lastPixel = wide < 1 ? pixel : -1;
    lastSum = sum;
  }
  return { bars, count, most };
}

/** One outline of all bars for each phase: as few elements as there are phases, however many steps. */
export function pathOf(bars: readonly Bar[], phase: number, height: number, most: number): string {
  const scale = height / (most || 1);
  return bars
    .filter(({ parts }) => parts[phase] > 0)
    .map(({ left, width, parts }) => {
      const below = parts.slice(0, phase).reduce((a, b) => a + b, 0);
      const bottom = height - below * scale;
      const gap = width > 4 ? 1 : 0;
      const tall = (parts[phase] * scale).toFixed(2);
      return `M${left.toFixed(2)} ${bottom.toFixed(2)}v-${tall}h${(width - gap).toFixed(2)}v${tall}z`;
    })
    .join("");
}
