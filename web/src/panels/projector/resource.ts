/** Something fetched, again whenever what it is fetched by changes. */

import { effect, type ReadonlySignal, type Signal, signal } from "@preact/signals";

export interface Resource<T> {
  value: T | null;
  error: string;
  isLoading: boolean;
  /** What it was fetched by. */
  key: string | null;
}

/** While the next is fetched the last stays; `key` null means that there is nothing to fetch. */
export function resource<T>(
  key: ReadonlySignal<string | null>,
  load: (key: string, abort: AbortSignal) => Promise<T>,
): Signal<Resource<T>> {
  const state = signal<Resource<T>>({ value: null, error: "", isLoading: false, key: null });
  effect(() => {
    const wanted = key.value;
    if (wanted === null) {
      state.value = { value: null, error: "", isLoading: false, key: null };
      return;
    }
    const stop = new AbortController();
    state.value = { ...state.peek(), isLoading: true };
    load(wanted, stop.signal).then(
      (value) => {
        if (!stop.signal.aborted) state.value = { value, error: "", isLoading: false, key: wanted };
      },
      (error: Error) => {
        if (stop.signal.aborted) return;
        state.value = { value: null, error: error.message, isLoading: false, key: wanted };
      },
    );
    return () => stop.abort();
  });
  return state;
}
