/** Memory over time, as far as the profile tells. */

import { useMemo, useRef, useState } from "preact/hooks";
import type { ProfileOverview } from "../../api/schema";
import { ticks } from "../../chart/ticks";
import { announce } from "../../ui/announce";
import { Notice } from "../../ui/controls";
import { placeColor } from "./colors";
import { hideFloating, showFloating } from "./floating";
import { formatBytes, formatMoment, formatSeconds } from "./format";
import { useWidth } from "./width";
import { t } from "./words";

const HEIGHT = 300;
const AXIS = { left: 64, bottom: 24, top: 8, right: 16 };

export interface Curve {
  name: string;
  color: string;
  starts: readonly number[];
  bytes: readonly number[];
  peak: number;
}

function curvesOf({ memory }: ProfileOverview): Curve[] {
  const most = (values: readonly number[]) => values.reduce((a, b) => Math.max(a, b), 0);
  const all = [
    { name: t("process"), starts: memory.starts, bytes: memory.process, peak: most(memory.process) },
    { name: t("arrays"), starts: memory.starts, bytes: memory.arrays, peak: most(memory.arrays) },
    {
      name: t("allocator"),
      starts: memory.allocator_starts,
      bytes: memory.allocator,
      peak: memory.allocator_peak,
    },
  ];
  return all
    .map((curve, i) => ({ ...curve, color: placeColor([9, 0, 1][i]) }))
    .filter(({ bytes }) => bytes.length > 0);
}

/** The points of a line, at most the largest of each pixel. */
export function pointsOf(
  curve: Pick<Curve, "starts" | "bytes">,
  end: number,
  width: number,
  height: number,
  most: number,
): string {
  const points: string[] = [];
  let pixel = -1;
  let top = 0;
  curve.starts.forEach((start, i) => {
    const x = end ? (start / end) * width : 0;
    if (Math.floor(x) === pixel && curve.bytes[i] <= top) return;
    if (Math.floor(x) === pixel) points.pop();
    pixel = Math.floor(x);
    top = curve.bytes[i];
    points.push(`${x.toFixed(1)},${(height - (top / (most || 1)) * height).toFixed(1)}`);
  });
  return points.join(" ");
}

export function MemoryView({ overview }: { overview: ProfileOverview }) {
  const curves = useMemo(() => curvesOf(overview), [overview]);
  if (curves.length === 0) return <Notice title={t("noMemory")}>{t("noMemoryText")}</Notice>;
  return (
    <div class="profile-page">
      <section class="profile-block" aria-label={t("memoryTitle")}>
        <header class="profile-head">
          <h3>{t("memoryTitle")}</h3>
        </header>
        <ul class="memory-legend">
          {curves.map(({ name, color, peak }) => (
            <li key={name}>
              <span class="phase-mark" style={{ background: color }} />
              {t("peakOf", { name, size: formatBytes(peak) })}
            </li>
          ))}
        </ul>
        <MemoryChart curves={curves} />
      </section>
    </div>
  );
}

function MemoryChart({ curves }: { curves: readonly Curve[] }) {
  const host = useRef<HTMLDivElement>(null);
  const width = useWidth(host);
  const [cursor, setCursor] = useState(-1);
  const plot = Math.max(width - AXIS.left - AXIS.right, 10);
  const height = HEIGHT - AXIS.top - AXIS.bottom;
  const end = Math.max(...curves.map(({ starts }) => starts[starts.length - 1]), 1e-9);
  const most = Math.max(...curves.flatMap(({ bytes, peak }) => [peak, bytes[0]]), 1);
  const main = curves[0].starts;
  const say = (index: number, place: { left: number; top: number } | null) => {
    const at = main[index];
    const rows = curves.map(({ name, color, starts, bytes }) => {
      let i = starts.findIndex((start) => start > at);
      i = i < 0 ? starts.length - 1 : Math.max(0, i - 1);
      return [name, formatBytes(bytes[i]), color] as const;
    });
    if (place) showFloating(formatSeconds(at), rows, place);
    else announce(`${formatSeconds(at)}: ${rows.map(([name, size]) => `${name} ${size}`).join(", ")}`);
  };
  const text = curves.map(({ name, peak }) => t("peakOf", { name, size: formatBytes(peak) })).join("; ");
  const marks = ticks(0, end, Math.max(2, plot / 100), "linear");
  const step = marks.length > 1 ? marks[1].at - marks[0].at : end;
  return (
    <div
      ref={host}
      class="steps-chart"
      role="img"
      tabIndex={0}
      aria-label={t("memoryChart", { time: formatSeconds(end), text })}
      onPointerMove={(event) => {
        const x = event.clientX - host.current!.getBoundingClientRect().left - AXIS.left;
        const at = (x / plot) * end;
        const found = main.findIndex((start) => start >= at);
        const index = found < 0 ? main.length - 1 : found;
        setCursor(index);
        say(index, { left: event.clientX, top: event.clientY });
      }}
      onPointerLeave={() => {
        setCursor(-1);
        hideFloating();
      }}
      onBlur={() => setCursor(-1)}
      onKeyDown={(event) => {
        if (event.key !== "ArrowLeft" && event.key !== "ArrowRight") return;
        const next = Math.min(Math.max(cursor + (event.key === "ArrowLeft" ? -1 : 1), 0), main.length - 1);
        setCursor(next);
        say(next, null);
        event.preventDefault();
      }}
    >
      <svg width={width} height={HEIGHT} aria-hidden="true">
        <g transform={`translate(${AXIS.left} ${AXIS.top})`}>
          {ticks(0, most, 5, "linear").map(({ at }) => {
            const y = height - (at / most) * height;
            return (
              <g key={at}>
                <path class="grid-line" d={`M0 ${y}h${plot}`} />
                <text class="axis-text" x={-8} y={y + 4} text-anchor="end">
                  {formatBytes(at)}
                </text>
              </g>
            );
          })}
          {curves.map((curve) => {
            const points = pointsOf(curve, end, plot, height, most);
            return <polyline key={curve.name} class="memory-line" points={points} stroke={curve.color} />;
          })}
          {cursor >= 0 && <path class="cursor-line" d={`M${(main[cursor] / end) * plot} 0v${height}`} />}
          {marks.map(({ at }) => (
            <text key={at} class="axis-text" x={(at / end) * plot} y={height + 18} text-anchor="middle">
              {formatMoment(at, step)}
            </text>
          ))}
        </g>
      </svg>
    </div>
  );
}
