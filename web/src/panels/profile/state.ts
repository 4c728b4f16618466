/** What the profile panel shows: which profile, beside which other, and which view of it. All of it is in the address. */

import { computed, signal } from "@preact/signals";
import type { EventKind, Run } from "../../api/schema";
import { naturally } from "../../state/order";
import { label, visibleRuns } from "../../state/runs";
import { choiceCodec, decoded, flagCodec, textCodec, urlSignal } from "../../state/url";

export type View = "overview" | "input" | "ops" | "memory" | "trace";

/** A profile, as `run/session/host`, each encoded; "" is the latest. */
export const chosenKey = urlSignal("prof", "", textCodec);
/** The profile it is compared with; "" for none. */
export const otherKey = urlSignal("profwith", "", textCodec);
export const view = urlSignal<View>(
  "profview",
  "overview",
  choiceCodec("overview", "input", "ops", "memory", "trace"),
);
export const opSearch = urlSignal("profops", "", textCodec);
export const opKind = urlSignal<"ops" | EventKind | "all">(
  "profkind",
  "ops",
  choiceCodec("ops", "xla", "framework", "input", "python", "runtime", "all"),
);
export const isGrouped = urlSignal("profgroup", true, flagCodec);
/** A column of the table of ops, with "-" before it for descending. */
export const opSort = urlSignal("profsort", "-own", textCodec);
export const traceSearch = urlSignal("proffind", "", textCodec);
/** The part of the timeline shown, "begin-end" in nanoseconds; "" for all. */
export const traceWindow = urlSignal("profwin", "", textCodec);
/** The entries of the step chart shown, "first-last"; "" for all. */
export const stepWindow = urlSignal("profsteps", "", textCodec);
export const hiddenPhases = urlSignal("profhide", "", textCodec);

export interface Session {
  key: string;
  run: Run;
  name: string;
  /** Differs when the files have changed. */
  version: string;
}

function keyOf(run: string, name: string): string {
  return [run, name].map(encodeURIComponent).join("/");
}

/** The profiles of visible runs, the latest first. */
export const sessions = computed<Session[]>(() =>
  visibleRuns.value
    .flatMap((run) =>
      Object.entries(run.profiles).map(([name, version]) => ({
        key: keyOf(run.id, name),
        run,
        name,
        version,
      })),
    )
    .sort((a, b) => naturally(b.name, a.name) || naturally(label(a.run), label(b.run))),
);

/** The host chosen of a profile that several wrote; "" for the first. */
export const host = urlSignal("profhost", "", textCodec);

function find(key: string): Session | undefined {
  return sessions.value.find((session) => session.key === key);
}

export const chosen = computed<Session | undefined>(() => find(chosenKey.value) ?? sessions.value[0]);
export const other = computed<Session | undefined>(() =>
  otherKey.value === "" || otherKey.value === chosen.value?.key ? undefined : find(otherKey.value),
);

export function sessionName(session: Session): string {
  return `${label(session.run)} · ${session.name}`;
}

/** "3-17" as numbers; null if it is none. */
export function windowOf(text: string): { begin: number; end: number } | null {
  const [begin, end] = decoded(text).split("~").map(Number);
  return text !== "" && begin < end ? { begin, end } : null;
}

export function windowText(begin: number, end: number): string {
  return `${Number(begin.toPrecision(12))}~${Number(end.toPrecision(12))}`;
}

/** The event the user clicked, by its row in the file's order; none in another profile. */
export const selected = signal<{ key: string; index: number } | null>(null);
