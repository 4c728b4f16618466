/** The embeddings there are. They are files beside the event files, so the server is asked again and again. */

import { effect, signal } from "@preact/signals";
import type { ProjectorSets } from "../../api/schema";
import { source } from "../../api/source";
import { connection } from "../../state/board";

export const sets = signal<ProjectorSets>({ sets: [], problems: [], missing: {} });
/** Whether the server has answered yet. */
export const isAsked = signal(false);
/** Whether the panel is on the screen. */
export const isViewed = signal(false);

const SHOWN_MS = 700;
const OTHERWISE_MS = 5000;

let timer: ReturnType<typeof setTimeout> | undefined;
let last = "";

async function ask(): Promise<void> {
  clearTimeout(timer);
  if (!document.hidden) {
    try {
      const next = await source.get<ProjectorSets>("api/v1/projector/sets");
      const text = JSON.stringify(next);
      if (text !== last) sets.value = next;
      last = text;
      isAsked.value = true;
    } catch {
      // The bar says that the server is gone; it is asked again all the same.
    }
  }
  clearTimeout(timer);
  // Once the server is back it is asked by the effect below.
  if (connection.peek() !== "live") return;
  timer = setTimeout(ask, isViewed.peek() ? SHOWN_MS : OTHERWISE_MS);
}

if (!source.isLive) void ask();
else {
  effect(() => {
    isViewed.value;
    if (connection.value === "live") void ask();
  });
}
