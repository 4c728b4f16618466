/** Points of one tag of one run, growing at the end. */

import type { Columns } from "../../api/columns";
import type { Axis } from "../../api/schema";
import { smooth } from "../../chart/smoothing";

export class Series {
  private columns: [steps: Float64Array, walls: Float64Array, values: Float64Array];
  private length: number;
  readonly start: number;
  readonly pixels: number;
  /** How strongly `average` smooths; 0 if there is none. */
  readonly weight: number;
  private average: Float64Array | null;
  readonly isRaw: boolean;
  cursor: string;
  /** How many points were logged, of which these are some. */
  private total: number;
  /** Points appended since it was fetched. */
  appended = 0;
  usedAt = 0;

  constructor(data: Columns, pixels: number, weight: number) {
    this.columns = [data.steps, data.walls, data.values];
    this.length = data.steps.length;
    this.start = data.head.start_time ?? data.walls[0] ?? 0;
    this.isRaw = data.head.is_raw;
    this.cursor = data.head.cursor;
    this.total = data.head.total;
    this.pixels = pixels;
    this.average = data.smoothed;
    this.weight = data.smoothed ? weight : 0;
  }

  get steps(): Float64Array {
    return this.columns[0].subarray(0, this.length);
  }
  get walls(): Float64Array {
    return this.columns[1].subarray(0, this.length);
  }
  get values(): Float64Array {
    return this.columns[2].subarray(0, this.length);
  }
  get size(): number {
    return this.length;
  }

  /** The server averages over all points; where these are all, or until it has, it is done here. */
  smoothed(weight: number): Float64Array {
    if (this.average && weight === this.weight) return this.average.subarray(0, this.length);
    return smooth(this.values, weight);
  }

  x(axis: Axis): Float64Array {
    if (axis === "step") return this.steps;
    return axis === "wall" ? this.walls : this.walls.map((wall) => wall - this.start);
  }

  /** Appends new points; false if the series has to be asked for again: cut, out of order, or with a gap. */
  append(message: Columns, axis: Axis): boolean {
    const { head } = message;
    // A message that crossed a new subscription brings points that are here already.
    const repeated = this.total - (head.total - head.length);
    this.cursor = head.cursor;
    this.total = head.total;
    if (!head.is_raw || repeated < 0) return false;
    if (repeated >= head.length) return true;
    const steps = message.steps.subarray(repeated);
    const walls = message.walls.subarray(repeated);
    const column = axis === "step" ? steps : walls;
    let last = this.length ? this.columns[axis === "step" ? 0 : 1][this.length - 1] : -Infinity;
    for (const x of column) {
      if (x < last) return false;
      last = x;
    }
    const count = steps.length;
    const needed = this.length + count;
    if (needed > this.columns[0].length) {
      const grow = (old: Float64Array) => {
        const next = new Float64Array(Math.max(64, Math.ceil(needed * 1.5)));
        next.set(old.subarray(0, this.length));
        return next;
      };
      this.columns = [grow(this.columns[0]), grow(this.columns[1]), grow(this.columns[2])];
      this.average &&= grow(this.average);
    }
    this.columns[0].set(steps, this.length);
    this.columns[1].set(walls, this.length);
    this.columns[2].set(message.values.subarray(repeated), this.length);
    this.extendAverage(needed);
    this.length = needed;
    this.appended += count;
    return true;
  }

  /** Goes on from the last average: of a long series, the sum of the weights is 1. */
  private extendAverage(end: number): void {
    if (!this.average) return;
    let last = this.average.subarray(0, this.length).findLast(Number.isFinite);
    for (let i = this.length; i < end; i++) {
      const value = this.columns[2][i];
      if (!Number.isFinite(value)) this.average[i] = value;
      else {
        last = last === undefined ? value : this.weight * last + (1 - this.weight) * value;
        this.average[i] = last;
      }
    }
  }
}
