/** The steps of one tag of one run: pictures, sounds, texts, ... */

import { useEffect, useState } from "preact/hooks";
import type { MediaAnswer, MediaItem } from "../api/schema";
import { source, withQuery } from "../api/source";
import { tagsOf } from "../state/board";

export interface Items {
  items: readonly MediaItem[];
  isLoading: boolean;
  error: string;
}

/** Every step: the server gives so many an answer. A saved page holds the steps it was given in one. */
export async function allItems(panel: string, run: string, tag: string): Promise<MediaItem[]> {
  const path = `api/v1/${panel}/items`;
  const first = await source.get<MediaAnswer>(withQuery(path, { run, tag }));
  let items = first.items;
  while (source.isLive && items.length < first.total) {
    const start = String(items.length);
    const next = await source.get<MediaAnswer>(withQuery(path, { run, tag, start }));
    // The run began anew meanwhile, with fewer steps.
    if (next.items.length === 0) break;
    items = items.concat(next.items);
  }
  return items;
}

/** All steps that were logged, none if there is no such tag; new ones are fetched when the live stream tells of them. */
export function useItems(panel: string, run: string, tag: string): Items {
  const count = tagsOf(panel).get(tag)?.counts.get(run) ?? 0;
  const [state, setState] = useState<Items>({ items: [], isLoading: true, error: "" });
  useEffect(() => {
    let isCurrent = true;
    if (count === 0) {
      setState({ items: [], isLoading: false, error: "" });
      return;
    }
    allItems(panel, run, tag).then(
      (items) => isCurrent && setState({ items, isLoading: false, error: "" }),
      (error: Error) =>
        isCurrent && setState((before) => ({ ...before, isLoading: false, error: error.message })),
    );
    return () => {
      isCurrent = false;
    };
  }, [panel, run, tag, count]);
  return state;
}

const fetched = new Map<string, Promise<unknown>>();
const MOST_FETCHED = 60;

/** A JSON blob; its address always gives the same, so it is fetched once. */
export function fetchBlob<T>(url: string): Promise<T> {
  let answer = fetched.get(url);
  if (!answer) {
    answer = source.get<T>(url);
    answer.catch(() => fetched.delete(url));
    fetched.set(url, answer);
    if (fetched.size > MOST_FETCHED) fetched.delete(fetched.keys().next().value!);
  }
  return answer as Promise<T>;
}

export function useBlob<T>(url: string | undefined): { value: T | null; error: string } {
  const [state, setState] = useState<{ value: T | null; error: string }>({ value: null, error: "" });
  useEffect(() => {
    if (!url) return;
    let isCurrent = true;
    fetchBlob<T>(url).then(
      (value) => isCurrent && setState({ value, error: "" }),
      (error: Error) => isCurrent && setState({ value: null, error: error.message }),
    );
    return () => {
      isCurrent = false;
    };
  }, [url]);
  return state;
}
