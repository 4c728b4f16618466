/** What the server has: itself, its runs, their tags, and the settings kept with it. One signal each. */

import { computed, signal } from "@preact/signals";
import type { Info, Progress, Run, RunSettings, Settings } from "../api/schema";
import { source } from "../api/source";
import { storedSignal } from "./stored";
import type { Tag } from "./tags";

export type Connection = "connecting" | "live" | "lost" | "saved";

export const info = signal<Info | null>(null);
export const progress = signal<Progress | null>(null);
export const runs = signal<ReadonlyMap<string, Run>>(new Map());
/** Which state of the server `runs` and `tags` are; 0 once the live stream has changed them. */
export const version = signal(0);
/** Tags of each panel, in the server's order. */
export const tags = signal<ReadonlyMap<string, ReadonlyMap<string, Tag>>>(new Map());
export const connection = signal<Connection>("connecting");
/** Why the page could not be loaded, in words; "" while all is well. */
export const failure = signal("");

const serverSettings = signal<Settings>({ runs: {}, page: {} });
/** Settings of a board that is read-only: they stay in this browser. */
const localSettings = storedSignal<Settings>("settings", { runs: {}, page: {} });

export const isReadOnly = computed(() => info.value?.read_only ?? false);
export const settings = computed<Settings>(() =>
  isReadOnly.value ? mergePatch(serverSettings.value, localSettings.value) : serverSettings.value,
);

let changesUnderWay = 0;

/** What the server says holds, unless the user has changed something that it has not heard of yet. */
export function setServerSettings(next: Settings): void {
  if (changesUnderWay === 0) serverSettings.value = next;
}

const NO_TAGS: ReadonlyMap<string, Tag> = new Map();

export function tagsOf(panel: string): ReadonlyMap<string, Tag> {
  return tags.value.get(panel) ?? NO_TAGS;
}

type Patch<T> = { [K in keyof T]?: T[K] | null };

/** Changes how one run is shown; `null` takes a setting back. Seen at once, then kept by the server. */
export function changeRun(id: string, patch: Patch<RunSettings>): void {
  change({ runs: { [id]: patch } });
}

/** Changes what the page itself keeps, such as pinned cards. */
export function changePage(patch: Record<string, unknown>): void {
  change({ page: patch });
}

function change(patch: object): void {
  if (isReadOnly.value) {
    localSettings.value = mergePatch(localSettings.value, patch);
    return;
  }
  serverSettings.value = mergePatch(serverSettings.value, patch);
  changesUnderWay++;
  source
    .patchSettings(patch)
    .finally(() => changesUnderWay--)
    .then(setServerSettings, (error: Error) => {
      failure.value = error.message;
    });
}

/** RFC 7396, as the server does it. */
export function mergePatch<T>(target: T, patch: object): T {
  const result: Record<string, unknown> = isObject(target) ? { ...target } : {};
  for (const [key, value] of Object.entries(patch)) {
    if (value === null) delete result[key];
    else result[key] = isObject(value) ? mergePatch(result[key], value) : value;
  }
  return result as T;
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
