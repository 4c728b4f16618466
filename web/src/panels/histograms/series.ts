/** The histograms of one tag of one run, in columns: fetched once, many steps a request, then only what is new. */

import { useEffect, useState } from "preact/hooks";
import { unpack } from "../../api/columns";
import type { Axis, HistogramBlob, HistogramsHead } from "../../api/schema";
import { source, withQuery } from "../../api/source";
import { allItems, fetchBlob } from "../../media/items";
import { tagsOf } from "../../state/board";

export interface Histograms {
  /** Of each histogram, in the order they were written. */
  steps: Float64Array;
  walls: Float64Array;
  /** Where the buckets of each begin; one more than there are, for the end of the last. */
  starts: Uint32Array;
  /** Of all buckets. */
  lefts: Float64Array;
  rights: Float64Array;
  counts: Float64Array;
  /** `BASIS_POINTS` of each. */
  percentiles: Float64Array;
}

/** Hundredths of a percent, as the server makes them. */
export const BASIS_POINTS = [0, 668, 1587, 3085, 5000, 6915, 8413, 9332, 10000];

export const NONE: Histograms = {
  steps: new Float64Array(0),
  walls: new Float64Array(0),
  starts: new Uint32Array(1),
  lefts: new Float64Array(0),
  rights: new Float64Array(0),
  counts: new Float64Array(0),
  percentiles: new Float64Array(0),
};

interface Part extends Omit<Histograms, "starts"> {
  sizes: ArrayLike<number>;
}

export function joined(before: Histograms, part: Part): Histograms {
  const both = (a: Float64Array, b: Float64Array) => {
    if (a.length === 0) return b;
    const all = new Float64Array(a.length + b.length);
    all.set(a);
    all.set(b, a.length);
    return all;
  };
  const count = before.steps.length;
  const starts = new Uint32Array(count + part.steps.length + 1);
  starts.set(before.starts);
  for (let i = 0; i < part.steps.length; i++) starts[count + i + 1] = starts[count + i] + part.sizes[i];
  return {
    steps: both(before.steps, part.steps),
    walls: both(before.walls, part.walls),
    starts,
    lefts: both(before.lefts, part.lefts),
    rights: both(before.rights, part.rights),
    counts: both(before.counts, part.counts),
    percentiles: both(before.percentiles, part.percentiles),
  };
}

interface Kept {
  data: Histograms;
  cursor: string;
  /** What is under way: a later wish waits for it, so that nothing is asked for twice. */
  turn: Promise<unknown>;
}

const kept = new Map<string, Kept>();
const MOST_KEPT = 40_000_000;

async function grown(run: string, tag: string, before: Kept): Promise<{ data: Histograms; cursor: string }> {
  let { data, cursor } = before;
  for (;;) {
    const answer = await source.bytes(withQuery("api/v1/histograms/steps", { run, tag, cursor }));
    const { head, column } = unpack<HistogramsHead>(answer);
    const [steps, walls, sizes] = [column(head.steps), column(head.steps), column(head.steps)];
    const [lefts, rights, counts] = [column(head.buckets), column(head.buckets), column(head.buckets)];
    const percentiles = column(head.steps * BASIS_POINTS.length);
    const part = { steps, walls, sizes, lefts, rights, counts, percentiles };
    if (head.is_reset || head.steps > 0) data = joined(head.is_reset ? NONE : data, part);
    cursor = head.cursor;
    if (data.steps.length >= head.total || head.steps === 0) return { data, cursor };
  }
}

/** What a saved page holds: a choice of steps, one by one. */
async function saved(run: string, tag: string): Promise<{ data: Histograms; cursor: string }> {
  const items = await allItems("histograms", run, tag);
  const blobs = await Promise.all(items.map(({ samples }) => fetchBlob<HistogramBlob>(samples[0].url)));
  const buckets = blobs.flatMap((blob) => blob.buckets);
  const column = (k: number) => Float64Array.from(buckets, (bucket) => bucket[k]);
  const part = {
    steps: Float64Array.from(items, ({ step }) => step),
    walls: Float64Array.from(items, ({ wall_time }) => wall_time),
    sizes: blobs.map((blob) => blob.buckets.length),
    lefts: column(0),
    rights: column(1),
    counts: column(2),
    percentiles: Float64Array.from(blobs.flatMap((blob) => blob.percentiles)),
  };
  return { data: joined(NONE, part), cursor: "" };
}

async function fetched(run: string, tag: string): Promise<Histograms> {
  const key = `${run}\n${tag}`;
  const one = kept.get(key) ?? { data: NONE, cursor: "", turn: Promise.resolve() };
  kept.delete(key);
  kept.set(key, one);
  const work = one.turn.then(async () => {
    Object.assign(one, source.isLive ? await grown(run, tag, one) : await saved(run, tag));
  });
  one.turn = work.catch(() => {});
  await work;
  letGo();
  return one.data;
}

/** Those that were asked for longest ago go first. */
function letGo(): void {
  let size = 0;
  for (const { data } of kept.values()) size += data.counts.length;
  for (const [key, { data }] of kept) {
    if (size <= MOST_KEPT) return;
    size -= data.counts.length;
    kept.delete(key);
  }
}

export interface Fetched {
  data: Histograms;
  isLoading: boolean;
  error: string;
}

/** Every histogram of a series; new ones are fetched when the live stream tells of them. */
export function useHistograms(run: string, tag: string): Fetched {
  const count = tagsOf("histograms").get(tag)?.counts.get(run) ?? 0;
  const [state, setState] = useState<Fetched>(() => {
    const data = kept.get(`${run}\n${tag}`)?.data ?? NONE;
    return { data, isLoading: data === NONE, error: "" };
  });
  useEffect(() => {
    let isCurrent = true;
    fetched(run, tag).then(
      (data) => isCurrent && setState({ data, isLoading: false, error: "" }),
      (error: Error) =>
        isCurrent && setState((before) => ({ ...before, isLoading: false, error: error.message })),
    );
    return () => {
      isCurrent = false;
    };
  }, [run, tag, count]);
  return state;
}

export interface Ordered {
  /** Places in the columns, by rising `at`. */
  rows: Uint32Array;
  /** Where each stands on the axis. */
  at: Float64Array;
}

/** The histograms in the order of an axis; `start` is when the run began. */
export function ordered(data: Histograms, axis: Axis, start: number): Ordered {
  const column = axis === "step" ? data.steps : data.walls;
  const rows = Uint32Array.from(column, (_, i) => i);
  if (!isRising(column)) rows.sort((a, b) => column[a] - column[b] || a - b);
  const shift = axis === "relative" ? start : 0;
  return { rows, at: Float64Array.from(rows, (row) => column[row] - shift) };
}

function isRising(column: Float64Array): boolean {
  for (let i = 1; i < column.length; i++) if (column[i] < column[i - 1]) return false;
  return true;
}
