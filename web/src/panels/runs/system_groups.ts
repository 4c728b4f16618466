/** Metrics of the machine that belong into one chart: of one unit, and of one thing. */

import type { RunChart } from "../../api/schema";
import { lowerBound } from "../../chart/line";

export type Topic =
  | "cpu"
  | "memory"
  | "processMemory"
  | "gpu"
  | "gpuMemory"
  | "disk"
  | "diskFree"
  | "diskTraffic"
  | "network"
  | "other";

export interface SystemGroup {
  key: string;
  topic: Topic;
  unit: string;
  charts: readonly RunChart[];
}

const TOPICS: Record<string, Topic> = {
  "system/cpu": "cpu",
  "system/process_cpu": "cpu",
  "system/memory": "memory",
  "system/process_memory": "processMemory",
  "system/disk": "disk",
  "system/disk_free": "diskFree",
  "system/disk_read": "diskTraffic",
  "system/disk_written": "diskTraffic",
  "system/received": "network",
  "system/sent": "network",
};

const ORDER: readonly Topic[] = [
  "cpu",
  "memory",
  "processMemory",
  "gpu",
  "gpuMemory",
  "diskTraffic",
  "network",
  "disk",
  "diskFree",
  "other",
];

function topicOf({ tag }: RunChart): Topic {
  if (/^system\/gpu\d+$/.test(tag)) return "gpu";
  if (/^system\/gpu\d+_memory$/.test(tag)) return "gpuMemory";
  return TOPICS[tag] ?? "other";
}

/** What is charted together, in the order people look for it; a metric nobody knows has a chart of its own. */
export function grouped(charts: readonly RunChart[]): readonly SystemGroup[] {
  const found = new Map<string, RunChart[]>();
  for (const chart of charts) {
    const topic = topicOf(chart);
    const key = topic === "other" ? chart.tag : `${topic} ${chart.unit}`;
    found.set(key, [...(found.get(key) ?? []), chart]);
  }
  return [...found]
    .map(([key, members]) => ({ key, topic: topicOf(members[0]), unit: members[0].unit, charts: members }))
    .sort((a, b) => ORDER.indexOf(a.topic) - ORDER.indexOf(b.topic));
}

/** The top of the axis: 100 % even for a machine that idles, more for a process with several cores. */
export function topOf({ unit, charts }: SystemGroup): number {
  const values = charts.flatMap((chart) => chart.values.map(Number)).filter(Number.isFinite);
  const most = values.reduce((a, b) => Math.max(a, b), 0);
  if (unit === "%") return Math.max(100, most);
  return most > 0 ? most * 1.05 : 1;
}

/** The last value measured at or before a moment; NaN before the first. */
export function valueAt({ seconds, values }: RunChart, moment: number): number {
  const after = lowerBound(Float64Array.from(seconds), moment + 1e-9);
  return after === 0 ? Number.NaN : Number(values[after - 1]);
}
