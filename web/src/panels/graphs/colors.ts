/** Colours of nodes: alike in structure, op or device, or from cold to hot by what a run took. */

import { formatCount } from "../../chart/format";
import { paletteColor } from "../../chart/palette";
import type { GraphNode, Model } from "./model";
import type { ColorBy } from "./state";
import { t } from "./words";

export interface LegendEntry {
  color: string;
  text: string;
}

export interface Coloring {
  /** "" for nodes that have no colour. */
  of: (node: GraphNode) => string;
  legend: LegendEntry[];
}

const MOST_LISTED = 10;

export function coloring(by: ColorBy, model: Model, shown: readonly GraphNode[], isDark: boolean): Coloring {
  if (by === "time" || by === "memory") return heat(by, shown, isDark);
  const key = (node: GraphNode) => keyOf(by, model, node);
  const counts = new Map<string, number>();
  for (const node of shown) counts.set(key(node), (counts.get(key(node)) ?? 0) + 1);
  counts.delete("");
  const fewest = by === "structure" ? 2 : 1;
  const common = [...counts].filter(([, count]) => count >= fewest).sort((a, b) => b[1] - a[1]);
  const colors = new Map(common.slice(0, MOST_LISTED).map(([name], i) => [name, paletteColor(i, isDark)]));
  const legend = common.slice(0, MOST_LISTED).map(([name, count]) => {
    const example = shown.find((node) => key(node) === name)!;
    const text = by === "structure" ? example.op || example.label : name;
    return { color: colors.get(name)!, text: `${text} ×${count}` };
  });
  return { of: (node) => colors.get(key(node)) ?? "", legend };
}

function keyOf(by: ColorBy, model: Model, node: GraphNode): string {
  if (by === "op") return node.op;
  if (by === "structure") return node.leaf >= 0 ? node.op : String(node.signature);
  const { devices, texts } = model.blob;
  const found = new Set<string>();
  for (const op of model.opsIn(node)) found.add(texts[devices[op]]);
  return found.size === 1 ? [...found][0] : "";
}

function heat(by: "time" | "memory", shown: readonly GraphNode[], isDark: boolean): Coloring {
  const value = (node: GraphNode) => (by === "time" ? node.micros : node.bytes);
  const most = shown.reduce((largest, node) => Math.max(largest, value(node)), 0);
  const tone = (share: number) => {
    // From the ground's colour to a strong orange, so that more is stronger in both themes.
    const [from, to] = isDark
      ? [
          [44, 50, 60],
          [255, 122, 40],
        ]
      : [
          [255, 244, 228],
          [224, 92, 0],
        ];
    return `rgb(${from.map((start, i) => Math.round(start + (to[i] - start) * share)).join(" ")})`;
  };
  const text = by === "time" ? formatMicros : formatBytes;
  const legend = [0, 0.5, 1].map((share) => ({ color: tone(Math.sqrt(share)), text: text(most * share) }));
  return {
    of: (node) => (value(node) < 0 ? "" : tone(most > 0 ? Math.sqrt(value(node) / most) : 0)),
    legend: most > 0 ? legend : [{ color: tone(0), text: t("none") }],
  };
}

export function formatMicros(micros: number): string {
  if (micros >= 1e6) return `${(micros / 1e6).toPrecision(3)} s`;
  return micros >= 1e3 ? `${(micros / 1e3).toPrecision(3)} ms` : `${Math.round(micros)} µs`;
}

export function formatBytes(bytes: number): string {
  const units = ["B", "kB", "MB", "GB", "TB"];
  let unit = 0;
  while (bytes >= 1000 && unit < units.length - 1) {
    bytes /= 1000;
    unit++;
  }
  return `${unit === 0 ? Math.round(bytes) : bytes.toPrecision(3)} ${units[unit]}`;
}

/** 25 636 712, or 25.6M where there is little room. */
export function formatShort(count: number): string {
  if (count >= 1e9) return `${(count / 1e9).toFixed(1)}G`;
  if (count >= 1e6) return `${(count / 1e6).toFixed(1)}M`;
  return count >= 1e4 ? `${(count / 1e3).toFixed(1)}k` : formatCount(count);
}
