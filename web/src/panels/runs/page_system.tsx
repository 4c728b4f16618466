/** What the machine did while a run went on: CPU, memory, GPUs, disks and network over its time. */

import { useRef, useState } from "preact/hooks";
import type { RunChart } from "../../api/schema";
import { formatDuration, formatValue } from "../../chart/format";
import { ticks } from "../../chart/ticks";
import { colorOfPlace } from "../../state/runs";
import { sizeText } from "./actions";
import { Card } from "./sections";
import { grouped, type SystemGroup, topOf, valueAt } from "./system_groups";
import { systemTitle, t, topicTitle } from "./words";

const UNITS: Record<string, (value: number) => string> = {
  "%": (value) => `${Number(value.toPrecision(3))} %`,
  B: sizeText,
  "B/s": (value) => `${sizeText(value)}/s`,
};

function shown(value: number, unit: string): string {
  if (Number.isNaN(value)) return "–";
  return UNITS[unit] ? UNITS[unit](unit === "%" ? value : Math.round(value)) : formatValue(value);
}

export function System({ charts }: { charts: readonly RunChart[] }) {
  // The same moment in all charts: what one shows is explained by another.
  const [moment, setMoment] = useState<number | null>(null);
  if (charts.length === 0) return null;
  const end = Math.max(1, ...charts.map(({ seconds }) => seconds[seconds.length - 1] ?? 0));
  return (
    <Card title={t("system")} isWide>
      <div class="rp-system">
        {grouped(charts).map((group) => (
          <SystemChart key={group.key} group={group} end={end} moment={moment} onMove={setMoment} />
        ))}
      </div>
    </Card>
  );
}

const WIDTH = 300;
const HEIGHT = 90;
const KEYS: Record<string, number> = { ArrowLeft: -0.02, ArrowRight: 0.02 };

interface ChartProps {
  group: SystemGroup;
  /** The last moment of all charts, in seconds since the run began. */
  end: number;
  /** The moment that is read; null for the last. */
  moment: number | null;
  onMove: (moment: number | null) => void;
}

function SystemChart({ group, end, moment, onMove }: ChartProps) {
  const plot = useRef<HTMLDivElement>(null);
  const { charts, unit } = group;
  const top = topOf(group);
  const title = charts.length === 1 ? systemTitle(charts[0]) : topicTitle(group.topic);
  const x = (seconds: number) => (seconds / end) * WIDTH;
  const y = (value: number) => HEIGHT - (value / top) * HEIGHT;
  const move = (at: number) => onMove(Math.max(0, Math.min(end, at)));
  const readings = charts.map((chart) => shown(valueAt(chart, moment ?? end), unit));
  return (
    <figure>
      <figcaption>
        <b>{title}</b>
        {moment !== null && <span class="rp-moment">{formatDuration(moment)}</span>}
      </figcaption>
      <ul class="rp-legend">
        {charts.map((chart, i) => (
          <li key={chart.tag}>
            <span class="rp-swatch" style={{ background: colorOfPlace(i) }} />
            {charts.length > 1 && <span>{systemTitle(chart)}</span>}
            <b>{readings[i]}</b>
            <span class="rp-most">{t("upTo", { value: shown(largest(chart), unit) })}</span>
          </li>
        ))}
      </ul>
      <div class="rp-plot">
        <div class="rp-axis" aria-hidden="true">
          <span>{shown(top, unit)}</span>
          <span>{shown(0, unit)}</span>
        </div>
        <div
          ref={plot}
          class="rp-canvas"
          role="slider"
          tabIndex={0}
          aria-label={t("momentOf", { title })}
          aria-valuemin={0}
          aria-valuemax={Math.round(end)}
          aria-valuenow={Math.round(moment ?? end)}
          aria-valuetext={`${formatDuration(moment ?? end)}: ${readings.join(", ")}`}
          onPointerMove={(event) => {
            const box = event.currentTarget.getBoundingClientRect();
            move(((event.clientX - box.left) / box.width) * end);
          }}
          onPointerLeave={() => onMove(null)}
          onBlur={() => onMove(null)}
          onKeyDown={(event) => {
            if (!(event.key in KEYS)) return;
            event.preventDefault();
            move((moment ?? end) + KEYS[event.key] * end);
          }}
        >
          <svg viewBox={`0 0 ${WIDTH} ${HEIGHT}`} preserveAspectRatio="none" aria-hidden="true">
            <line class="rp-grid" x1={0} x2={WIDTH} y1={HEIGHT / 2} y2={HEIGHT / 2} />
            {charts.map((chart, i) => (
              <polyline key={chart.tag} style={{ stroke: colorOfPlace(i) }} points={points(chart, x, y)} />
            ))}
            {moment !== null && <line class="rp-cursor" x1={x(moment)} x2={x(moment)} y1={0} y2={HEIGHT} />}
          </svg>
        </div>
      </div>
      <div class="rp-times" aria-hidden="true">
        {ticks(0, end, 3, "duration").map(({ at, label }) => (
          <span key={at} class="rp-time" style={{ left: `${(at / end) * 100}%` }}>
            {label}
          </span>
        ))}
      </div>
    </figure>
  );
}

function largest({ values }: RunChart): number {
  const finite = values.map(Number).filter(Number.isFinite);
  return finite.length ? finite.reduce((a, b) => Math.max(a, b)) : Number.NaN;
}

function points(chart: RunChart, x: (seconds: number) => number, y: (value: number) => number): string {
  return chart.values
    .map((value, i) => [x(chart.seconds[i]), y(Number(value))])
    .filter(([, place]) => Number.isFinite(place))
    .map(([left, place]) => `${left.toFixed(1)},${place.toFixed(1)}`)
    .join(" ");
}
