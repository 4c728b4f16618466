/** The colours of the panel: one for each phase, the same in every picture, and those of events. */

import { paletteColor } from "../../chart/palette";
import { theme, themeColor } from "../../state/appearance";
import type { Phase } from "./statistics";
import type { TraceColors } from "./trace_painter";

const PLACES: Record<Phase, number> = { input: 1, compile: 4, dispatch: 5, device: 0, callbacks: 3, host: 9 };
const EVENTS = [0, 2, 1, 3, 4, 5, 7, 8];

export function phaseColor(phase: Phase): string {
  return paletteColor(PLACES[phase], theme.value === "dark");
}

/** Colours of things that come in any number. */
export function placeColor(place: number): string {
  return paletteColor(place % 10, theme.value === "dark");
}

export function traceColors(): TraceColors {
  const isDark = theme.value === "dark";
  return {
    text: themeColor("--text"),
    faint: themeColor("--text-3"),
    line: themeColor("--line"),
    background: themeColor("--bg"),
    side: themeColor("--bg-side"),
    accent: themeColor("--accent"),
    onEvent: isDark ? "#0c1424" : "#ffffff",
    events: EVENTS.map((place) => paletteColor(place, isDark)),
  };
}
