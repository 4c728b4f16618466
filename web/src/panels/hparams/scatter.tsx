/** The scatter matrix: metrics over hparams, with a brush in every cell. */

import { useSignalEffect } from "@preact/signals";
import { useEffect, useRef } from "preact/hooks";
import { Notice } from "../../ui/controls";
import { useSize } from "../../ui/size";
import { conditionOf, type Span, spanOf } from "./brushes";
import { themeInk } from "./canvas";
import type { Column } from "./columns";
import type { Condition } from "./conditions";
import { hoverAt, hovered } from "./hover";
import { conditions, passes, previewed, setConditions } from "./narrowing";
import { type Matrix, matrixSize, ScatterPlot } from "./scatter_plot";
import { axes, coloring, drawn, scaleOf, titleOf } from "./state";
import { t } from "./words";

export const MOST = { hparams: 8, metrics: 6 };

function axisOf(column: Column) {
  const scale = scaleOf(column);
  return {
    key: column.key,
    title: titleOf(column),
    units: scale.units,
    ticks: scale.ticks,
    span: spanOf(column, scale, conditions.value.get(column.key)),
  };
}

/** What is to be drawn now. */
export function currentMatrix(): Matrix {
  const of = (role: Column["role"]) => axes.value.filter((column) => column.role === role);
  return {
    xs: of("hparam").slice(0, MOST.hparams).map(axisOf),
    ys: of("metric").slice(0, MOST.metrics).map(axisOf),
    rows: drawn.value,
    passes: passes.value,
    ...coloring.value,
    ink: themeInk(),
  };
}

function brushed(keys: readonly string[], spans: readonly Span[] | null): [string, Condition | null][] {
  return keys.map((key, i) => {
    const column = axes.peek().find((one) => one.key === key);
    return [key, column && spans ? conditionOf(column, scaleOf(column), spans[i]) : null];
  });
}

const EVENTS = {
  preview: (x: string, y: string, spans: readonly [Span, Span]) => previewed(brushed([x, y], spans)),
  brush: (x: string, y: string, spans: readonly [Span, Span] | null) => setConditions(brushed([x, y], spans)),
  hover: hoverAt,
};

export function Scatter() {
  const scroller = useRef<HTMLDivElement>(null);
  const host = useRef<HTMLDivElement>(null);
  const plot = useRef<ScatterPlot | null>(null);
  const room = useSize(scroller);
  const matrix = currentMatrix();
  const isEmpty = matrix.xs.length === 0 || matrix.ys.length === 0;
  const [width, height] = matrixSize(matrix.xs.length, matrix.ys.length, room.width, room.height);
  useEffect(() => {
    plot.current = new ScatterPlot(host.current!, EVENTS);
    return () => {
      plot.current?.destroy();
      hoverAt(null, 0, 0);
    };
  }, []);
  useEffect(() => {
    if (room.width > 0 && !isEmpty) plot.current?.show(matrix, width, height);
  });
  useSignalEffect(() => plot.current?.highlight(hovered.value));
  const values = {
    total: matrix.rows.length,
    n: matrix.rows.filter((row) => passes.value[row]).length,
    metrics: matrix.ys.length,
    hparams: matrix.xs.length,
  };
  return (
    <div ref={scroller} class="hp-plot is-matrix" tabIndex={0} role="region" aria-label={t("scatter")}>
      {isEmpty && <Notice title={t("noAxes")}>{t("noAxesText")}</Notice>}
      <div class="hp-stage" style={isEmpty ? {} : { width: `${width}px`, height: `${height}px` }}>
        <div ref={host} class="hp-canvas" role="img" aria-label={t("matrix", values)} />
      </div>
    </div>
  );
}
