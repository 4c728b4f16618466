/** Where the tracks of a timeline lie on the screen: from top to bottom, a heading for each process. */

import type { Timeline } from "./timeline";

export const LANE = 18;
const HEADING = 24;
const GAP = 6;

export interface Row {
  /** Pixels from the top of all. */
  top: number;
  height: number;
  /** The track, or -1 for the heading of a process. */
  track: number;
  lanes: number;
  title: string;
}

/** A collapsed track shows its outermost lane alone. */
export function layOut(timeline: Timeline, collapsed: ReadonlySet<number>): { rows: Row[]; height: number } {
  const rows: Row[] = [];
  let top = 0;
  let process: string | null = null;
  timeline.tracks.forEach((track, i) => {
    if (track.process !== process) {
      process = track.process;
      rows.push({ top, height: HEADING, track: -1, lanes: 0, title: process });
      top += HEADING;
    }
    const lanes = collapsed.has(i) ? Math.min(1, track.lanes.length) : track.lanes.length;
    const height = lanes * LANE + GAP;
    rows.push({ top, height, track: i, lanes, title: track.name });
    top += height;
  });
  return { rows, height: top };
}

/** The row at a height, and the lane of its track there; lane -1 is between lanes. */
export function rowUnder(rows: readonly Row[], y: number): { row: Row; lane: number } | null {
  const row = rows.find(({ top, height }) => y >= top && y < top + height);
  if (!row) return null;
  const lane = Math.floor((y - row.top) / LANE);
  return { row, lane: row.track >= 0 && lane < row.lanes ? lane : -1 };
}

/** A window that shows at least a nanosecond and not more than there is, with what lies at `anchor` where it was. */
export function zoomed(
  window: { begin: number; end: number },
  whole: { begin: number; end: number },
  factor: number,
  anchor: number,
): { begin: number; end: number } {
  const most = Math.max(whole.end - whole.begin, 1);
  const span = Math.min(Math.max((window.end - window.begin) * factor, 1), most);
  const share = (anchor - window.begin) / (window.end - window.begin);
  return moved({ begin: anchor - share * span, end: anchor + (1 - share) * span }, whole, 0);
}

/** A window moved by so much, but not out of the whole. */
export function moved(
  window: { begin: number; end: number },
  whole: { begin: number; end: number },
  by: number,
): { begin: number; end: number } {
  const span = window.end - window.begin;
  const begin = Math.min(Math.max(window.begin + by, whole.begin), Math.max(whole.end - span, whole.begin));
  return { begin, end: begin + span };
}
