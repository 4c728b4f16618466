/** The timeline of a profile: a strip with all of the time, the events, and what is known about the one chosen. */

import { useEffect, useMemo, useRef, useState } from "preact/hooks";
import type { ProfileEvent } from "../../api/schema";
import { source, withQuery } from "../../api/source";
import { formatCount } from "../../chart/format";
import { theme, themeColor } from "../../state/appearance";
import { pattern } from "../../state/order";
import { announce } from "../../ui/announce";
import { IconButton, Notice, Search } from "../../ui/controls";
import { traceColors } from "./colors";
import { fetchEvent, fetchWindow, useTimeline } from "./data";
import { hideFloating, showFloating } from "./floating";
import { formatSeconds } from "./format";
import { zoomed } from "./layout";
import { Minimap } from "./minimap";
import { host, type Session, selected, traceSearch, traceWindow, windowOf, windowText } from "./state";
import { rowsOf, sumRange, type Timeline } from "./timeline";
import { TraceCanvas } from "./trace_canvas";
import type { Span } from "./trace_painter";
import { t } from "./words";

const PATIENCE_MS = 150;
const MOST_SUMS = 100;

export function TraceView({ session }: { session: Session }) {
  const { value, error, isLoading } = useTimeline(session);
  if (error) return <Notice title={t("broken")}>{error}</Notice>;
  if (!value) return isLoading ? <Notice title={t("loading")} isBusy /> : null;
  if (value.head.total === 0) return <Notice title={t("noEvents")}>{t("noEventsText")}</Notice>;
  return <Trace session={session} whole={value} />;
}

function Trace({ session, whole }: { session: Session; whole: Timeline }) {
  const place = useRef<HTMLDivElement>(null);
  const strip = useRef<HTMLDivElement>(null);
  const canvas = useRef<TraceCanvas | null>(null);
  const minimap = useRef<Minimap | null>(null);
  const [part, setPart] = useState<Timeline | null>(null);
  const [range, setRange] = useState<Span | null>(null);
  const timeline = part ?? whole;
  const latest = useRef(timeline);
  latest.current = timeline;
  const all: Span = { begin: whole.head.begin, end: Math.max(whole.head.end, whole.head.begin + 1) };
  const window = clamped(windowOf(traceWindow.value), all);

  const matches = useMemo(() => matching(timeline, traceSearch.value), [timeline, traceSearch.value]);
  const hits = useMemo(() => (matches ? rowsOf(timeline, matches) : null), [timeline, matches]);

  useEffect(() => {
    const drawn = new TraceCanvas(place.current!, traceColors(), {
      move: (next) => {
        traceWindow.value = windowText(next.begin, next.end);
      },
      select: (row) => {
        const { indices, labels, labelIds, durations } = latest.current;
        selected.value = row < 0 ? null : { key: session.key, index: indices[row] };
        if (row >= 0) announce(`${labels[labelIds[row]].name}, ${formatSeconds(durations[row] / 1e9)}`);
      },
      range: setRange,
      hover: (row, at) => {
        if (row < 0) return hideFloating();
        const { labels, labelIds, starts, durations, counts } = latest.current;
        const name = labels[labelIds[row]].name;
        showFloating(
          counts[row] > 1 ? t("mergedRow", { n: counts[row], name }) : name,
          [
            [t("lasts"), formatSeconds(durations[row] / 1e9)],
            [t("start"), formatSeconds(starts[row] / 1e9)],
          ],
          at,
        );
      },
    });
    canvas.current = drawn;
    const small = new Minimap(strip.current!, minimapColors(), (next) => {
      traceWindow.value = windowText(next.begin, next.end);
    });
    minimap.current = small;
    return () => {
      drawn.destroy();
      small.destroy();
      hideFloating();
    };
  }, []);
  useEffect(() => {
    setPart(null);
    setRange(null);
    minimap.current?.setTimeline(whole, all);
  }, [whole]);
  useEffect(() => canvas.current?.setTimeline(timeline, all), [timeline]);
  useEffect(() => {
    canvas.current?.setWindow(window);
    minimap.current?.setWindow(window);
  }, [window.begin, window.end, timeline]);
  useEffect(() => {
    canvas.current?.setColors(traceColors());
    minimap.current?.setColors(minimapColors());
  }, [theme.value]);
  useEffect(() => canvas.current?.setMatches(matches), [matches]);
  useEffect(() => canvas.current?.setRange(range), [range]);
  const index = selected.value?.key === session.key ? selected.value.index : -1;
  const row = useMemo(() => (index < 0 ? -1 : timeline.indices.indexOf(index)), [index, timeline]);
  useEffect(() => canvas.current?.select(row, true), [row, timeline]);

  // What the whole does not hold one by one is fetched once the view has come to rest.
  useEffect(() => {
    if (whole.head.is_raw || !source.isLive) return;
    const span = window.end - window.begin;
    const isThere = part?.head.is_raw && part.head.begin <= window.begin && part.head.end >= window.end;
    if (isThere || span >= (all.end - all.begin) * 0.999) {
      if (!isThere) setPart(null);
      return;
    }
    let isCurrent = true;
    const timer = setTimeout(() => {
      fetchWindow(
        session,
        Math.max(all.begin, window.begin - span / 2),
        Math.min(all.end, window.end + span / 2),
      ).then(
        (next) => isCurrent && setPart(next),
        (failure: Error) => announce(failure.message),
      );
    }, PATIENCE_MS);
    return () => {
      isCurrent = false;
      clearTimeout(timer);
    };
  }, [window.begin, window.end, whole]);

  const zoom = (factor: number) => {
    const next = zoomed(window, all, factor, (window.begin + window.end) / 2);
    traceWindow.value = windowText(next.begin, next.end);
  };
  const goToHit = (by: number) => {
    if (!hits?.length) return;
    const now = hits.indexOf(row);
    const next = now < 0 ? hits.findIndex((one) => timeline.starts[one] >= window.begin) : now + by;
    const found = hits[(next + hits.length) % hits.length];
    selected.value = { key: session.key, index: timeline.indices[found] };
    announce(timeline.labels[timeline.labelIds[found]].name);
  };
  return (
    <div class="trace">
      <div
        class="profile-bar"
        onKeyDown={(event) => {
          const isField = (event.target as HTMLElement).tagName === "INPUT";
          if (event.key === "Enter" && isField) goToHit(event.shiftKey ? -1 : 1);
        }}
      >
        <Search
          label={t("searchTrace")}
          tip={t("searchTraceTip")}
          value={traceSearch.value}
          shortcut="/"
          onChange={(text) => {
            traceSearch.value = text;
          }}
        />
        {hits && <span class="profile-of">{t("found", { n: formatCount(hits.length) })}</span>}
        <button
          type="button"
          class="text-button"
          data-tip={t("zoomIn")}
          aria-label={t("zoomIn")}
          onClick={() => zoom(1 / 1.6)}
        >
          +
        </button>
        <button
          type="button"
          class="text-button"
          data-tip={t("zoomOut")}
          aria-label={t("zoomOut")}
          onClick={() => zoom(1.6)}
        >
          −
        </button>
        <button
          type="button"
          class="text-button"
          data-tip={t("fitTip")}
          onClick={() => (traceWindow.value = "")}
        >
          {t("fit")}
        </button>
        {source.isLive && <Download session={session} />}
        <span class="profile-of trace-hint">{t("hint")}</span>
      </div>
      <div ref={strip} class="trace-minimap" role="img" aria-label={t("minimap")} data-tip={t("minimap")} />
      <div
        ref={place}
        class="trace-place"
        role="application"
        tabIndex={0}
        aria-label={t("traceName", {
          n: formatCount(whole.head.total),
          tracks: whole.tracks.length,
        })}
      />
      {!timeline.head.is_raw && (
        <p class="profile-note">
          {t("merged", {
            n: formatCount(timeline.counts.reduce((sum, count) => sum + (count === 1 ? 1 : 0), 0)),
            total: formatCount(whole.head.total),
          })}
        </p>
      )}
      {range ? (
        <RangeSheet timeline={timeline} range={range} onClose={() => setRange(null)} />
      ) : (
        index >= 0 && <EventSheet session={session} index={index} timeline={timeline} row={row} />
      )}
    </div>
  );
}

function clamped(window: Span | null, all: Span): Span {
  if (!window || window.begin >= all.end || window.end <= all.begin) return all;
  return { begin: Math.max(window.begin, all.begin), end: Math.min(window.end, all.end) };
}

function minimapColors() {
  return { bar: themeColor("--text-3"), view: themeColor("--accent") };
}

function matching(timeline: Timeline, text: string): ReadonlySet<number> | null {
  const wanted = pattern(text);
  if (!wanted || text === "") return null;
  return new Set(timeline.labels.flatMap(({ name }, i) => (wanted.test(name) ? [i] : [])));
}

function Download({ session }: { session: Session }) {
  const run = session.run.name === "." ? session.name : `${session.run.name}/${session.name}`;
  const path = withQuery("data/plugin/profile/data", { tool: "trace_viewer", run, host: host.value });
  return (
    <a
      class="icon-button"
      href={new URL(path, document.baseURI).href}
      download="trace.json"
      data-tip={t("chrome")}
      aria-label={t("chrome")}
    >
      ↓
    </a>
  );
}

interface EventProps {
  session: Session;
  index: number;
  timeline: Timeline;
  row: number;
}

function EventSheet({ session, index, timeline, row }: EventProps) {
  const [event, setEvent] = useState<ProfileEvent | null>(null);
  const [problem, setProblem] = useState("");
  useEffect(() => {
    setEvent(null);
    setProblem("");
    if (!source.isLive) return setProblem(t("argsSaved"));
    let isCurrent = true;
    fetchEvent(session, index).then(
      (found) => isCurrent && setEvent(found),
      (error: Error) => isCurrent && setProblem(error.message),
    );
    return () => {
      isCurrent = false;
    };
  }, [session.key, session.version, index]);
  const known = row >= 0;
  const name = event?.name ?? (known ? timeline.labels[timeline.labelIds[row]].name : "…");
  const facts: [string, string][] = [];
  const start = event?.start ?? (known ? timeline.starts[row] : Number.NaN);
  const duration = event?.duration ?? (known ? timeline.durations[row] : Number.NaN);
  facts.push([t("start"), `${(start / 1e6).toFixed(3)} ms`], [t("lasts"), formatSeconds(duration / 1e9)]);
  if (event) facts.push([t("thread"), `${event.process} · ${event.track}`]);
  facts.push(...Object.entries(event?.args ?? {}));
  return (
    <section class="trace-sheet" aria-label={t("event")}>
      <header class="profile-head">
        <h3 class="is-long">{name}</h3>
        <div class="profile-tools">
          <IconButton icon="close" tip={t("close")} onClick={() => (selected.value = null)} />
        </div>
      </header>
      <dl class="event-facts" tabIndex={0}>
        {facts.map(([key, text]) => (
          <div key={key}>
            <dt>{key}</dt>
            <dd>{text}</dd>
          </div>
        ))}
      </dl>
      {problem && <p class="profile-note">{problem}</p>}
    </section>
  );
}

function RangeSheet({ timeline, range, onClose }: { timeline: Timeline; range: Span; onClose: () => void }) {
  const sums = useMemo(() => sumRange(timeline, range.begin, range.end), [timeline, range]);
  const count = sums.reduce((sum, one) => sum + one.count, 0);
  return (
    <section class="trace-sheet" aria-label={t("rangeTitle")}>
      <header class="profile-head">
        <h3>{t("rangeTitle")}</h3>
        <span class="profile-of">
          {t("rangeText", {
            time: formatSeconds((range.end - range.begin) / 1e9),
            begin: formatSeconds(range.begin / 1e9),
            n: formatCount(count),
          })}
        </span>
        <div class="profile-tools">
          <IconButton icon="close" tip={t("close")} onClick={onClose} />
        </div>
      </header>
      <div class="profile-scroll" tabIndex={0} role="region" aria-label={t("rangeTitle")}>
        <table class="profile-table">
          <thead>
            <tr>
              <th>{t("name")}</th>
              <th class="is-number">{t("totalTime")}</th>
              <th class="is-number">{t("count")}</th>
              <th class="is-number">{t("each")}</th>
            </tr>
          </thead>
          <tbody>
            {sums.slice(0, MOST_SUMS).map(({ label, total, count: number }) => (
              <tr key={label}>
                <td class="is-long">{timeline.labels[label].name}</td>
                <td class="is-number">{formatSeconds(total / 1e9)}</td>
                <td class="is-number">{formatCount(number)}</td>
                <td class="is-number">{formatSeconds(total / number / 1e9)}</td>
              </tr>
            ))}
          </tbody>
        </table>
      </div>
    </section>
  );
}
