/** The curves of one tag over several runs, all at one step. */

import { useEffect, useState } from "preact/hooks";
import type { MediaItem, PrCurveBlob, Run } from "../../api/schema";
import { allItems, fetchBlob } from "../../media/items";
import { indexAt } from "../../media/steps";
import { tagsOf } from "../../state/board";
import { NO_COUNTS } from "../../state/tags";
import { type Curve, curveOf } from "./curve";

export interface Shown {
  run: Run;
  item: MediaItem;
  curve: Curve;
}

/** Every step of each run; new ones are fetched when the live stream tells of them. */
export function useRunItems(tag: string, runs: readonly Run[]) {
  const counts = tagsOf("pr_curves").get(tag)?.counts ?? NO_COUNTS;
  const [found, setFound] = useState<ReadonlyMap<string, readonly MediaItem[]>>(new Map());
  const [error, setError] = useState("");
  const wanted = runs.map(({ id }) => `${id}:${counts.get(id)}`).join(",");
  useEffect(() => {
    let isCurrent = true;
    const ask = runs.map(async ({ id }) => [id, await allItems("pr_curves", id, tag)] as const);
    Promise.all(ask).then(
      (all) => {
        if (!isCurrent) return;
        setFound(new Map(all));
        setError("");
      },
      (failure: Error) => isCurrent && setError(failure.message),
    );
    return () => {
      isCurrent = false;
    };
  }, [tag, wanted]);
  return { found, error };
}

/** One item for every step that any run has. */
export function allSteps(found: ReadonlyMap<string, readonly MediaItem[]>): MediaItem[] {
  const steps = new Map<number, MediaItem>();
  for (const items of found.values()) {
    for (const item of items) if (!steps.has(item.step)) steps.set(item.step, item);
  }
  return [...steps.values()].sort((a, b) => a.step - b.step);
}

const curves = new WeakMap<PrCurveBlob, Curve>();

function curveOnce(blob: PrCurveBlob): Curve {
  const made = curves.get(blob) ?? curveOf(blob);
  curves.set(blob, made);
  return made;
}

/** The curve of each run at a step, or the last before it. What was shown stays until the next is there. */
export function useCurves(
  runs: readonly Run[],
  found: ReadonlyMap<string, readonly MediaItem[]>,
  step: number | undefined,
) {
  const [shown, setShown] = useState<readonly Shown[]>([]);
  const [error, setError] = useState("");
  const wanted = runs.flatMap((run) => {
    const items = found.get(run.id) ?? [];
    // A run that begins later has nothing to say yet.
    if (step === undefined || items.length === 0 || items[0].step > step) return [];
    return [{ run, item: items[indexAt(items, step)] }];
  });
  const key = wanted.map(({ item }) => item.samples[0]?.url).join("\n");
  useEffect(() => {
    let isCurrent = true;
    const ask = wanted.map(async ({ run, item }) => {
      const blob = await fetchBlob<PrCurveBlob>(item.samples[0].url);
      if (blob.problem) throw new Error(blob.problem);
      return { run, item, curve: curveOnce(blob) };
    });
    Promise.allSettled(ask).then((all) => {
      if (!isCurrent) return;
      setShown(all.flatMap((one) => (one.status === "fulfilled" ? [one.value] : [])));
      setError(all.map((one) => (one.status === "rejected" ? one.reason.message : "")).find(Boolean) ?? "");
    });
    return () => {
      isCurrent = false;
    };
  }, [key]);
  return { shown, error };
}
