/** State that lives in the address: `#scalars?smooth=0.8&y=log`. A link to a view shows that view. */

import { effect, type Signal, signal } from "@preact/signals";

interface Fact {
  read(text: string | null): void;
  write(): string | null;
}

const facts = new Map<string, Fact>();

/** Counts facts: panels loaded on demand bring theirs late, and the address must take them in. */
const registered = signal(0);

/** The panel being shown, by its folder's name; "" is the first there is. */
export const panel = signal(parse().panel);

/** What `encodeURIComponent` wrote. An address may be cut or typed: what it cannot have written is taken as it is. */
export function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

function parse(): { panel: string; query: URLSearchParams } {
  const [name, query = ""] = location.hash.slice(1).split("?", 2);
  return { panel: decoded(name), query: new URLSearchParams(query) };
}

interface Codec<T> {
  parse(text: string): T | undefined;
  format(value: T): string;
}

/** A signal kept in the address under `key`; its default leaves no trace there. */
export function urlSignal<T>(key: string, initial: T, codec: Codec<T>): Signal<T> {
  const value = signal(initial);
  const fact: Fact = {
    read(text) {
      const next = text === null ? initial : (codec.parse(text) ?? initial);
      if (codec.format(next) !== codec.format(value.peek())) value.value = next;
    },
    write() {
      const text = codec.format(value.value);
      return text === codec.format(initial) ? null : text;
    },
  };
  fact.read(parse().query.get(key));
  facts.set(key, fact);
  registered.value++;
  return value;
}

export const textCodec: Codec<string> = { parse: (text) => text, format: (value) => value };

export const flagCodec: Codec<boolean> = {
  parse: (text) => (text === "1" ? true : text === "0" ? false : undefined),
  format: (value) => (value ? "1" : "0"),
};

export function numberCodec(min: number, max: number): Codec<number> {
  return {
    parse: (text) => {
      const value = Number(text);
      return text !== "" && value >= min && value <= max ? value : undefined;
    },
    format: String,
  };
}

/** Any number, or null for none. */
export const maybeNumberCodec: Codec<number | null> = {
  parse: (text) => (text !== "" && Number.isFinite(Number(text)) ? Number(text) : undefined),
  format: (value) => (value === null ? "" : String(value)),
};

export function choiceCodec<T extends string>(...choices: T[]): Codec<T> {
  return { parse: (text) => choices.find((choice) => choice === text), format: (value) => value };
}

/** A part of an axis, or null for all of it. */
export const rangeCodec: Codec<{ min: number; max: number } | null> = {
  parse(text) {
    const [min, max] = text.split("..").map(Number);
    return min < max ? { min, max } : undefined;
  },
  format: (value) => (value ? `${rounded(value.min)}..${rounded(value.max)}` : ""),
};

/** Digits enough for a wall time to the millisecond. */
function rounded(value: number): number {
  return Number(value.toPrecision(13));
}

/** A set of texts; they may hold commas, so each is encoded. */
export const setCodec: Codec<ReadonlySet<string>> = {
  parse: (text) => new Set(text.split(",").filter(Boolean).map(decoded)),
  format: (value) => [...value].map(encodeURIComponent).join(","),
};

let pending: ReturnType<typeof setTimeout> | undefined;

function address(): string {
  registered.value;
  const query = new URLSearchParams();
  for (const [key, text] of parse().query) if (!facts.has(key)) query.set(key, text);
  for (const [key, fact] of facts) {
    const text = fact.write();
    if (text !== null) query.set(key, text);
  }
  const tail = query.toString();
  return `#${encodeURIComponent(panel.value)}${tail ? `?${tail}` : ""}`;
}

/** Keeps address and signals together. A new panel is a step in the browser's history, a setting is not. */
export function syncAddress(): void {
  let shown = panel.peek();
  const write = (next: string) => {
    const isStep = panel.peek() !== shown;
    shown = panel.peek();
    if (next === location.hash || (next === "#" && location.hash === "")) return;
    if (isStep) history.pushState(null, "", next);
    else history.replaceState(null, "", next);
  };
  effect(() => {
    const next = address();
    clearTimeout(pending);
    if (panel.peek() !== shown) write(next);
    // A slider changes a setting many times a second; browsers refuse to follow that often.
    else pending = setTimeout(write, 100, next);
  });
  // Fires when the user edits the address or goes back, never for pushState and replaceState.
  window.addEventListener("popstate", () => {
    clearTimeout(pending);
    const { panel: name, query } = parse();
    shown = name;
    panel.value = name;
    for (const [key, fact] of facts) fact.read(query.get(key));
  });
}
