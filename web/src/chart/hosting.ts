/** What panels that hold a line chart do alike: put it into its element, its colours, and its keys. */

import { themeColor } from "../state/appearance";
import { type ChartEvents, type ChartView, LineChart } from "./line_chart";
import { hideTooltip } from "./tooltip";

/** A chart that fills an element, whatever size that takes; and what takes it away again. */
export function hostChart(
  element: HTMLElement,
  view: ChartView,
  events: ChartEvents,
): [chart: LineChart, leave: () => void] {
  const chart = new LineChart(element, view, events, element.clientWidth, element.clientHeight);
  const observer = new ResizeObserver(() => chart.setSize(element.clientWidth, element.clientHeight));
  observer.observe(element);
  const leave = () => {
    observer.disconnect();
    chart.destroy();
    hideTooltip();
  };
  return [chart, leave];
}

/** The colours of the theme of the day. */
export function chartColors(): ChartView["colors"] {
  return { text: themeColor("--text-3"), grid: themeColor("--grid"), background: themeColor("--bg") };
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
