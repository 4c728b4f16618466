/** A card: a chart of one or more tags over all visible runs. */

import { computed, type Signal, useSignal, useSignalEffect } from "@preact/signals";
import { useEffect, useMemo, useRef, useState } from "preact/hooks";
import type { Run } from "../../api/schema";
import { chartColors, chartKey, hostChart } from "../../chart/hosting";
import { isOutside, type Line, type Range } from "../../chart/line";
import type { ChartView, LineChart } from "../../chart/line_chart";
import { drawNever, drawSoon } from "../../chart/queue";
import { hideTooltip, readingText, showTooltip } from "../../chart/tooltip";
import { theme } from "../../state/appearance";
import { runs, settings, tagsOf } from "../../state/board";
import { baseline, groupBy, visibleRuns } from "../../state/runs";
import { NO_COUNTS } from "../../state/tags";
import { announce } from "../../ui/announce";
import { IconButton } from "../../ui/controls";
import { Name } from "../../ui/name";
import type { Card } from "./cards";
import { ChartControls, ResetZoom } from "./controls";
import { linkedCursor } from "./cursor";
import { DownloadMenu } from "./download";
import { Legend } from "./legend";
import { makeLines, placesOf } from "./lines";
import {
  axis,
  isClipped,
  isLogX,
  isLogY,
  openCard,
  pinned,
  showsSpread,
  smoothing,
  takeApart,
  togglePin,
  zoom,
} from "./state";
import { Demand, SeriesStore } from "./store";
import { t } from "./words";

const store = new SeriesStore();

/** From so many lines on, a chart is made and drawn in two tasks. */
const MANY_LINES = 1000;

function chartView(window: Range | null): ChartView {
  const kind = { step: "step", relative: "duration", wall: "time" } as const;
  theme.value;
  const canLogX = isLogX.value && axis.value !== "wall";
  return {
    xKind: canLogX ? "log" : kind[axis.value],
    isLogX: canLogX,
    isLogY: isLogY.value,
    isClipped: isClipped.value,
    window,
    colors: chartColors(),
  };
}

/** The runs of a card that have at least one of its tags. */
function runsWith(card: Card): Run[] {
  const all = tagsOf("scalars");
  const counts = card.tags.map((tag) => all.get(tag)?.counts ?? NO_COUNTS);
  const among = card.runs ? card.runs.flatMap((id) => runs.value.get(id) ?? []) : visibleRuns.value;
  return among.filter((run) => counts.some((count) => count.has(run.id)));
}

const words = () => ({
  run: t("run"),
  smoothed: t("smoothed"),
  value: t("value"),
  step: t("step"),
  time: t("time"),
  difference: t("difference"),
  more: (n: number) => t("more", { n }),
});

/** Everything a chart on the page does: points, lines, zoom, cursor. Gives the element to put it in. */
function useChart(card: Card) {
  const host = useRef<HTMLDivElement>(null);
  const chart = useRef<LineChart | null>(null);
  const demand = useRef<Demand | null>(null);
  const [state, setState] = useState({ lines: 0, isLoading: true, error: "" });
  const key = JSON.stringify([card.id, card.tags, card.runs]);
  /** Whether all of its points lie outside the zoom of the others: then it is shown whole. */
  const isApart = useSignal(false);
  const shownWindow = () => (isApart.value ? null : zoom.value);

  // None of these depends on points or on smoothing, which change often.
  const [shownRuns, places, keys] = useMemo(() => {
    const shownRuns = computed(() => runsWith(card));
    const places = computed(() => (card.margins ? [] : placesOf(shownRuns.value, card)));
    const keys = computed(() =>
      shownRuns.value.flatMap((run) => card.tags.map((tag) => ({ run: run.id, tag }))),
    );
    return [shownRuns, places, keys];
  }, [key]);

  const [draw, stopDrawing] = useMemo(() => {
    let lines: Line[] = [];
    const paint = () => {
      const points = demand.current;
      if (!chart.current || !points) return;
      chart.current.setLines(lines);
      const { isComplete, error } = points;
      if (isComplete) isApart.value = zoom.peek() !== null && isOutside(lines, zoom.peek()!);
      setState({ lines: lines.length, isLoading: !isComplete && !error, error });
    };
    const now = () => {
      const points = demand.current;
      if (!chart.current || !points) return;
      const wish = {
        runs: shownRuns.value,
        card,
        axis: axis.value,
        smoothing: smoothing.value,
        showsSpread: showsSpread.value,
      };
      lines = makeLines(wish, (one) => points.get(one), places.value);
      // Thousands of lines take a while to make, and as long to draw: the page may answer in between.
      if (lines.length > MANY_LINES) drawSoon(paint);
      else paint();
    };
    const stop = () => {
      drawNever(now);
      drawNever(paint);
    };
    return [() => drawSoon(now), stop];
  }, [key]);

  useEffect(() => {
    const element = host.current!;
    const [made, leaveChart] = hostChart(element, chartView(shownWindow()), {
      zoom(window) {
        zoom.value = window;
        hideTooltip();
      },
      hover(x, readings, place) {
        linkedCursor.move(x, made);
        if (x === null) hideTooltip();
        else showTooltip(readings, place, words(), baseline.value);
        if (readings.length && document.activeElement === element) announce(readingText(readings[0]));
      },
    });
    chart.current = made;
    demand.current = new Demand(store, draw);
    const leave = linkedCursor.join(made);
    return () => {
      stopDrawing();
      leave();
      demand.current?.close();
      demand.current = null;
      chart.current = null;
      leaveChart();
    };
  }, [key]);

  useSignalEffect(() => {
    demand.current?.set({
      keys: keys.value,
      axis: axis.value,
      window: shownWindow(),
      pixels: host.current?.clientWidth ?? 400,
      smoothing: smoothing.value,
    });
    draw();
  });
  useSignalEffect(() => {
    chart.current?.setView(chartView(shownWindow()));
    zoom.value;
    draw();
  });
  useSignalEffect(() => {
    smoothing.value;
    showsSpread.value;
    visibleRuns.value;
    theme.value;
    baseline.value;
    groupBy.value;
    settings.value;
    draw();
  });
  return { host, chart, state, isApart };
}

interface CardProps {
  card: Card;
  isOpen?: boolean;
  /** The id of the card that fills the screen. */
  opened?: Signal<string>;
  /** Whether it is as a layout says: with a title of its own, neither pinned nor taken apart. */
  isFixed?: boolean;
}

export function ScalarCard({ card, isOpen = false, opened = openCard, isFixed = false }: CardProps) {
  const { host, chart, state, isApart } = useChart(card);
  const isPinned = pinned.value.includes(card.id);
  const entry = tagsOf("scalars").get(card.tags[0]);
  const title = card.tags.length === 1 && !isFixed ? entry?.display_name || card.title : card.title;
  return (
    <article class="card" aria-label={title}>
      <header class="card-head">
        <h3 class="card-title" data-tip={(!isFixed && entry?.description) || title}>
          <Name text={title} />
        </h3>
        {card.tags.length > 1 && !card.isCombined && <TagLegend card={card} />}
        <div class="card-tools">
          {card.isCombined && !isFixed && (
            <IconButton icon="layers" tip={t("apartTip")} onClick={() => takeApart(card)} />
          )}
          {!isFixed && (
            <IconButton
              icon="pin"
              tip={isPinned ? t("unpin") : t("pin")}
              isPressed={isPinned}
              onClick={() => togglePin(card.id)}
            />
          )}
          <DownloadMenu card={card} title={title} chart={chart} runs={() => runsWith(card)} />
          <IconButton
            icon={isOpen ? "close" : "expand"}
            tip={isOpen ? t("shrink") : t("expand")}
            onClick={() => {
              opened.value = isOpen ? "" : card.id;
            }}
          />
        </div>
      </header>
      {isOpen && (
        <div class="toolbar card-controls" role="toolbar" aria-label={t("options")}>
          <ChartControls />
          <ResetZoom />
        </div>
      )}
      <div class="card-main">
        <div
          ref={host}
          class="card-chart"
          role="img"
          tabIndex={0}
          aria-label={t("chart", { title, n: state.lines })}
          onKeyDown={(event) =>
            chartKey(event, chart.current, () => {
              zoom.value = null;
            })
          }
          onBlur={() => {
            hideTooltip();
            linkedCursor.move(null, null);
          }}
        />
        {isOpen && chart.current && <Legend lines={chart.current.shown.lines} name={title} />}
      </div>
      {isApart.value && zoom.value && (
        <p class="card-hint" role="status">
          {t("apart")}
        </p>
      )}
      {state.lines === 0 && (
        <p class="card-note" role="status">
          {state.error || (state.isLoading ? t("loading") : t("noRun"))}
        </p>
      )}
    </article>
  );
}

/** Which tag is drawn how. */
function TagLegend({ card }: { card: Card }) {
  return (
    <span class="card-legend">
      {card.tags.map((tag) => (
        <span key={tag} class="card-legend-tag">
          <span class={card.validation.has(tag) ? "swatch is-dashed" : "swatch"} />
          {tag}
        </span>
      ))}
    </span>
  );
}
