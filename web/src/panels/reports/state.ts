/** Reports: pages in Markdown that users write about their runs, kept in the board's sidecar. */

import { computed } from "@preact/signals";
import { changePage, isReadOnly, settings } from "../../state/board";
import { textCodec, urlSignal } from "../../state/url";

export interface Report {
  id: string;
  title: string;
  text: string;
  /** When it was last changed, in seconds since 1970. */
  changed: number;
}

export const MOST_LETTERS = 20_000;
export const MOST_TITLE = 200;

/** The id of the report being read; "" for the list of all. */
export const openedReport = urlSignal("report", "", textCodec);

/** Reports cannot be written where nothing can be kept: on a read-only board, and in a saved page. */
export const canWrite = computed(() => !isReadOnly.value);

/** All reports, the one changed last first. What another program has put in their place is no report. */
export const reports = computed<readonly Report[]>(() => {
  const kept: unknown = settings.value.page.reports;
  if (typeof kept !== "object" || kept === null) return [];
  return Object.entries(kept)
    .flatMap(([id, value]) => checked(id, value) ?? [])
    .sort((a, b) => b.changed - a.changed);
});

function checked(id: string, value: unknown): Report | null {
  if (typeof value !== "object" || value === null) return null;
  const { title, text, changed } = value as Record<string, unknown>;
  if (typeof title !== "string" || typeof text !== "string" || typeof changed !== "number") return null;
  return { id, title, text, changed };
}

export function newId(): string {
  const bytes = crypto.getRandomValues(new Uint8Array(6));
  return [...bytes].map((byte) => byte.toString(16).padStart(2, "0")).join("");
}

/** Keeps a report, or a part of it that has changed. */
export function keep(id: string, parts: Partial<Pick<Report, "title" | "text">>): void {
  changePage({ reports: { [id]: { ...parts, changed: Math.round(Date.now() / 1000) } } });
}

export function remove(id: string): void {
  changePage({ reports: { [id]: null } });
}
