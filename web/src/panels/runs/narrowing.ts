/** The expression over the table, and what it does to the runs of every panel. */

import { computed, effect } from "@preact/signals";
import type { RunRow } from "../../api/schema";
import { runs, settings } from "../../state/board";
import { label, namedRuns, setRunCondition } from "../../state/runs";
import { choiceCodec, urlSignal } from "../../state/url";
import { type Column, finder, makeColumns, type Stat, type Told } from "./columns";
import { problem, rowOfRun, rows, table, use } from "./data";
import { compile } from "./expression";
import { filterText } from "./panel";
import { standingText, t } from "./words";

/** Which value of a scalar its column shows. */
export const stat = urlSignal<Stat>("rvalue", "last", choiceCodec("last", "best", "min", "max"));

export function nameOf(row: RunRow): string {
  const own = settings.value.runs[row.id]?.label;
  if (own) return own;
  const run = runs.value.get(row.id);
  return run && row.runs.length === 1 && run.name === row.name ? label(run) : row.name;
}

const told = computed<Told>(() => {
  const own = settings.value.runs;
  return {
    name: nameOf,
    standing: (row) => standingText(row.standing),
    note: (row) => own[row.id]?.note ?? "",
    tags: (row) => own[row.id]?.tags ?? [],
    isStarred: (row) => own[row.id]?.starred ?? false,
  };
});

/** The columns of the table, with this value of each scalar. */
export function columnsWith(which: Stat): Column[] {
  return table.value ? makeColumns(table.value, which, told.value) : [];
}

export const columns = computed(() => columnsWith(stat.value));
export const columnNamed = computed(() => finder(columns.value));

/** The expression as a test of rows, or what is wrong with it. */
export const filter = computed(() => compile(filterText.value, (name) => columnNamed.value(name)?.value));

export const passes = computed<(row: number) => boolean>(() => {
  const found = filter.value;
  return "test" in found ? found.test : () => true;
});

/** Rows with a run that is neither archived nor filtered out by name: what the panel shows, passing or not. */
export const offered = computed<number[]>(() => {
  const places = rowOfRun.value;
  const found = new Set<number>();
  for (const run of namedRuns.value) {
    const row = places.get(run.id);
    if (row !== undefined) found.add(row);
  }
  return [...found];
});

/** Those of them that pass. */
export const kept = computed<number[]>(() => offered.value.filter(passes.value));

const keptRuns = computed<ReadonlySet<string>>(() => {
  const test = passes.value;
  return new Set(rows.value.filter((_, row) => test(row)).flatMap((row) => row.runs));
});

let stop: (() => void) | null = null;

effect(() => {
  const isOn = filterText.value.trim() !== "";
  if (isOn) stop ??= use();
  else {
    stop?.();
    stop = null;
  }
  // An expression that is not finished, or a table that cannot be had, narrows nothing.
  const narrows =
    isOn && (table.value !== null || !problem.value) && !("problem" in filter.value && table.value);
  const ids = narrows ? keptRuns.value : null;
  setRunCondition(
    "table",
    ids && {
      title: () => t("filterTitle", { text: filterText.value }),
      holds: (run) => ids.has(run.id),
      clear: () => (filterText.value = ""),
    },
  );
});
