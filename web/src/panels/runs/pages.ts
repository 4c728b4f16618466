/** What the server knows of single runs; fetched again when something of them changes. */

import { useEffect, useRef, useState } from "preact/hooks";
import type { MediaAnswer, MediaItem, RunPage } from "../../api/schema";
import { ApiError, source, withQuery } from "../../api/source";
import { runs, tagsOf } from "../../state/board";
import { imageTags } from "../images/tags";

export interface Loaded<T> {
  value: T | null;
  error: string;
  isGone: boolean;
}

const PAUSE_MS = 1000;
const NOT_YET = { value: null, error: "", isGone: false };

/** How much of a run there is: other than before if there is something new. */
function versionOf(ids: readonly string[]): string {
  return ids.map((id) => `${runs.value.get(id)?.points}.${runs.value.get(id)?.live}`).join(",");
}

/** The pages of runs, in their order; null for those that are not there yet. */
export function usePages(ids: readonly string[]): readonly Loaded<RunPage>[] {
  const [pages, setPages] = useState<ReadonlyMap<string, Loaded<RunPage>>>(new Map());
  const wanted = useRef<readonly string[]>(ids);
  wanted.current = ids;
  const version = versionOf(ids.flatMap((id) => pages.get(id)?.value?.row.runs ?? [id]));
  const fetchPage = (id: string) => {
    const keep = (page: Loaded<RunPage>) => {
      if (wanted.current.includes(id)) setPages((before) => new Map(before).set(id, page));
    };
    source.get<RunPage>(withQuery("api/v1/runs/page", { run: id })).then(
      (value) => keep({ value, error: "", isGone: false }),
      (error: Error) => {
        const isGone = error instanceof ApiError && error.status === 404;
        keep({ value: null, error: error.message, isGone });
      },
    );
  };
  useEffect(() => {
    for (const id of ids) if (!pages.has(id)) fetchPage(id);
    return () => {
      wanted.current = [];
    };
  }, [ids.join(",")]);
  useEffect(() => {
    if (pages.size === 0) return;
    // A run that is being written is asked about no oftener than it can be read.
    const timer = setTimeout(() => ids.forEach(fetchPage), PAUSE_MS);
    return () => clearTimeout(timer);
  }, [version]);
  return ids.map((id) => pages.get(id) ?? NOT_YET);
}

export interface LastItem {
  panel: string;
  run: string;
  tag: string;
  item: MediaItem;
}

/** The last step of every tag of these panels that the runs have, so many at most. */
export function useLastItems(
  panels: readonly string[],
  ids: readonly string[],
  most: number,
): readonly LastItem[] {
  const [items, setItems] = useState<readonly LastItem[]>([]);
  const wanted = panels
    .flatMap((panel) =>
      [...(panel === "images" ? imageTags.value : tagsOf(panel)).values()].flatMap((entry) =>
        ids
          .filter((run) => entry.counts.has(run))
          .map((run) => ({ panel, run, tag: entry.tag, count: entry.counts.get(run) })),
      ),
    )
    .slice(0, most);
  const version = wanted.map(({ panel, run, tag, count }) => `${panel} ${run} ${tag} ${count}`).join("\n");
  useEffect(() => {
    let isCurrent = true;
    const all = wanted.map(async ({ panel, run, tag, count }): Promise<LastItem[]> => {
      // A saved page has the steps it was given in one answer.
      const start: Record<string, string> = source.isLive ? { start: String(count - 1) } : {};
      try {
        const answer = await source.get<MediaAnswer>(
          withQuery(`api/v1/${panel}/items`, { run, tag, ...start }),
        );
        const item = answer.items[answer.items.length - 1];
        return item ? [{ panel, run, tag, item }] : [];
      } catch (error) {
        // Gone since it was listed: the next list does without it.
        if (error instanceof ApiError) return [];
        throw error;
      }
    });
    void Promise.all(all).then((found) => isCurrent && setItems(found.flat()));
    return () => {
      isCurrent = false;
    };
  }, [version]);
  return items;
}
