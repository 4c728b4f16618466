import { expect, it } from "vitest";
import {
  busyness,
  decodeTimeline,
  placeOf,
  rowAt,
  rowsOf,
  sumRange,
  type Timeline,
  visitLane,
} from "./timeline";

/** A message as the server packs it: one track, `lanes` of [start, duration, label]. */
function packed(lanes: [number, number, number][][], end: number): ArrayBuffer {
  const rows = lanes.flat();
  const head = {
    tracks: [{ process: "/host:CPU", name: "main", lanes: lanes.map((lane) => lane.length) }],
    labels: ["step", "op", "read"].map((name) => ({ name, kind: "runtime" })),
    length: rows.length,
    total: rows.length,
    window_total: rows.length,
    begin: 0,
    end,
    resolution: 0,
    is_raw: true,
    left_out: 0,
  };
  const text = JSON.stringify(head);
  const json = new TextEncoder().encode(text.padEnd(Math.ceil(text.length / 8) * 8));
  const buffer = new ArrayBuffer(8 + json.length + rows.length * 28);
  const view = new DataView(buffer);
  view.setUint32(0, 0x31544654, true);
  view.setUint32(4, json.length, true);
  new Uint8Array(buffer, 8).set(json);
  const at = 8 + json.length;
  rows.forEach(([start, duration, label], i) => {
    view.setFloat64(at + 8 * i, start, true);
    view.setFloat64(at + 8 * (rows.length + i), duration, true);
    view.setUint32(at + 16 * rows.length + 4 * i, label, true);
    view.setUint32(at + 20 * rows.length + 4 * i, i, true);
    view.setUint32(at + 24 * rows.length + 4 * i, 1, true);
  });
  return buffer;
}

function nested(): Timeline {
  return decodeTimeline(
    packed(
      [
        [
          [0, 40, 0],
          [50, 50, 0],
        ],
        [
          [10, 10, 1],
          [25, 5, 2],
          [60, 20, 1],
        ],
      ],
      100,
    ),
  );
}

it("reads the server's columns, and refuses what is none", () => {
  const timeline = nested();
  expect([...timeline.starts]).toEqual([0, 50, 10, 25, 60]);
  expect(timeline.tracks[0].lanes).toEqual([
    { first: 0, last: 2 },
    { first: 2, last: 5 },
  ]);
  expect(placeOf(timeline, 4)).toEqual({ track: 0, lane: 1 });
  expect(() => decodeTimeline(new ArrayBuffer(16))).toThrow("no timeline");
});

it("finds the event under the pointer, or near it", () => {
  const timeline = nested();
  const [, inner] = timeline.tracks[0].lanes;
  expect(rowAt(timeline, inner, 12, 0)).toBe(2);
  expect(rowAt(timeline, inner, 22, 0)).toBe(-1);
  expect(rowAt(timeline, inner, 22, 2.5)).toBe(2);
  expect(rowAt(timeline, inner, 24, 2.5)).toBe(3);
});

it("adds up what lies in a range, and of what reaches out of it the part inside", () => {
  expect(sumRange(nested(), 20, 70)).toEqual([
    { label: 0, count: 2, total: 40 },
    { label: 1, count: 1, total: 10 },
    { label: 2, count: 1, total: 5 },
  ]);
});

it("finds rows by label in order of time, and how busy the time was", () => {
  expect([...rowsOf(nested(), new Set([1, 2]))]).toEqual([2, 3, 4]);
  expect([...busyness(nested(), 10)]).toEqual([1, 1, 1, 1, 0, 1, 1, 1, 1, 1]);
});

it("draws a lane of many events in as many blocks as there are pixels, and every one when zoomed in", () => {
  const many: [number, number, number][] = Array.from({ length: 50_000 }, (_, i) => [i * 2, 1, 1]);
  const timeline = decodeTimeline(packed([many], 100_000));
  const lane = timeline.tracks[0].lanes[0];
  const drawn = (begin: number, end: number) => {
    const found: [number, boolean][] = [];
    visitLane(timeline, lane, begin, end, 500, (row, _left, _width, isMany) => found.push([row, isMany]));
    return found;
  };
  const all = drawn(0, 100_000);
  expect(all).toHaveLength(500);
  expect(all.every(([, isMany]) => isMany)).toBe(true);
  const few = drawn(1000, 1020);
  expect(few.map(([row]) => row)).toEqual([500, 501, 502, 503, 504, 505, 506, 507, 508, 509, 510]);
  expect(few.some(([, isMany]) => isMany)).toBe(false);
});
