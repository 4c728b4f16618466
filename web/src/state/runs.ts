/** The runs as the user wants to see them: chosen, named, coloured, ordered, grouped. */

import { computed, effect, signal } from "@preact/signals";
import type { Run, Setting } from "../api/schema";
import { assignColors, paletteColor } from "../chart/palette";
import { theme } from "./appearance";
import { runs, settings } from "./board";
import { naturally, pattern } from "./order";
import { storedSignal } from "./stored";
import { choiceCodec, flagCodec, setCodec, textCodec, urlSignal } from "./url";

/** Regular expression on labels; what it does not match is in no chart. */
export const runFilter = urlSignal("runs", "", textCodec);
/** Whether `exceptions` are the runs switched off, or the only ones switched on. */
export const selectionBase = urlSignal<"all" | "none">("base", "all", choiceCodec("all", "none"));
export const exceptions = urlSignal<ReadonlySet<string>>("except", new Set(), setCodec);
export const showsHidden = urlSignal("hidden", false, flagCodec);
/** "name", "newest", "active", or "hparam:..." */
export const runSort = urlSignal("sort", "name", textCodec);
/** "" for the tree of folders, "hparam:...", or "name:<regular expression>", whose first group names the group. */
export const groupBy = urlSignal("group", "", textCodec);
/** Hparams shown as columns. */
export const runColumns = urlSignal<ReadonlySet<string>>("columns", new Set(), setCodec);

/** Narrows the runs of every panel until it is cleared; the list of runs says so. */
export interface RunCondition {
  title: () => string;
  holds: (run: Run) => boolean;
  clear: () => void;
}

/** Further conditions on runs, by who sets them. */
export const runConditions = signal<ReadonlyMap<string, RunCondition>>(new Map());

export function setRunCondition(owner: string, condition: RunCondition | null): void {
  const next = new Map(runConditions.peek());
  if (condition) next.set(owner, condition);
  else if (!next.delete(owner)) return;
  runConditions.value = next;
}

export function label(run: Run): string {
  return settings.value.runs[run.id]?.label || run.name;
}

export function labelOf(id: string): string {
  const run = runs.value.get(id);
  return run ? label(run) : id;
}

export function isChecked(id: string): boolean {
  return (selectionBase.value === "all") !== exceptions.value.has(id);
}

export function setChecked(ids: Iterable<string>, isOn: boolean): void {
  const next = new Set(exceptions.value);
  for (const id of ids) {
    if ((selectionBase.value === "all") === isOn) next.delete(id);
    else next.add(id);
  }
  exceptions.value = next;
}

export function checkAll(isOn: boolean): void {
  selectionBase.value = isOn ? "all" : "none";
  exceptions.value = new Set();
}

export function checkOnly(ids: Iterable<string>): void {
  selectionBase.value = "none";
  exceptions.value = new Set(ids);
}

const familySettings = computed<ReadonlyMap<string, Record<string, Setting>>>(() => {
  const found = new Map<string, Record<string, Setting>>();
  for (const run of runs.value.values()) {
    if (Object.keys(run.hparams).length > 0)
      found.set(family(run), { ...found.get(family(run)), ...run.hparams });
  }
  return found;
});

/** The hparams of a run. Those logged beside its training hold for its validation, too. */
export function hparamsOf(run: Run): Record<string, Setting> {
  return familySettings.value.get(family(run)) ?? run.hparams;
}

/** Names of all hparams, those with different values first: they are what sets runs apart. */
export const hparamNames = computed<string[]>(() => {
  const values = new Map<string, Set<Setting>>();
  for (const run of runs.value.values()) {
    for (const [name, value] of Object.entries(run.hparams)) {
      const seen = values.get(name) ?? new Set();
      values.set(name, seen.add(value));
    }
  }
  const varies = (name: string) => (values.get(name)!.size > 1 ? 0 : 1);
  return [...values.keys()].sort((a, b) => varies(a) - varies(b) || naturally(a, b));
});

function bySetting(name: string): (a: Run, b: Run) => number {
  return (a, b) => {
    const [x, y] = [hparamsOf(a)[name], hparamsOf(b)[name]];
    if (x === undefined || y === undefined) return Number(x === undefined) - Number(y === undefined);
    return typeof x === "number" && typeof y === "number" ? x - y : naturally(String(x), String(y));
  };
}

function comparison(sort: string): (a: Run, b: Run) => number {
  if (sort === "newest") return (a, b) => (b.start_time ?? 0) - (a.start_time ?? 0);
  if (sort === "active") return (a, b) => (b.last_time ?? 0) - (a.last_time ?? 0);
  if (sort.startsWith("hparam:")) return bySetting(sort.slice("hparam:".length));
  return () => 0;
}

/** Runs that are neither hidden nor filtered out by name, in order; who sets a condition chooses among these. */
export const namedRuns = computed<Run[]>(() => {
  const wanted = pattern(runFilter.value);
  const named = [...runs.value.values()].filter(
    (run) =>
      (showsHidden.value || !settings.value.runs[run.id]?.hidden) &&
      (!wanted || wanted.test(label(run)) || wanted.test(run.name)),
  );
  const compare = comparison(runSort.value);
  return named.sort((a, b) => compare(a, b) || naturally(label(a), label(b)));
});

/** Runs the list shows: those of them that every condition holds for. */
export const listedRuns = computed<Run[]>(() => {
  const conditions = [...runConditions.value.values()];
  if (conditions.length === 0) return namedRuns.value;
  return namedRuns.value.filter((run) => conditions.every((condition) => condition.holds(run)));
});

export const baseline = computed<string>(
  () =>
    Object.keys(settings.value.runs).find((id) => settings.value.runs[id].pinned && runs.value.has(id)) ?? "",
);

/** Runs in the charts. The baseline is always among them. */
export const visibleRuns = computed<Run[]>(() => {
  const visible = listedRuns.value.filter((run) => isChecked(run.id));
  const pinned = runs.value.get(baseline.value);
  return pinned && !visible.includes(pinned) ? [pinned, ...visible] : visible;
});

const TRAINING = new Set(["train", "training"]);
const VALIDATION = new Set(["validation", "val", "valid", "eval", "evaluation", "test"]);

export function isValidation(run: Run): boolean {
  return run.path.length > 1 && VALIDATION.has(run.path[run.path.length - 1].toLowerCase());
}

/** What a run shares with its validation run: the folder both lie in. They have one colour. */
export function family(run: Run): string {
  const last = run.path[run.path.length - 1]?.toLowerCase();
  const isPart = run.path.length > 1 && (TRAINING.has(last) || VALIDATION.has(last));
  return isPart ? run.path.slice(0, -1).join("/") : run.name;
}

/** The group a run is in, "" without grouping. */
export function groupOf(run: Run): string {
  const by = groupBy.value;
  if (by.startsWith("hparam:")) {
    const name = by.slice("hparam:".length);
    const value = hparamsOf(run)[name];
    return value === undefined ? `${name}: –` : `${name} = ${value}`;
  }
  if (by.startsWith("name:")) {
    const match = pattern(by.slice("name:".length))?.exec(label(run));
    return match ? (match[1] ?? match[0]) : "–";
  }
  return "";
}

const rememberedColors = storedSignal<Record<string, number>>("colors", {});
const REMEMBERED_MOST = 5000;

const paletteIndexes = computed(() => {
  const names = new Set([...runs.value.values()].map(family));
  return assignColors(names, new Map(Object.entries(rememberedColors.peek())));
});

/** Groups take the place of runs in the charts: in their order, the first have the colours furthest apart. */
const groupIndexes = computed(() => {
  const names = [...new Set([...runs.value.values()].map(groupOf))].sort(naturally);
  return new Map(names.map((name, i) => [name, i]));
});

effect(() => {
  const indexes = paletteIndexes.value;
  const known = rememberedColors.peek();
  if (![...indexes.keys()].some((name) => !(name in known))) return;
  const all = Object.entries({ ...known, ...Object.fromEntries(indexes) });
  rememberedColors.value = Object.fromEntries(all.slice(-REMEMBERED_MOST));
});

function paletted(index: number | undefined): string {
  return paletteColor(index ?? 0, theme.value === "dark");
}

/** The colour of a run in every panel: its own, its group's, or its family's. */
export function colorOf(run: Run): string {
  const own = settings.value.runs[run.id]?.color;
  if (own) return own;
  return groupBy.value ? colorOfGroup(groupOf(run)) : paletted(paletteIndexes.value.get(family(run)));
}

export function colorOfGroup(group: string): string {
  return paletted(groupIndexes.value.get(group));
}

/** The colour of the so many-eth of a few things that are no runs. */
export function colorOfPlace(index: number): string {
  return paletted(index);
}
