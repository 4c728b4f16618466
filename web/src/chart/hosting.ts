/** What panels that hold a line chart do alike: its colours, and its keys. */

import type { ChartView, LineChart } from "./line_chart";

/** The colours of the theme of the day. */
export function chartColors(): ChartView["colors"] {
  const style = getComputedStyle(document.documentElement);
  return {
    text: style.getPropertyValue("--text-3"),
    grid: style.getPropertyValue("--grid"),
    background: style.getPropertyValue("--bg"),
  };
}

/** Arrow keys move the cursor, + and - zoom, 0 shows all. */
export function chartKey(event: KeyboardEvent, chart: LineChart | null, showAll: () => void): void {
  const act: Record<string, () => void> = {
    ArrowLeft: () => chart?.nudge(event.shiftKey ? -0.1 : -0.01),
    ArrowRight: () => chart?.nudge(event.shiftKey ? 0.1 : 0.01),
    "+": () => chart?.zoomBy(0.5),
    "=": () => chart?.zoomBy(0.5),
    "-": () => chart?.zoomBy(2),
    "0": showAll,
  };
  const run = act[event.key];
  if (!run) return;
  run();
  event.preventDefault();
}
