/** A card: every histogram of one tag of one run. */

import { useLayoutEffect, useMemo, useRef } from "preact/hooks";
import { formatCount, formatDuration, formatTime, formatValue } from "../../chart/format";
import { onPaper } from "../../chart/palette";
import { facts, hideTooltip, showBeside } from "../../chart/tooltip";
import type { RunCard } from "../../media/run_cards";
import { themeColor } from "../../state/appearance";
import { colorOf, label } from "../../state/runs";
import { announce } from "../../ui/announce";
import { CardHead } from "./card_head";
import { HistogramChart, type Pointed } from "./chart";
import { DownloadMenu } from "./download";
import { marksSvg } from "./marks";
import { bucketAt, elements } from "./outline";
import type { Look } from "./scene";
import { type Histograms, ordered, useHistograms } from "./series";
import * as state from "./state";
import { t } from "./words";

const PAPER = { width: 640, height: 400 };
const PAPER_COLORS = { text: "#555555", grid: "#e8e8e8", background: "#ffffff", strong: "#222222" };

function look(color: string): Look {
  return {
    mode: state.mode.value,
    isLog: state.isLog.value,
    axis: state.AXES[state.axis.value],
    window: state.zoom.value,
    color,
    colors: {
      text: themeColor("--text-3"),
      grid: themeColor("--grid"),
      background: themeColor("--bg"),
      strong: themeColor("--text"),
    },
  };
}

/** The histogram of the pinned step, or the last before it; -1 if there is none. */
export function rowOfStep(data: Histograms, step: number | null): number {
  let found = -1;
  if (step === null) return found;
  data.steps.forEach((one, i) => {
    if (one <= step && (found < 0 || one >= data.steps[found])) found = i;
  });
  return found;
}

export function HistogramCard({ card, isOpen }: { card: RunCard; isOpen: boolean }) {
  const host = useRef<HTMLDivElement>(null);
  const chart = useRef<HistogramChart | null>(null);
  const { data, isLoading, error } = useHistograms(card.run.id, card.tag);
  const start = card.run.start_time ?? data.walls[0] ?? 0;
  const order = useMemo(() => ordered(data, state.axis.value, start), [data, state.axis.value, start]);
  const pinnedRow = rowOfStep(data, state.pinned.value);
  const shown = useRef({ data, pinnedRow });
  shown.current = { data, pinnedRow };
  const { title } = card;
  const name = label(card.run);

  useLayoutEffect(() => {
    const element = host.current!;
    const made = new HistogramChart(element, {
      point(pointed, place) {
        if (!pointed) return hideTooltip();
        const rows = reading(shown.current.data, pointed, shown.current.pinnedRow, start);
        showBeside([facts(rows)], place);
        if (document.activeElement === element) announce(rows.map((row) => row.join(": ")).join(", "));
      },
      choose(row) {
        const step = shown.current.data.steps[row];
        state.pinned.value = state.pinned.value === step ? null : step;
      },
      zoom(window) {
        state.zoom.value = window;
        hideTooltip();
      },
    });
    chart.current = made;
    const observer = new ResizeObserver(() => made.resize());
    observer.observe(element);
    return () => {
      observer.disconnect();
      made.destroy();
      chart.current = null;
      hideTooltip();
    };
  }, [card.id, start]);

  const drawn = look(colorOf(card.run));
  useLayoutEffect(() => {
    chart.current?.show(data, order, drawn, pinnedRow);
  }, [data, order, JSON.stringify(drawn), pinnedRow, card.id, start]);

  const svg = () => {
    const paper = { color: onPaper(drawn.color), colors: PAPER_COLORS };
    const marks = chart.current?.marks(paper, PAPER.width, PAPER.height) ?? [];
    return marksSvg(`${title} · ${name}`, marks, PAPER.width, PAPER.height);
  };
  const note = emptyNote(data, order.at, isLoading, error);
  return (
    <article class="card" aria-label={`${title}, ${name}`}>
      <CardHead card={card} isOpen={isOpen}>
        <DownloadMenu title={title} svg={svg} data={data} />
      </CardHead>
      <div
        ref={host}
        class="card-chart histogram-chart"
        role="img"
        tabIndex={0}
        aria-label={t("chart", { title, n: data.steps.length })}
        onKeyDown={(event) => chart.current && onKey(event, chart.current)}
        onBlur={() => chart.current?.leave()}
      />
      {note && (
        <p class="card-note" role="status">
          {note}
        </p>
      )}
    </article>
  );
}

function emptyNote(data: Histograms, at: Float64Array, isLoading: boolean, error: string): string {
  if (data.steps.length === 0) return error || (isLoading ? t("loading") : "");
  if (!data.counts.some((count) => count > 0)) return t("empty");
  const window = state.zoom.value;
  if (window && !at.some((one) => one >= window.min && one <= window.max)) return t("noneInZoom");
  return "";
}

function onKey(event: KeyboardEvent, chart: HistogramChart): void {
  const far = event.shiftKey ? 10 : 1;
  const act: Record<string, () => void> = {
    ArrowUp: () => chart.move(-far, 0),
    ArrowDown: () => chart.move(far, 0),
    ArrowLeft: () => chart.move(0, -far),
    ArrowRight: () => chart.move(0, far),
    Enter: () => chart.choose(),
    " ": () => chart.choose(),
    "+": () => chart.zoomBy(0.5),
    "=": () => chart.zoomBy(0.5),
    "-": () => chart.zoomBy(2),
    "0": () => {
      state.zoom.value = null;
    },
  };
  if (event.key === "Escape" && state.pinned.value !== null) {
    act.Escape = () => {
      state.pinned.value = null;
    };
  }
  const run = act[event.key];
  if (!run) return;
  run();
  event.preventDefault();
}

/** What is pointed at, in words. */
function reading(
  data: Histograms,
  { row, bucket, value }: Pointed,
  pinnedRow: number,
  start: number,
): [string, string][] {
  const wall = data.walls[row];
  const rows: [string, string][] = [
    [t("step"), String(data.steps[row])],
    [t("time"), `${formatTime(wall)} (${formatDuration(wall - start)})`],
  ];
  if (bucket >= 0) {
    const isLast = bucket === data.starts[row + 1] - 1;
    const edges = `${formatValue(data.lefts[bucket])}, ${formatValue(data.rights[bucket])}`;
    rows.push([t("bucket"), `[${edges}${isLast ? "]" : ")"}`]);
  }
  rows.push([t("count"), countText(data, row, bucket)]);
  if (pinnedRow >= 0 && pinnedRow !== row)
    rows.push([
      t("pinnedCount", { step: data.steps[pinnedRow] }),
      countText(data, pinnedRow, bucketAt(data, pinnedRow, value)),
    ]);
  return rows;
}

function countText(data: Histograms, row: number, bucket: number): string {
  const total = elements(data, row);
  if (bucket < 0 || total === 0) return t("nothing");
  const n = data.counts[bucket];
  const share = `${formatValue((100 * n) / total, 3)} %`;
  return t("countOf", { n: formatAmount(n), total: formatAmount(total), share });
}

/** Counts are whole, unless a writer has weighted them. */
function formatAmount(count: number): string {
  return Number.isInteger(count) && count < 1e15 ? formatCount(count) : formatValue(count);
}
