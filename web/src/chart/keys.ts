/** What keys do in a line chart that has the focus. */

import type { LineChart } from "./line_chart";

/** Moves the cursor, zooms, or shows all; other keys are left alone. */
export function onChartKey(event: KeyboardEvent, chart: LineChart, showAll: () => void): void {
  const far = event.shiftKey ? 0.1 : 0.01;
  const act: Record<string, () => void> = {
    ArrowLeft: () => chart.nudge(-far),
    ArrowRight: () => chart.nudge(far),
    "+": () => chart.zoomBy(0.5),
    "=": () => chart.zoomBy(0.5),
    "-": () => chart.zoomBy(2),
    "0": showAll,
  };
  const run = act[event.key];
  if (!run) return;
  run();
  event.preventDefault();
}
