/** The conditions on sessions, and what they do to the runs of every panel. */

import { computed, effect } from "@preact/signals";
import { namedRuns, setRunCondition } from "../../state/runs";
import { type Condition, type Conditions, conditionsCodec, matching } from "./conditions";
import { filterText } from "./panel";
import { answer, columns, groups, problem, use } from "./sessions";
import { t } from "./words";

export const conditions = computed<Conditions>(() => conditionsCodec.parse(filterText.value));

type Changes = Iterable<[key: string, condition: Condition | null]>;

function changed(changes: Changes): Conditions {
  const next = new Map(conditions.peek());
  for (const [key, condition] of changes) {
    if (condition) next.set(key, condition);
    else next.delete(key);
  }
  return next;
}

export function setConditions(changes: Changes): void {
  filterText.value = conditionsCodec.format(changed(changes));
}

/** Which sessions would pass after these changes. */
export function previewed(changes: Changes): Uint8Array {
  return matching(columns.peek(), changed(changes), groups.peek().length);
}

export function clearConditions(): void {
  filterText.value = "";
}

/** Whether each session passes all conditions. */
export const passes = computed(() => matching(columns.value, conditions.value, groups.value.length));

/** Sessions with a run that is neither hidden nor filtered out by name: what the panel shows, passing or not. */
export const offered = computed<number[]>(() => {
  const named = new Set(namedRuns.value.map((run) => run.id));
  const rows: number[] = [];
  groups.value.forEach((group, row) => {
    if (group.runs.some((id) => named.has(id))) rows.push(row);
  });
  return rows;
});

/** Those of them that pass. */
export const kept = computed<number[]>(() => offered.value.filter((row) => passes.value[row]));

const keptRuns = computed<ReadonlySet<string>>(() => {
  const ids = new Set<string>();
  groups.value.forEach((group, row) => {
    if (passes.value[row]) for (const id of group.runs) ids.add(id);
  });
  return ids;
});

let stop: (() => void) | null = null;

effect(() => {
  const isOn = conditions.value.size > 0;
  if (isOn) stop ??= use();
  else {
    stop?.();
    stop = null;
  }
  // Until the sessions are known nothing is shown rather than everything, unless they cannot be had.
  const isKnown = answer.value !== null;
  const ids = keptRuns.value;
  setRunCondition(
    "hparams",
    isOn && (isKnown || !problem.value)
      ? { title: () => t("filter"), holds: (run) => ids.has(run.id), clear: clearConditions }
      : null,
  );
});
