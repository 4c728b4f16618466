/** The figures of steps: those of the kind that the verdict is about, a step that ran with others counted by itself. */

import type { ProfileOverview, ProfileSteps } from "../../api/schema";

export const PHASES = ["input", "compile", "dispatch", "device", "callbacks", "host"] as const;
export type Phase = (typeof PHASES)[number];

export interface Figures {
  /** Steps left out of the times below, as something was compiled in them. */
  left: number;
  count: number;
  mean: number;
  median: number;
  p95: number;
  longest: number;
}

/** The entries of one kind of step, in order. */
export function entriesOf(steps: ProfileSteps, kind: string): number[] {
  const place = steps.kinds.indexOf(kind);
  return steps.names.flatMap((name, i) => (name === place ? [i] : []));
}

/** What one step of an entry took. */
export function perStep(steps: ProfileSteps, entry: number): number {
  return steps.walls[entry] / steps.counts[entry];
}

/** Steps in which something was compiled are left out, as in the verdict, unless there are no others. */
export function figures(overview: ProfileOverview): Figures | null {
  const { steps, main } = overview;
  const all = entriesOf(steps, main);
  const steady = all.filter((i) => steps.phases.compile[i] === 0);
  const used = steady.length ? steady : all;
  if (used.length === 0) return null;
  const sorted = used
    .map((i) => ({ time: perStep(steps, i), count: steps.counts[i] }))
    .sort((a, b) => a.time - b.time);
  const count = sorted.reduce((sum, one) => sum + one.count, 0);
  const total = sorted.reduce((sum, one) => sum + one.time * one.count, 0);
  const at = (share: number) => {
    let left = share * count;
    for (const one of sorted) {
      left -= one.count;
      if (left <= 0) return one.time;
    }
    return sorted[sorted.length - 1].time;
  };
  const every = all.reduce((sum, i) => sum + steps.counts[i], 0);
  return {
    count: every,
    left: every - count,
    mean: total / count,
    median: at(0.5),
    p95: at(0.95),
    longest: sorted[sorted.length - 1].time,
  };
}

/** The phases that took time, as shares of all, in their order. */
export function shares(
  breakdown: Record<string, number>,
): { phase: Phase; seconds: number; share: number }[] {
  const whole = PHASES.reduce((sum, phase) => sum + (breakdown[phase] ?? 0), 0);
  return PHASES.flatMap((phase) => {
    const seconds = breakdown[phase] ?? 0;
    return seconds > 0 ? [{ phase, seconds, share: seconds / whole }] : [];
  });
}
