/** A card: the curves of one tag, of all visible runs, at one step. */

import type { Signal } from "@preact/signals";
import type { RefObject } from "preact";
import { useEffect, useLayoutEffect, useRef } from "preact/hooks";
import type { Run } from "../../api/schema";
import { formatValue } from "../../chart/format";
import { chartColors, chartKey, hostChart } from "../../chart/hosting";
import type { Line, Range } from "../../chart/line";
import type { ChartView, LineChart, Reading } from "../../chart/line_chart";
import { keptLetters } from "../../chart/names";
import { chartSvg, fileName, saveBlob, svgToPng } from "../../chart/svg";
import { hideTooltip, lineTable, MOST_ROWS, showBeside } from "../../chart/tooltip";
import { StepSlider, useStep } from "../../media/steps";
import { t as shared } from "../../media/words";
import { theme } from "../../state/appearance";
import { baseline, colorOf, isValidation, label, visibleRuns } from "../../state/runs";
import type { Tag } from "../../state/tags";
import { rangeCodec, urlSignal } from "../../state/url";
import { announce } from "../../ui/announce";
import { IconButton, Item, Menu } from "../../ui/controls";
import { Name } from "../../ui/name";
import { toCsv } from "../tables/csv";
import { averagePrecision, bestPoint, CSV_HEAD, curveRows } from "./curve";
import { allSteps, type Shown, useCurves, useRunItems } from "./data";
import { t } from "./words";

interface Props {
  entry: Tag;
  /** The tag that fills the screen. */
  opened: Signal<string>;
  isOpen?: boolean;
}

/** A little more than from 0 to 1, so that a line along the edge is seen. */
const WHOLE: Range = { min: -0.01, max: 1.01 };
const WHOLE_Y: Range = { min: -0.02, max: 1.03 };
const PNG_SCALE = 3;

export function titleOf({ tag, display_name }: Tag): string {
  return display_name || tag.replace(/\/pr_curves$/, "");
}

/** Visible runs that have a curve of a tag. */
export function runsWith(entry: Tag): Run[] {
  return visibleRuns.value.filter((run) => entry.counts.has(run.id));
}

/** The part of the recall that all cards show; null for all. */
const zoom = urlSignal<Range | null>("przoom", null, rangeCodec);

function chartView(): ChartView {
  return {
    xKind: "linear",
    isLogX: false,
    isLogY: false,
    isClipped: false,
    window: zoom.value ?? WHOLE,
    yWindow: WHOLE_Y,
    colors: chartColors(),
  };
}

function lineOf({ run, curve }: Shown): Line {
  return {
    id: run.id,
    label: label(run),
    color: colorOf(run),
    isDashed: isValidation(run),
    isStrong: run.id === baseline.value,
    x: curve.recall,
    y: curve.precision,
    raw: null,
    band: null,
    steps: curve.threshold,
    walls: new Float64Array(0),
  };
}

function cellsOf(shown: readonly Shown[]) {
  const byRun = new Map(shown.map((one) => [one.run.id, one]));
  return ({ line, index }: Reading): string[] => {
    const { curve, item } = byRun.get(line.id)!;
    const counts = [curve.truePositives, curve.falsePositives, curve.trueNegatives, curve.falseNegatives];
    return [
      line.label,
      formatValue(curve.threshold[index], 3),
      formatValue(curve.precision[index]),
      formatValue(curve.recall[index]),
      ...counts.map((column) => countText(column[index])),
      String(item.step),
    ];
  };
}

/** Counts are whole unless examples were weighted. */
function countText(count: number): string {
  return Number.isInteger(count) ? String(count) : formatValue(count, 5);
}

const TITLES = () => [
  t("run"),
  t("threshold"),
  t("precision"),
  t("recall"),
  "TP",
  "FP",
  "TN",
  "FN",
  t("step"),
];

/** The chart in its element: lines, zoom, cursor. */
function useChart(shown: readonly Shown[]) {
  const host = useRef<HTMLDivElement>(null);
  const chart = useRef<LineChart | null>(null);
  const latest = useRef(shown);
  latest.current = shown;
  useLayoutEffect(() => {
    const element = host.current!;
    const [made, leaveChart] = hostChart(element, chartView(), {
      zoom(window) {
        zoom.value = window;
        hideTooltip();
      },
      hover(x, readings, place) {
        if (x === null || readings.length === 0) return hideTooltip();
        const cells = cellsOf(latest.current);
        const more = document.createElement("p");
        more.textContent = t("more", { n: readings.length - MOST_ROWS });
        const table = lineTable(TITLES(), readings, cells);
        showBeside(readings.length > MOST_ROWS ? [table, more] : [table], place);
        if (document.activeElement === element) {
          const [name, ...facts] = cells(readings[0]);
          const titles = TITLES().slice(1);
          announce(`${name}: ${facts.map((fact, i) => `${titles[i]} ${fact}`).join(", ")}`);
        }
      },
    });
    chart.current = made;
    return () => {
      chart.current = null;
      leaveChart();
    };
  }, []);
  const themeNow = theme.value;
  const colors = shown.map(({ run }) => `${label(run)} ${colorOf(run)}`).join();
  useEffect(() => {
    chart.current?.setView(chartView());
    chart.current?.setLines([...shown].reverse().map(lineOf));
  }, [shown, zoom.value, themeNow, colors, baseline.value]);
  return { host, chart };
}

export function CurveCard({ entry, opened, isOpen = false }: Props) {
  const title = titleOf(entry);
  const runs = runsWith(entry);
  const { found, error: failure } = useRunItems(entry.tag, runs);
  const steps = allSteps(found);
  const [index, move] = useStep(`pr\n${entry.tag}`, steps);
  const { shown, error } = useCurves(runs, found, steps[index]?.step);
  const { host, chart } = useChart(shown);
  return (
    <article class="card media-card" aria-label={title}>
      <header class="card-head">
        <h3 class="card-title" data-tip={entry.description || entry.tag}>
          <Name text={title} />
        </h3>
        <div class="card-tools">
          <SaveMenu title={title} tag={entry.tag} shown={shown} chart={chart} />
          <IconButton
            icon={isOpen ? "close" : "expand"}
            tip={isOpen ? t("shrink") : t("expand")}
            onClick={() => {
              opened.value = isOpen ? "" : entry.tag;
            }}
          />
        </div>
      </header>
      <div class="card-main">
        <div class="pr-plot">
          <span class="pr-y">{t("precision")}</span>
          <div
            ref={host}
            class="card-chart"
            role="img"
            tabIndex={0}
            aria-label={t("chart", { title, n: shown.length })}
            onKeyDown={(event) =>
              chartKey(event, chart.current, () => {
                zoom.value = null;
              })
            }
            onBlur={hideTooltip}
          />
          <span class="pr-x">{t("recall")}</span>
        </div>
        {isOpen && <Legend shown={shown} />}
      </div>
      {shown.length === 0 && (
        <p class="card-note" role="status">
          {failure || error || (runs.length ? shared("loading") : t("noRun"))}
        </p>
      )}
      <StepSlider name={entry.tag} items={steps} index={index} onMove={move} />
    </article>
  );
}

/** The runs, the one with the largest average precision first. */
function Legend({ shown }: { shown: readonly Shown[] }) {
  const rows = shown
    .map((one) => ({ ...one, average: averagePrecision(one.curve), best: bestPoint(one.curve) }))
    .sort((a, b) => b.average - a.average);
  const kept = keptLetters(rows.map(({ run }) => label(run)));
  return (
    <ul class="legend" aria-label={t("legend")}>
      {rows.map(({ run, curve, average, best }, i) => (
        <li key={run.id} data-tip={t("averageTip")}>
          <span class={isValidation(run) ? "swatch is-dashed" : "swatch"} style={{ color: colorOf(run) }} />
          <span class="legend-name">
            <Name text={label(run)} kept={kept[i]} />
            {best >= 0 && <span class="pr-best">{bestText(curve, best)}</span>}
          </span>
          <span>
            {t("average")} {average.toFixed(3)}
          </span>
        </li>
      ))}
    </ul>
  );
}

function bestText({ precision, recall, threshold }: Shown["curve"], at: number): string {
  const f1 = (2 * precision[at] * recall[at]) / (precision[at] + recall[at]);
  return t("best", { f1: f1.toFixed(3), threshold: formatValue(threshold[at], 3) });
}

interface SaveProps {
  title: string;
  tag: string;
  shown: readonly Shown[];
  chart: RefObject<LineChart | null>;
}

function SaveMenu({ title, tag, shown, chart }: SaveProps) {
  const svg = () =>
    chartSvg({ title, xLabel: `${t("recall")} → ${t("precision")}`, ...chart.current!.shown });
  const rows = () => [
    CSV_HEAD,
    ...shown.flatMap(({ run, item, curve }) => curveRows(label(run), tag, item.step, curve)),
  ];
  const save = {
    svg: () => saveBlob(new Blob([svg()], { type: "image/svg+xml" }), fileName(title, "svg")),
    png: async () => saveBlob(await svgToPng(svg(), PNG_SCALE), fileName(title, "png")),
    csv: () => saveBlob(new Blob([toCsv(rows())], { type: "text/csv" }), fileName(title, "csv")),
  };
  return (
    <Menu icon="download" tip={t("save")}>
      {(close) =>
        (["svg", "png", "csv"] as const).map((kind) => (
          <Item
            key={kind}
            tip={t("save")}
            onClick={() => {
              void save[kind]();
              close();
            }}
          >
            {t(kind)}
          </Item>
        ))
      }
    </Menu>
  );
}
