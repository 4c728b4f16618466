/** The events of a profile in columns, and the questions a picture asks of them. */

import type { ProfileLabel, TimelineHead } from "../../api/schema";

/** Events that overlap no other: rows `first` to `last` (not included) of the columns, in order of time. */
export interface Lane {
  first: number;
  last: number;
}

export interface Track {
  process: string;
  name: string;
  lanes: Lane[];
}

export interface Timeline {
  head: TimelineHead;
  tracks: Track[];
  labels: ProfileLabel[];
  /** Nanoseconds since the first event. */
  starts: Float64Array;
  durations: Float64Array;
  labelIds: Uint32Array;
  /** The place of an event, or of the first of several that are merged, among all of the file. */
  indices: Uint32Array;
  /** How many events a row stands for. */
  counts: Uint32Array;
}

const MAGIC = 0x31544654; // "TFT1", little-endian

export function decodeTimeline(buffer: ArrayBuffer): Timeline {
  const view = new DataView(buffer);
  if (buffer.byteLength < 8 || view.getUint32(0, true) !== MAGIC) {
    throw new Error("The server's answer is no timeline.");
  }
  const length = view.getUint32(4, true);
  const head: TimelineHead = JSON.parse(new TextDecoder().decode(new Uint8Array(buffer, 8, length)));
  const count = head.length;
  const at = 8 + length;
  let row = 0;
  const tracks = head.tracks.map(({ process, name, lanes }) => ({
    process,
    name,
    lanes: lanes.map((size) => {
      const lane = { first: row, last: row + size };
      row += size;
      return lane;
    }),
  }));
  return {
    head,
    tracks,
    labels: head.labels,
    starts: new Float64Array(buffer, at, count),
    durations: new Float64Array(buffer, at + 8 * count, count),
    labelIds: new Uint32Array(buffer, at + 16 * count, count),
    indices: new Uint32Array(buffer, at + 20 * count, count),
    counts: new Uint32Array(buffer, at + 24 * count, count),
  };
}

/** The first row from `first` on that begins at `time` or later. */
export function firstFrom(starts: Float64Array, time: number, first: number, last: number): number {
  let low = first;
  let high = last;
  while (low < high) {
    const middle = (low + high) >> 1;
    if (starts[middle] < time) low = middle + 1;
    else high = middle;
  }
  return low;
}

/** The row of a lane that holds `time`, or lies within `slack` of it; -1 if none does. */
export function rowAt(timeline: Timeline, lane: Lane, time: number, slack: number): number {
  const { starts, durations } = timeline;
  const next = firstFrom(starts, time, lane.first, lane.last);
  let best = -1;
  let distance = slack;
  for (const row of [next - 1, next]) {
    if (row < lane.first || row >= lane.last) continue;
    const away = Math.max(starts[row] - time, time - (starts[row] + durations[row]), 0);
    if (away <= distance) {
      best = row;
      distance = away;
    }
  }
  return best;
}

/**
 * What to draw of a lane in a window `width` pixels wide. Rows narrower than a pixel are drawn as one block a pixel: the
 * next row to look at is found by bisection, so a lane costs as much as it has pixels, however many events it has.
 */
export function visitLane(
  timeline: Timeline,
  lane: Lane,
  begin: number,
  end: number,
  width: number,
  visit: (row: number, left: number, width: number, isMany: boolean) => void,
): void {
  const { starts, durations } = timeline;
  const scale = width / (end - begin);
  let row = firstFrom(starts, begin, lane.first, lane.last);
  if (row > lane.first && starts[row - 1] + durations[row - 1] >= begin) row--;
  while (row < lane.last && starts[row] <= end) {
    const left = (starts[row] - begin) * scale;
    const wide = durations[row] * scale;
    if (wide >= 1) {
      visit(row, left, wide, false);
      row++;
      continue;
    }
    const pixel = Math.floor(left);
    const next = firstFrom(starts, begin + (pixel + 1) / scale, row + 1, lane.last);
    visit(row, pixel, 1, next > row + 1);
    row = Math.max(next, row + 1);
  }
}

/** How busy the events of the outermost lanes are, in `parts` of the whole time, each from 0 to 1. */
export function busyness(timeline: Timeline, parts: number): Float32Array {
  const { starts, durations, tracks, head } = timeline;
  const result = new Float32Array(parts);
  const span = Math.max(head.end - head.begin, 1e-9);
  const scale = parts / span;
  for (const track of tracks) {
    const lane = track.lanes[0];
    if (!lane) continue;
    for (let row = lane.first; row < lane.last; row++) {
      const from = (starts[row] - head.begin) * scale;
      const to = Math.min(from + durations[row] * scale, parts);
      for (let part = Math.max(0, Math.floor(from)); part < to; part++) {
        result[part] += Math.min(to, part + 1) - Math.max(from, part);
      }
    }
  }
  const most = result.reduce((a, b) => Math.max(a, b), 0) || 1;
  return result.map((value) => value / most);
}

export interface Sum {
  label: number;
  count: number;
  /** Nanoseconds inside the range. */
  total: number;
}

/** What the events in a range took, by label, the longest first. Those that reach out of it count as far as they lie in it. */
export function sumRange(timeline: Timeline, begin: number, end: number): Sum[] {
  const { starts, durations, labelIds, counts, tracks, labels } = timeline;
  const totals = new Float64Array(labels.length);
  const numbers = new Float64Array(labels.length);
  for (const track of tracks) {
    for (const lane of track.lanes) {
      let row = firstFrom(starts, begin, lane.first, lane.last);
      if (row > lane.first && starts[row - 1] + durations[row - 1] > begin) row--;
      for (; row < lane.last && starts[row] < end; row++) {
        const inside = Math.min(starts[row] + durations[row], end) - Math.max(starts[row], begin);
        totals[labelIds[row]] += Math.max(inside, 0);
        numbers[labelIds[row]] += counts[row];
      }
    }
  }
  const found: Sum[] = [];
  numbers.forEach((count, label) => {
    if (count > 0) found.push({ label, count, total: totals[label] });
  });
  return found.sort((a, b) => b.total - a.total);
}

/** The rows whose label is among `wanted`, in order of time. */
export function rowsOf(timeline: Timeline, wanted: ReadonlySet<number>): Uint32Array {
  const found: number[] = [];
  const { labelIds, starts } = timeline;
  for (let row = 0; row < labelIds.length; row++) if (wanted.has(labelIds[row])) found.push(row);
  return Uint32Array.from(found.sort((a, b) => starts[a] - starts[b]));
}

/** The track and lane a row lies in. */
export function placeOf(timeline: Timeline, row: number): { track: number; lane: number } {
  const track = timeline.tracks.findIndex(
    ({ lanes }) => lanes.length > 0 && row < lanes[lanes.length - 1].last,
  );
  const lane = timeline.tracks[track]?.lanes.findIndex(({ last }) => row < last) ?? -1;
  return { track, lane };
}
