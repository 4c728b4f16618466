/** The table of runs, fetched again when runs or tags change, for as long as somebody looks at it. */

import { computed, effect, signal } from "@preact/signals";
import { type Numbers, unpackSmall } from "../../api/columns";
import type { RunRow, RunsTable } from "../../api/schema";
import { source } from "../../api/source";
import { runs, tags, version } from "../../state/board";

/** A scalar of all rows. NaN among the steps stands for what a row does not have. */
export interface Scalar {
  name: string;
  last: Numbers;
  lastStep: Numbers;
  least: Numbers;
  leastStep: Numbers;
  largest: Numbers;
  largestStep: Numbers;
}

export interface Table extends Pick<RunsTable, "version" | "hparams" | "left_out" | "notes"> {
  rows: readonly RunRow[];
  started: Numbers;
  durations: Numbers;
  points: Numbers;
  scalars: readonly Scalar[];
}

export const table = signal<Table | null>(null);
export const problem = signal("");

const NO_ROWS: readonly RunRow[] = [];
export const rows = computed<readonly RunRow[]>(() => table.value?.rows ?? NO_ROWS);

/** The row of each run, by its id. */
export const rowOfRun = computed<ReadonlyMap<string, number>>(
  () => new Map(rows.value.flatMap((row, i) => row.runs.map((id) => [id, i] as const))),
);

export function decode(buffer: ArrayBuffer): Table {
  const { head, next } = unpackSmall<RunsTable>(buffer);
  const { ids, names, members, hparams, left_out, notes } = head;
  const [standings, hosts, started, durations, points] = [next(), next(), next(), next(), next()];
  const rows = ids.map((id, i) => ({
    id,
    name: names[i],
    runs: members[i] ?? [id],
    standing: head.standings[standings[i]],
    host: head.hosts[hosts[i]],
  }));
  const scalars = head.scalars.map((name) => ({
    name,
    last: next(),
    lastStep: next(),
    least: next(),
    leastStep: next(),
    largest: next(),
    largestStep: next(),
  }));
  return { version: head.version, rows, hparams, left_out, notes, started, durations, points, scalars };
}

/** How long to wait after an answer; large tables are asked for less often. */
const LEAST_PAUSE_MS = 500;
const REST = 4;

let users = 0;
/** From when a request is planned until it is answered. */
let isUnderWay = false;
let isStale = true;
let tookMs = 0;

function refresh(): void {
  isStale = true;
  if (users === 0 || isUnderWay) return;
  isUnderWay = true;
  setTimeout(get, table.peek() ? Math.max(LEAST_PAUSE_MS, REST * tookMs) : 0);
}

async function get(): Promise<void> {
  isStale = false;
  const begin = performance.now();
  try {
    table.value = decode(await source.bytes("api/v1/runs/table"));
    problem.value = "";
  } catch (error) {
    problem.value = (error as Error).message;
  }
  tookMs = performance.now() - begin;
  isUnderWay = false;
  if (isStale && !isCurrent()) refresh();
}

/** Whether the table is of the very runs and tags that the page has. */
function isCurrent(): boolean {
  return version.value > 0 && table.peek()?.version === version.value;
}

effect(() => {
  runs.value;
  tags.value;
  if (!isCurrent()) refresh();
});

/** Keeps the table up to date until the function it gives is called. */
export function use(): () => void {
  users++;
  if (isStale) refresh();
  return () => {
    users--;
  };
}
