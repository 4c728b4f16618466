/** Keeps the board's state up to date: first answers, then the stream of what is new. */

import { batch } from "@preact/signals";
import { type Columns, decodeColumns, fromBase64 } from "../api/columns";
import { decodeOverview } from "../api/overview";
import type { Info, LiveHello, LivePoints, LiveRuns, LiveSeries, LiveTags, Settings } from "../api/schema";
import { ApiError, source } from "../api/source";
import { connection, failure, info, progress, runs, setServerSettings, tags, version } from "./board";
import { naturally } from "./order";
import { Counts } from "./tags";

type PointsListener = (columns: Columns[]) => void;

const listeners = new Set<PointsListener>();
const followed = new Map<string, LiveSeries>();
let client = "";
let isFollowing = false;

/** Calls `listener` with new points of followed series. */
export function onPoints(listener: PointsListener): () => void {
  listeners.add(listener);
  return () => listeners.delete(listener);
}

/** Follows exactly these series from now on, each from its cursor. */
export function follow(series: Iterable<LiveSeries>): void {
  const next = new Map([...series].map((one) => [`${one.run}\n${one.tag}`, one]));
  const isSame = next.size === followed.size && [...next.keys()].every((key) => followed.has(key));
  // The server knows where each of them is: it is told only of others.
  if (isSame) return;
  followed.clear();
  for (const [key, one] of next) followed.set(key, one);
  subscribe();
}

function subscribe(): void {
  if (!client || isFollowing) return;
  isFollowing = true;
  // Many cards ask in one frame: one request tells the server of all of them.
  setTimeout(async () => {
    isFollowing = false;
    try {
      await source.follow(client, { series: [...followed.values()] });
    } catch (error) {
      // 409: the stream has just been cut; the next hello subscribes again.
      if (!(error instanceof ApiError && error.status === 409)) connection.value = "lost";
    }
  }, 60);
}

export function start(): void {
  if (source.isLive) listen();
  else {
    connection.value = "saved";
    void refresh();
  }
}

/** What came while the whole was being fetched; it is newer than what the answers hold, so it goes on top. */
let waiting: (() => void)[] | null = null;

function whenFresh(apply: () => void): void {
  if (waiting) waiting.push(apply);
  else apply();
}

/** A stream that a proxy holds back must not hold the page back. */
const PATIENCE_MS = 2000;

let refreshes = 0;

/** Fetches everything. If it is asked for again meanwhile, the later answer counts. */
async function refresh(): Promise<void> {
  const turn = ++refreshes;
  waiting ??= [];
  try {
    const answers = await Promise.all([
      source.get<Info>("api/v1/info"),
      source.bytes("api/v1/overview"),
      source.get<Settings>("api/v1/settings"),
    ]);
    if (turn !== refreshes) return;
    take(...answers);
    failure.value = "";
  } catch (error) {
    if (turn !== refreshes) return;
    failure.value = (error as Error).message;
  }
  const held = waiting;
  waiting = null;
  for (const apply of held) apply();
}

function take(nextInfo: Info, overview: ArrayBuffer, nextSettings: Settings): void {
  const known = decodeOverview(overview);
  batch(() => {
    info.value = nextInfo;
    progress.value = nextInfo.progress;
    setServerSettings(nextSettings);
    version.value = known.version;
    runs.value = known.runs;
    tags.value = known.tags;
  });
}

function listen(): void {
  const stream = new EventSource(source.liveUrl());
  const on = <T>(event: string, handle: (data: T) => void) =>
    stream.addEventListener(event, (message) => handle(JSON.parse((message as MessageEvent<string>).data)));
  const patience = setTimeout(refresh, PATIENCE_MS);
  on<LiveHello>("hello", (hello) => {
    clearTimeout(patience);
    client = hello.client;
    connection.value = "live";
    subscribe();
    // Only what changes from here on is told: the rest is fetched now, not before.
    void refresh();
  });
  on<LiveRuns>("runs", (change) => whenFresh(() => mergeRuns(change)));
  on<LiveTags>("tags", (change) => whenFresh(() => mergeTags(change)));
  on<LivePoints>("points", (message) => {
    const columns = decodeColumns(fromBase64(message.columns));
    for (const { head } of columns) {
      const one = followed.get(`${head.run}\n${head.tag}`);
      if (one) one.cursor = head.cursor;
    }
    for (const listener of listeners) listener(columns);
  });
  on<Settings>("settings", setServerSettings);
  stream.addEventListener("error", () => {
    client = "";
    connection.value = "lost";
    clearTimeout(patience);
    if (info.value === null && failure.value === "") void refresh();
    // The browser tries again by itself unless the server refused outright.
    if (stream.readyState === EventSource.CLOSED) setTimeout(listen, 3000);
  });
  window.addEventListener("pagehide", () => stream.close(), { once: true });
}

function mergeRuns(change: LiveRuns): void {
  progress.value = change.progress;
  if (change.runs.length === 0 && change.removed.length === 0) return;
  version.value = 0;
  const next = new Map(runs.value);
  for (const run of change.runs) next.set(run.id, run);
  for (const id of change.removed) next.delete(id);
  runs.value = next;
}

function mergeTags(change: LiveTags): void {
  if (change.is_all) {
    void refresh();
    return;
  }
  version.value = 0;
  const next = new Map(tags.value);
  const gone = new Set(change.removed);
  if (gone.size) {
    for (const entries of next.values()) {
      for (const { counts } of entries.values())
        for (const run of gone) if (counts.has(run)) counts.set(run, 0);
    }
  }
  for (const [panel, changed] of Object.entries(change.panels)) {
    const entries = new Map(next.get(panel));
    let hasNew = false;
    for (const entry of changed) {
      const old = entries.get(entry.tag);
      hasNew ||= !old;
      entries.set(entry.tag, {
        tag: entry.tag,
        display_name: entry.display_name,
        description: entry.description,
        // Added to what is there: a copy for each message would take longer with every run that is read.
        counts: grown(old?.counts, entry.counts),
      });
    }
    next.set(panel, hasNew ? new Map([...entries].sort(([a], [b]) => naturally(a, b))) : entries);
  }
  tags.value = next;
}

function grown(counts: Counts | undefined, told: Readonly<Record<string, number>>): Counts {
  if (!counts) return Counts.of(told);
  for (const [run, count] of Object.entries(told)) counts.set(run, count);
  return counts;
}
