/** Parallel coordinates: titles that are menus and can be dragged, over the plot. */

import { computed, useSignalEffect } from "@preact/signals";
import { useEffect, useRef, useState } from "preact/hooks";
import { Item, Menu, Notice, Segmented } from "../../ui/controls";
import { useSize } from "../../ui/size";
import { conditionOf, type Span, spanOf } from "./brushes";
import { themeInk } from "./canvas";
import type { Column } from "./columns";
import { FilterFields } from "./filter_fields";
import { hoverAt, hovered } from "./hover";
import { conditions, passes, previewed, setConditions } from "./narrowing";
import { axisX, ParallelPlot, type Plot, plotWidth } from "./parallel_plot";
import { kindsOf } from "./scale";
import { axes, coloring, drawn, fitting, move, scaleOf, setScale, titleOf, toggle } from "./state";
import { t } from "./words";

const MOST_AXES = 20;
const CLICK = 6;

/** The columns that are drawn. */
export const plotted = computed(() => fitting(axes.value, MOST_AXES));

/** What is to be drawn now. */
export function currentPlot(): Plot {
  const shown = plotted.value;
  return {
    axes: shown.map((column) => {
      const scale = scaleOf(column);
      const span = spanOf(column, scale, conditions.value.get(column.key));
      return { key: column.key, units: scale.units, ticks: scale.ticks, span };
    }),
    rows: drawn.value,
    passes: passes.value,
    ...coloring.value,
    ink: themeInk(),
  };
}

function brushed(key: string, span: Span | null): [string, ReturnType<typeof conditionOf>] {
  const column = axes.peek().find((one) => one.key === key);
  return [key, column && span ? conditionOf(column, scaleOf(column), span) : null];
}

const EVENTS = {
  preview: (key: string, span: Span) => previewed([brushed(key, span)]),
  brush: (key: string, span: Span | null) => setConditions([brushed(key, span)]),
  hover: hoverAt,
};

export function Parallel() {
  const scroller = useRef<HTMLDivElement>(null);
  const host = useRef<HTMLDivElement>(null);
  const plot = useRef<ParallelPlot | null>(null);
  const { width: room, height } = useSize(scroller);
  const shown = plotted.value;
  const width = plotWidth(shown.length, room);

  useEffect(() => {
    plot.current = new ParallelPlot(host.current!, EVENTS);
    return () => {
      plot.current?.destroy();
      hoverAt(null, 0, 0);
    };
  }, []);
  useEffect(() => {
    if (room > 0 && height > 0 && shown.length > 0) plot.current?.show(currentPlot(), width, height);
  });
  useSignalEffect(() => plot.current?.highlight(hovered.value));

  const total = drawn.value.length;
  const values = { total, axes: shown.length, n: drawn.value.filter((row) => passes.value[row]).length };
  return (
    <div ref={scroller} class="hp-plot">
      {shown.length === 0 && <Notice title={t("noAxes")}>{t("noAxesText")}</Notice>}
      <div class="hp-stage" style={{ width: `${width}px`, height: `${height}px` }}>
        <div ref={host} class="hp-canvas" role="img" aria-label={t("plot", values)} />
        {shown.map((column, i) => (
          <AxisTitle
            key={column.key}
            column={column}
            index={i}
            x={axisX(i, shown.length, width)}
            gap={shown.length > 1 ? axisX(1, shown.length, width) - axisX(0, shown.length, width) : width}
          />
        ))}
      </div>
    </div>
  );
}

interface AxisTitleProps {
  column: Column;
  index: number;
  x: number;
  gap: number;
}

/** The title of an axis: dragged sideways it moves the axis, clicked it opens scale and filter. */
function AxisTitle({ column, index, x, gap }: AxisTitleProps) {
  const [shift, setShift] = useState(0);
  const name = titleOf(column);
  const width = Math.max(40, Math.min(gap, 180) - 8);
  const kinds = kindsOf(column);
  /** Follows the pointer wherever it goes; what stays within a few pixels is a click, and the menu's. */
  const press = (event: PointerEvent) => {
    if ((event.target as Element).closest(".sheet") || event.button !== 0) return;
    const from = event.clientX;
    let by = 0;
    const follow = (moved: PointerEvent) => {
      if (by === 0 && Math.abs(moved.clientX - from) < CLICK) return;
      by = moved.clientX - from;
      setShift(by);
    };
    const end = () => {
      window.removeEventListener("pointermove", follow);
      window.removeEventListener("pointerup", end);
      window.removeEventListener("pointercancel", end);
      if (by === 0) return;
      // The click that follows is the end of the drag, not meant for the menu.
      const swallow = (click: Event) => click.stopPropagation();
      window.addEventListener("click", swallow, true);
      setTimeout(() => window.removeEventListener("click", swallow, true));
      setShift(0);
      if (Math.round(by / gap) !== 0) place(column, index + Math.round(by / gap));
    };
    window.addEventListener("pointermove", follow);
    window.addEventListener("pointerup", end);
    window.addEventListener("pointercancel", end);
  };
  return (
    <div
      class={`hp-axis ${shift ? "is-dragged" : ""}`}
      style={{ left: `${x - width / 2 + shift}px`, width: `${width}px` }}
      onPointerDown={press}
    >
      <Menu
        text={name}
        tip={t("axis", { name })}
        isPressed={conditions.value.has(column.key)}
        class="hp-axis-title"
      >
        {(close) => (
          <>
            <p class="sheet-title">{column.tip || name}</p>
            {kinds.length > 0 && (
              <Segmented
                label={t("scale")}
                tip={t("scaleTip")}
                value={scaleOf(column).kind as "linear"}
                options={kinds.map((kind) => [kind as "linear", t(kind)] as const)}
                onChange={(kind) => setScale(column.key, kind)}
              />
            )}
            <FilterFields column={column} />
            <hr />
            <Item
              tip={t("moveTip")}
              onClick={() => {
                place(column, index - 1);
                close();
              }}
            >
              {t("moveLeft")}
            </Item>
            <Item
              tip={t("moveTip")}
              onClick={() => {
                place(column, index + 1);
                close();
              }}
            >
              {t("moveRight")}
            </Item>
            <Item
              tip={t("hideAxisTip")}
              onClick={() => {
                close();
                toggle([column.key]);
              }}
            >
              {t("hideAxis")}
            </Item>
          </>
        )}
      </Menu>
    </div>
  );
}

/** Puts an axis where another is; columns that are not drawn keep their places. */
function place(column: Column, index: number): void {
  const all = plotted.peek();
  const at = all[Math.max(0, Math.min(all.length - 1, index))];
  move(column.key, at);
}
