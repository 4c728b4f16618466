/** A card: the percentiles of one tag of one run over its steps. */

import { useEffect, useMemo, useRef } from "preact/hooks";
import { formatDuration, formatTime } from "../../chart/format";
import { chartColors, chartKey, hostChart } from "../../chart/hosting";
import type { ChartView, LineChart, Reading } from "../../chart/line_chart";
import { drawNever, drawSoon } from "../../chart/queue";
import { chartSvg } from "../../chart/svg";
import { facts, hideTooltip, showBeside } from "../../chart/tooltip";
import type { RunCard } from "../../media/run_cards";
import { theme } from "../../state/appearance";
import { colorOf, label } from "../../state/runs";
import { announce } from "../../ui/announce";
import { CardHead } from "../histograms/card_head";
import { DownloadMenu } from "../histograms/download";
import { ordered, useHistograms } from "../histograms/series";
import { AXES, axis, zoom } from "../histograms/state";
import { t } from "../histograms/words";
import { bandLines, readings } from "./bands";

function view(): ChartView {
  theme.value;
  return {
    xKind: AXES[axis.value],
    isLogX: false,
    isLogY: false,
    isClipped: false,
    window: zoom.value,
    colors: chartColors(),
  };
}

export function DistributionCard({ card, isOpen }: { card: RunCard; isOpen: boolean }) {
  const host = useRef<HTMLDivElement>(null);
  const chart = useRef<LineChart | null>(null);
  const { data, isLoading, error } = useHistograms(card.run.id, card.tag);
  const start = card.run.start_time ?? data.walls[0] ?? 0;
  const color = colorOf(card.run);
  const lines = useMemo(
    () => bandLines(data, ordered(data, axis.value, start), color, (low, high) => t("range", { low, high })),
    [data, axis.value, start, color],
  );
  const { title } = card;
  const name = label(card.run);

  useEffect(() => {
    const element = host.current!;
    const [made, leaveChart] = hostChart(element, view(), {
      zoom(window) {
        zoom.value = window;
        hideTooltip();
      },
      hover(x, found, place) {
        if (x === null || found.length === 0) return hideTooltip();
        const rows = tooltip(made.shown.lines, found[0], start);
        showBeside([facts(rows)], place);
        if (document.activeElement === element) announce(rows.map((row) => row.join(": ")).join(", "));
      },
    });
    chart.current = made;
    return () => {
      chart.current = null;
      leaveChart();
    };
  }, [card.id, start]);

  const drawn = view();
  useEffect(() => {
    const draw = () => {
      chart.current?.setView(drawn);
      chart.current?.setLines(lines);
    };
    drawSoon(draw);
    return () => drawNever(draw);
  }, [lines, JSON.stringify(drawn), card.id, start]);

  const steps = lines[0].x.length;
  return (
    <article class="card" aria-label={`${title}, ${name}`}>
      <CardHead card={card} isOpen={isOpen}>
        <DownloadMenu
          title={title}
          svg={() =>
            chartSvg({ title: `${title} · ${name}`, xLabel: t(axis.value), ...chart.current!.shown })
          }
          data={data}
          isPercentiles
        />
      </CardHead>
      <div
        ref={host}
        class="card-chart"
        role="img"
        tabIndex={0}
        aria-label={t("bands", { title, n: steps })}
        onKeyDown={(event) =>
          chartKey(event, chart.current, () => {
            zoom.value = null;
          })
        }
        onBlur={hideTooltip}
      />
      {steps === 0 && (
        <p class="card-note" role="status">
          {error || (isLoading ? t("loading") : t("empty"))}
        </p>
      )}
    </article>
  );
}

function tooltip(
  lines: LineChart["shown"]["lines"],
  { line, index }: Reading,
  start: number,
): [string, string][] {
  const wall = line.walls[index];
  return [
    [t("step"), String(line.steps[index])],
    [t("time"), `${formatTime(wall)} (${formatDuration(wall - start)})`],
    ...readings(lines, index, { largest: t("largest"), median: t("median"), least: t("least") }),
  ];
}
