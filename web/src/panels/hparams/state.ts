/** How sessions are shown. All of it is in the address. */

import { computed } from "@preact/signals";
import { theme } from "../../state/appearance";
import { colorOf, isChecked } from "../../state/runs";
import { choiceCodec, decoded, setCodec, textCodec, urlSignal } from "../../state/url";
import { type Column, NAME, STATUS, sortedBy } from "./columns";
import { kept, offered } from "./narrowing";
import { shadeOf, shades } from "./ramp";
import { makeScale, type Scale, type ScaleKind } from "./scale";
import { columns, groups, runOf } from "./sessions";
import { t } from "./words";

export type View = "table" | "parallel" | "scatter" | "importance";

export const view = urlSignal<View>(
  "hview",
  "table",
  choiceCodec("table", "parallel", "scatter", "importance"),
);
/** Columns that are shown though they usually are not, and the other way about. */
export const toggled = urlSignal<ReadonlySet<string>>("hcols", new Set(), setCodec);
/** Columns that the user put in an order; the others follow. */
export const order = urlSignal<ReadonlySet<string>>("horder", new Set(), setCodec);
/** The column rows are sorted by, with `-` before it if downwards; "" for the order of names. */
export const sort = urlSignal("hsort", "", textCodec);
/** The column that colours lines and dots; "" for the first metric, "run" for the colours of runs. */
export const colorBy = urlSignal("hcolor", "", textCodec);
/** The metric hparams are to matter for; "" for the first. */
export const target = urlSignal("hmetric", "", textCodec);

/** Scales that the user chose, by column. */
export const scaleKinds = urlSignal<ReadonlyMap<string, ScaleKind>>("hscale", new Map(), {
  parse(text) {
    const found = new Map<string, ScaleKind>();
    for (const one of text.split(",").filter(Boolean)) {
      const [key, kind] = one.split("~").map(decoded);
      if (kind === "linear" || kind === "log" || kind === "quantile") found.set(key, kind);
    }
    return found;
  },
  format: (kinds) =>
    [...kinds].map(([key, kind]) => `${encodeURIComponent(key).replaceAll("~", "%7E")}~${kind}`).join(","),
});

export function setScale(key: string, kind: ScaleKind): void {
  scaleKinds.value = new Map(scaleKinds.value).set(key, kind);
}

export function isShown(column: Column): boolean {
  return column.isUsual !== toggled.value.has(column.key);
}

export function toggle(keys: Iterable<string>): void {
  const next = new Set(toggled.value);
  for (const key of keys) if (!next.delete(key)) next.add(key);
  toggled.value = next;
}

/** The columns of the table and the axes of the plot, in their order. */
export const shown = computed<Column[]>(() => {
  const places = new Map([...order.value].map((key, i) => [key, i]));
  const placeOf = (column: Column) => places.get(column.key) ?? places.size;
  return columns.value.filter(isShown).sort((a, b) => placeOf(a) - placeOf(b));
});

/** What is drawn of them: facts about sessions are in the table only. */
export const axes = computed<Column[]>(() => shown.value.filter((column) => column.role !== "fact"));

/** As many of these columns as can be drawn: metrics have a third of the room, and what hparams leave. */
export function fitting(all: readonly Column[], most: number): Column[] {
  const hparams = all.filter((column) => column.role === "hparam").length;
  const metrics = Math.max(Math.floor(most / 3), most - hparams);
  const room = { hparam: most - Math.min(metrics, all.length - hparams), metric: metrics, fact: 0 };
  return all.filter((column) => room[column.role]-- > 0);
}

export function titleOf(column: Column): string {
  const names: Record<string, string> = {
    [NAME]: t("session"),
    [STATUS]: t("status"),
    "s:duration": t("duration"),
    "s:started": t("started"),
  };
  return column.title || names[column.key];
}

/** Puts a column where another is. */
export function move(key: string, to: Column): void {
  const keys = shown.value.map((column) => column.key);
  const at = keys.indexOf(to.key);
  keys.splice(keys.indexOf(key), 1);
  keys.splice(at, 0, key);
  order.value = new Set(keys);
}

export const metrics = computed(() => columns.value.filter((column) => column.role === "metric"));

export const colorColumn = computed<Column | undefined>(() => {
  if (colorBy.value === "run") return undefined;
  const found = columns.value.find(({ key }) => key === colorBy.value);
  return found ?? metrics.value.find(isShown) ?? metrics.value[0];
});

const TICKS = 6;
const scales = new WeakMap<Column, { kind: ScaleKind | undefined; scale: Scale }>();

/** The scale of a column; made once for as long as it holds. */
export function scaleOf(column: Column): Scale {
  const kind = scaleKinds.value.get(column.key);
  const known = scales.get(column);
  if (known && known.kind === kind) return known.scale;
  const scale = makeScale(column, kind, TICKS);
  scales.set(column, { kind, scale });
  return scale;
}

/** The colours there are, and which of them each session has; -1 for none. */
export const coloring = computed<{ colors: string[]; shadeOf: Int16Array }>(() => {
  const column = colorColumn.value;
  const count = groups.value.length;
  if (column) {
    const { units } = scaleOf(column);
    return { colors: shades(theme.value === "dark"), shadeOf: Int16Array.from(units, shadeOf) };
  }
  const colors: string[] = [];
  const places = new Map<string, number>();
  const chosen = new Int16Array(count).fill(-1);
  groups.value.forEach((group, row) => {
    const run = runOf(group);
    if (!run) return;
    const color = colorOf(run);
    if (!places.has(color)) places.set(color, colors.push(color) - 1);
    chosen[row] = places.get(color)!;
  });
  return { colors, shadeOf: chosen };
});

/** Whether the runs of a session are in the charts. */
export function isOn(row: number): boolean {
  return groups.value[row].runs.some(isChecked);
}

/** Sessions to draw: those whose runs are in the charts, were it not for the conditions. */
export const drawn = computed<number[]>(() => offered.value.filter(isOn));

/** The rows of the table. */
export const rows = computed<number[]>(() => {
  const isDown = sort.value.startsWith("-");
  const key = isDown ? sort.value.slice(1) : sort.value;
  const column = columns.value.find((one) => one.key === key);
  return column ? sortedBy(column, kept.value, isDown) : kept.value;
});

/** Upwards, downwards, and as it was. */
export function sortBy(key: string): void {
  sort.value = sort.value === key ? `-${key}` : sort.value === `-${key}` ? "" : key;
}
