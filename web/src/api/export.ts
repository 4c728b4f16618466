/** The data of an exported page: answers by URL, and one message with every series. */

import { smooth } from "../chart/smoothing";
import { type Columns, decodeColumns, fromBase64 } from "./columns";
import type { ExportData, SeriesRequest, Settings } from "./schema";

export class ExportSource {
  readonly isLive = false;
  private readonly data: ExportData;
  private readonly byKey = new Map<string, Columns>();

  constructor(data: ExportData) {
    this.data = data;
    for (const columns of decodeColumns(fromBase64(data.series))) {
      this.byKey.set(`${columns.head.run}\n${columns.head.tag}`, columns);
    }
  }

  async get<T>(path: string): Promise<T> {
    if (!(path in this.data.answers)) throw new Error(`The exported page does not hold ${path}.`);
    return this.data.answers[path] as T;
  }

  async bytes(path: string): Promise<ArrayBuffer> {
    if (!(path in this.data.blobs)) throw new Error(`The exported page does not hold ${path}.`);
    return fromBase64(this.data.blobs[path].split(",", 2)[1]);
  }

  async series(request: SeriesRequest): Promise<Columns[]> {
    return request.series.map(({ run, tag }) => {
      const all = this.byKey.get(`${run}\n${tag}`);
      if (!all) return missing(run, tag);
      return cut(all, request);
    });
  }

  blobUrl(url: string): string {
    return this.data.blobs[url] ?? "";
  }

  async patchSettings(): Promise<Settings> {
    throw new Error("An exported page cannot be changed.");
  }

  async follow(): Promise<void> {}

  liveUrl(): string {
    return "";
  }
}

/** The window of a series, with one point on either side, as the server gives it. */
function cut(all: Columns, { axis = "step", min, max, smoothing = 0 }: SeriesRequest): Columns {
  const start = all.head.start_time ?? 0;
  const at = (i: number) => (axis === "step" ? all.steps[i] : all.walls[i] - (axis === "wall" ? 0 : start));
  const order = Array.from(all.steps, (_, i) => i).sort((a, b) => at(a) - at(b));
  let first = order.findIndex((i) => at(i) >= (min ?? -Infinity));
  let last = order.findLastIndex((i) => at(i) <= (max ?? Infinity));
  if (first < 0) first = order.length;
  const chosen = order.slice(Math.max(0, first - 1), last + 2);
  const take = (column: Float64Array) => Float64Array.from(chosen, (i) => column[i]);
  const smoothed = smooth(
    Float64Array.from(order, (i) => all.values[i]),
    smoothing,
  );
  const length = chosen.length;
  last = Math.max(last, first - 1);
  return {
    head: { ...all.head, length, window_total: last - first + 1, has_smoothed: smoothing > 0 },
    steps: take(all.steps),
    walls: take(all.walls),
    values: take(all.values),
    smoothed: smoothing > 0 ? smoothed.slice(Math.max(0, first - 1), last + 2) : null,
  };
}

function missing(run: string, tag: string): Columns {
  const none = new Float64Array(0);
  const head = {
    run,
    tag,
    length: 0,
    window_total: 0,
    total: 0,
    is_raw: true,
    missing: true,
    cursor: "",
    start_time: null,
    is_reset: false,
    has_smoothed: false,
  };
  return { head, steps: none, walls: none, values: none, smoothed: null };
}
