/**
 * The points the cards show. Cards say what they need; one request a frame fetches it for all of them, new points
 * are appended as they arrive, and what no card has used for long is let go.
 */

import type { Columns } from "../../api/columns";
import type { Axis, SeriesKey } from "../../api/schema";
import { source } from "../../api/source";
import type { Range } from "../../chart/line";
import { follow, onPoints } from "../../state/live";
import { Series } from "./series";

export interface Need {
  keys: readonly SeriesKey[];
  axis: Axis;
  window: Range | null;
  pixels: number;
  smoothing: number;
}

const POINTS_KEPT = 8_000_000;
/** A request with more points than this takes noticeable time to come; fewer points a series will do. */
const POINTS_PER_CARD = 240_000;
const LEAST_PIXELS = 40;
const SETTLING_MS = 150;
const MOST_SERIES_PER_REQUEST = 5000;

function keyText({ run, tag }: SeriesKey): string {
  return `${run}\n${tag}`;
}

/** What one card needs, and is told about. */
export class Demand {
  private need: Need | null = null;
  private keys = new Set<string>();
  private windowed = new Map<string, Series>();
  private request: AbortController | null = null;
  /** The window being asked for, in words; "" if none is. */
  private asked = "";
  private timer: ReturnType<typeof setTimeout> | undefined;
  private settling: ReturnType<typeof setTimeout> | undefined;
  error = "";

  constructor(
    private readonly store: SeriesStore,
    readonly changed: () => void,
  ) {
    store.demands.add(this);
  }

  close(): void {
    this.request?.abort();
    clearTimeout(this.timer);
    clearTimeout(this.settling);
    this.store.demands.delete(this);
    this.store.wantFollow();
  }

  set(need: Need): void {
    const pixels = Math.max(
      LEAST_PIXELS,
      Math.min(need.pixels, Math.floor(POINTS_PER_CARD / 4 / Math.max(1, need.keys.length))),
    );
    const before = this.need;
    this.need = { ...need, pixels };
    if (before?.keys !== need.keys) this.keys = new Set(need.keys.map(keyText));
    const isSameWindow =
      before && JSON.stringify(before.window) === JSON.stringify(need.window) && before.axis === need.axis;
    if (!isSameWindow) this.windowed = new Map();
    clearTimeout(this.settling);
    // While a slider moves, the page smooths what it has; the server is asked when it rests.
    if (before && before.smoothing !== need.smoothing)
      this.settling = setTimeout(() => this.ask(), SETTLING_MS);
    else this.ask();
  }

  private ask(): void {
    const need = this.need!;
    if (!need.window) {
      this.request?.abort();
      this.asked = "";
    } else if (this.asked !== this.words(need) && need.keys.some((key) => !this.isAnswered(key))) {
      void this.fetchWindow();
    }
    this.store.want(need);
  }

  /** Live runs make a card say again and again what it needs; what is on its way need not be asked for twice. */
  private words({ keys, axis, window, pixels, smoothing }: Need): string {
    return JSON.stringify([axis, window, pixels, smoothing, keys]);
  }

  private isAnswered(key: SeriesKey): boolean {
    const series = this.windowed.get(keyText(key));
    return series !== undefined && (this.need!.smoothing === 0 || series.weight === this.need!.smoothing);
  }

  /** Points of a series: of the window once they are here, else of the whole. */
  get(key: SeriesKey): Series | undefined {
    return this.of(keyText(key));
  }

  private of(text: string): Series | undefined {
    return this.windowed.get(text) ?? (this.need ? this.store.get(this.need.axis, text) : undefined);
  }

  /** Whether every series asked for has been answered. */
  get isComplete(): boolean {
    if (!this.need) return false;
    for (const text of this.keys) if (!this.of(text)) return false;
    return true;
  }

  wants(text: string): boolean {
    return this.keys.has(text);
  }

  get current(): Need | null {
    return this.need;
  }

  /** New points came: a window that is being looked at is asked for again, a little later. */
  grown(): void {
    if (this.need?.window && this.timer === undefined) {
      this.timer = setTimeout(() => {
        this.timer = undefined;
        if (this.need?.window) void this.fetchWindow();
      }, 500);
    }
    this.changed();
  }

  private async fetchWindow(): Promise<void> {
    const need = this.need!;
    this.request?.abort();
    this.request = new AbortController();
    const { min, max } = need.window!;
    const { axis, pixels, smoothing } = need;
    const body = { series: [...need.keys], axis, min, max, pixels, smoothing };
    this.asked = this.words(need);
    try {
      const answers = await source.series(body, this.request.signal);
      this.asked = "";
      this.windowed = new Map(
        answers.map((answer) => [keyText(answer.head), new Series(answer, pixels, smoothing)]),
      );
      this.error = "";
      this.changed();
    } catch (error) {
      if ((error as Error).name === "AbortError") return;
      this.asked = "";
      this.error = (error as Error).message;
      this.changed();
    }
  }
}

export class SeriesStore {
  readonly demands = new Set<Demand>();
  private readonly kept = new Map<string, Series>();
  private readonly asked = new Set<string>();
  private wanted = new Map<string, Need>();
  private isScheduled = false;
  private isFollowScheduled = false;

  constructor() {
    onPoints((columns) => this.grow(columns));
  }

  get(axis: Axis, text: string): Series | undefined {
    const series = this.kept.get(`${axis}\n${text}`);
    if (series) series.usedAt = performance.now();
    return series;
  }

  /** Fetches what is not here yet, with whatever other cards want in the same frame. */
  want(need: Need): void {
    this.wantFollow();
    for (const key of need.keys) {
      const place = `${need.axis}\n${keyText(key)}`;
      const have = this.kept.get(place);
      if ((have && isEnough(have, need)) || this.asked.has(place)) continue;
      this.asked.add(place);
      const batch = `${need.axis}\n${need.pixels}\n${need.smoothing}`;
      const together = this.wanted.get(batch) ?? { ...need, keys: [] };
      this.wanted.set(batch, { ...together, keys: pushed(together.keys, key) });
    }
    if (this.wanted.size && !this.isScheduled) {
      this.isScheduled = true;
      requestAnimationFrame(() => this.send());
    }
  }

  private send(): void {
    this.isScheduled = false;
    const batches = [...this.wanted.values()];
    this.wanted = new Map();
    for (const batch of batches) {
      for (let i = 0; i < batch.keys.length; i += MOST_SERIES_PER_REQUEST) {
        void this.fetch({ ...batch, keys: batch.keys.slice(i, i + MOST_SERIES_PER_REQUEST) });
      }
    }
  }

  private async fetch({ keys, axis, pixels, smoothing }: Need): Promise<void> {
    const done = new Set(keys.map(keyText));
    let error = "";
    try {
      for (const answer of await source.series({ series: [...keys], axis, pixels, smoothing })) {
        const series = new Series(answer, pixels, smoothing);
        series.usedAt = performance.now();
        this.kept.set(`${axis}\n${keyText(answer.head)}`, series);
      }
    } catch (failure) {
      error = (failure as Error).message;
    }
    for (const text of done) this.asked.delete(`${axis}\n${text}`);
    this.letGo();
    for (const demand of this.demands) {
      if (demand.current?.axis !== axis || ![...done].some((text) => demand.wants(text))) continue;
      demand.error = error;
      demand.changed();
      // It may have come to need more while this was under way.
      if (!error) this.want(demand.current);
    }
    this.wantFollow();
  }

  /** Tells the server which series are being looked at. */
  wantFollow(): void {
    if (this.isFollowScheduled) return;
    this.isFollowScheduled = true;
    setTimeout(() => {
      this.isFollowScheduled = false;
      const wanted = new Map<string, SeriesKey & { cursor: string }>();
      for (const demand of this.demands) {
        const need = demand.current;
        for (const key of need?.keys ?? []) {
          const series = this.kept.get(`${need!.axis}\n${keyText(key)}`);
          if (series) wanted.set(keyText(key), { ...key, cursor: series.cursor });
        }
      }
      follow(wanted.values());
    }, 100);
  }

  private grow(columns: Columns[]): void {
    const touched = new Set<string>();
    const again: [Axis, SeriesKey][] = [];
    for (const data of columns) {
      const text = keyText(data.head);
      touched.add(text);
      for (const axis of ["step", "relative", "wall"] as const) {
        const series = this.kept.get(`${axis}\n${text}`);
        if (!series) continue;
        if (data.head.is_reset) this.kept.set(`${axis}\n${text}`, new Series(data, series.pixels, 0));
        else if (!series.append(data, axis) || isBloated(series)) again.push([axis, data.head]);
      }
    }
    for (const demand of this.demands) {
      if ([...touched].some((text) => demand.wants(text))) demand.grown();
    }
    for (const [axis, { run, tag }] of again) this.replace(axis, { run, tag });
  }

  /** Asks for a whole series again; the old points stay until the new ones are here. */
  private replace(axis: Axis, key: SeriesKey): void {
    const place = `${axis}\n${keyText(key)}`;
    const series = this.kept.get(place);
    if (!series || this.asked.has(place)) return;
    const isUsed = [...this.demands].some(
      (demand) => demand.current?.axis === axis && demand.wants(keyText(key)),
    );
    if (!isUsed) {
      this.kept.delete(place);
      return;
    }
    this.asked.add(place);
    void this.fetch({ keys: [key], axis, pixels: series.pixels, window: null, smoothing: series.weight });
  }

  private letGo(): void {
    let points = 0;
    for (const series of this.kept.values()) points += series.size;
    if (points <= POINTS_KEPT) return;
    const inUse = new Set<string>();
    for (const demand of this.demands) {
      for (const key of demand.current?.keys ?? []) inUse.add(`${demand.current!.axis}\n${keyText(key)}`);
    }
    const oldest = [...this.kept]
      .filter(([place]) => !inUse.has(place))
      .sort(([, a], [, b]) => a.usedAt - b.usedAt);
    for (const [place, series] of oldest) {
      if (points <= POINTS_KEPT) return;
      points -= series.size;
      this.kept.delete(place);
    }
  }
}

/** Whether what is here will do: a raw series can be smoothed by the page, a cut one only by the server. */
function isEnough(have: Series, need: Need): boolean {
  const isSmooth = need.smoothing === 0 || have.weight === need.smoothing;
  return have.isRaw || (isSmooth && have.pixels >= need.pixels * 0.6);
}

/** Whether so many points came that it should be cut to the pixels again. */
function isBloated(series: Series): boolean {
  return (
    series.appended > Math.max(2000, 4 * series.pixels) ||
    (!series.isRaw && series.appended > 2 * series.pixels)
  );
}

/** Batches are private to a frame, so their list may grow in place. */
function pushed(keys: readonly SeriesKey[], key: SeriesKey): SeriesKey[] {
  (keys as SeriesKey[]).push(key);
  return keys as SeriesKey[];
}
