/** Signals that this browser remembers: how the user likes the page, not what the view shows. */

import { effect, type Signal, signal } from "@preact/signals";

export function storedSignal<T>(key: string, initial: T): Signal<T> {
  const name = `tapeflow.${key}`;
  const value = signal(read(name, initial));
  effect(() => {
    const next = value.value;
    try {
      localStorage.setItem(name, JSON.stringify(next));
    } catch {
      // A full or forbidden storage only means that it is not remembered.
    }
  });
  return value;
}

function read<T>(name: string, initial: T): T {
  try {
    const text = localStorage.getItem(name);
    const value = text === null ? initial : JSON.parse(text);
    return typeof value === typeof initial ? value : initial;
  } catch {
    return initial;
  }
}
