/** A confusion matrix on the page: hover, keys, pin, zoom and move. */

import { useEffect, useLayoutEffect, useMemo, useRef, useState } from "preact/hooks";
import { facts, hideTooltip, showBeside } from "../../chart/tooltip";
import { locale, theme, themeColor } from "../../state/appearance";
import { announce } from "../../ui/announce";
import { Fingers, wheelZoom } from "../../ui/gestures";
import { type Size, useSize } from "../../ui/size";
import {
  type Colors,
  cellAt,
  drawMark,
  drawMatrix,
  type Layout,
  layoutOf,
  type Scene,
  type Window,
} from "./drawing";
import { formatShare, type Matrix, type Mode, type Pair } from "./matrix";
import { summaryOf } from "./summary";
import { t } from "./words";

interface Props {
  title: string;
  matrix: Matrix;
  order: Uint32Array;
  mode: Mode;
  /** The part shown; null for all. */
  window: Window | null;
  onWindow: (window: Window | null) => void;
  pinned: Pair | null;
  onPin: (pair: Pair) => void;
  /** Whether the wheel zooms without a key. */
  takesWheel?: boolean;
}

const LEAST_SPAN = 4;
const CLICK_PX = 4;

export function colorsOfTheme(): Colors {
  const isDark = theme.value === "dark";
  return {
    background: themeColor("--bg"),
    text: themeColor("--text"),
    faint: themeColor("--text-3"),
    line: themeColor("--line"),
    right: isDark ? "#4ba6ec" : "#0b62ad",
    wrong: isDark ? "#ff8b45" : "#c64f00",
  };
}

/** A part of the matrix that lies inside it. */
export function windowInside({ x, y, span }: Window, size: number): Window | null {
  const whole = Math.min(size, Math.max(Math.min(LEAST_SPAN, size), span));
  if (whole >= size) return null;
  const inside = (from: number) => Math.max(0, Math.min(size - whole, from));
  return { x: inside(x), y: inside(y), span: whole };
}

/** The window `factor` as wide, around a place given as parts of it. */
export function zoomed(window: Window | null, factor: number, size: number, at = { x: 0.5, y: 0.5 }) {
  const { x, y, span } = window ?? { x: 0, y: 0, span: size };
  const next = Math.min(size, Math.max(Math.min(LEAST_SPAN, size), span * factor));
  return windowInside({ x: x + (span - next) * at.x, y: y + (span - next) * at.y, span: next }, size);
}

export function MatrixChart(props: Props) {
  const { title, matrix, order, mode, onWindow, pinned, onPin, takesWheel = false } = props;
  const host = useRef<HTMLDivElement>(null);
  const base = useRef<HTMLCanvasElement>(null);
  const over = useRef<HTMLCanvasElement>(null);
  const scene = useRef<Scene | null>(null);
  const size = useSize(host);
  /** The cell under the pointer or the keys, by its place in the order shown. */
  const [cursor, setCursor] = useState<Pair | null>(null);
  const drag = useRef<{ x: number; y: number; window: Window; isMoved: boolean } | null>(null);
  const window = props.window ? windowInside(props.window, matrix.size) : null;
  const places = useMemo(() => {
    const found = new Uint32Array(order.length);
    order.forEach((index, place) => {
      found[index] = place;
    });
    return found;
  }, [order]);

  const [themeNow, localeNow] = [theme.value, locale.value];
  useLayoutEffect(() => {
    const context = prepared(base.current!, size);
    if (!context || matrix.size === 0) return;
    const shown = window ?? { x: 0, y: 0, span: matrix.size };
    const layout = layoutOf(context, matrix, shown, size.width, size.height);
    const captions = { row: t("true"), column: t("predicted") };
    scene.current = { matrix, order, mode, layout, colors: colorsOfTheme(), captions };
    drawMatrix(context, scene.current);
  }, [matrix, order, mode, window?.x, window?.y, window?.span, size, themeNow, localeNow]);

  useLayoutEffect(() => {
    const context = prepared(over.current!, size);
    if (!context || !scene.current) return;
    const { colors } = scene.current;
    const isThere = pinned && pinned.row < matrix.size && pinned.column < matrix.size;
    if (isThere) {
      const place = { row: places[pinned.row], column: places[pinned.column] };
      drawMark(context, scene.current, place, themeColor("--accent"));
    }
    if (cursor && cursor.row < matrix.size && cursor.column < matrix.size)
      drawMark(context, scene.current, cursor, colors.text);
  });

  const fingers = useRef<Fingers | null>(null);
  /** Zooms so that what is at a place of the canvas stays there. */
  const zoomAt = useRef((_factor: number, _x: number, _y: number): void => {});
  zoomAt.current = (factor, x, y) => {
    if (!scene.current) return;
    const { left, top, side } = scene.current.layout;
    const part = (at: number, start: number) => Math.max(0, Math.min(1, (at - start) / side));
    onWindow(zoomed(window, 1 / factor, matrix.size, { x: part(x, left), y: part(y, top) }));
  };
  useEffect(() => {
    const element = host.current!;
    fingers.current = new Fingers(element);
    // The wheel must be told that it may not scroll, which a passive listener cannot.
    const wheel = (event: WheelEvent) => {
      if (!takesWheel && !event.ctrlKey && !event.metaKey) return;
      event.preventDefault();
      zoomAt.current(wheelZoom(event), event.offsetX, event.offsetY);
    };
    element.addEventListener("wheel", wheel, { passive: false });
    return () => element.removeEventListener("wheel", wheel);
  }, [takesWheel]);

  const pairAt = (place: Pair): Pair => ({ row: order[place.row], column: order[place.column] });

  const point = (place: Pair | null, at: { left: number; top: number }) => {
    setCursor(place);
    if (place) showBeside([facts(factsOf(matrix, pairAt(place)))], at);
    else hideTooltip();
  };

  const keys = (event: KeyboardEvent) => {
    const moves: Record<string, [number, number]> = {
      ArrowLeft: [0, -1],
      ArrowRight: [0, 1],
      ArrowUp: [-1, 0],
      ArrowDown: [1, 0],
    };
    const by = moves[event.key];
    if (by && matrix.size) walk(by);
    else if (event.key === "Enter" && cursor) onPin(pairAt(cursor));
    else if (event.key === "+" || event.key === "=") onWindow(zoomed(window, 0.5, matrix.size));
    else if (event.key === "-") onWindow(zoomed(window, 2, matrix.size));
    else if (event.key === "0") onWindow(null);
    else return;
    event.preventDefault();
  };

  const walk = ([down, across]: [number, number]) => {
    const last = matrix.size - 1;
    const clip = (value: number) => Math.max(0, Math.min(last, value));
    const first = { row: Math.floor(window?.y ?? 0), column: Math.floor(window?.x ?? 0) };
    const place = cursor ? { row: clip(cursor.row + down), column: clip(cursor.column + across) } : first;
    const told = factsOf(matrix, pairAt(place));
    const next = window && follow(window, place);
    if (next && (next.x !== window.x || next.y !== window.y)) onWindow(windowInside(next, matrix.size));
    point(place, tipPlace(host.current!, scene.current?.layout, place));
    announce(told.map(([name, value]) => `${name} ${value}`).join(", "));
  };

  const summary = summaryOf(matrix);
  return (
    <div
      ref={host}
      class={window ? "matrix-chart is-zoomed" : "matrix-chart"}
      role="img"
      tabIndex={0}
      aria-label={t("chart", { title, n: matrix.size, summary, first: matrix.names[order[0]] ?? "–" })}
      onKeyDown={keys}
      onBlur={() => point(null, { left: 0, top: 0 })}
      onPointerLeave={() => !drag.current && point(null, { left: 0, top: 0 })}
      onPointerDown={(event) => {
        const shown = window ?? { x: 0, y: 0, span: matrix.size };
        drag.current = { x: event.clientX, y: event.clientY, window: shown, isMoved: false };
        event.currentTarget.setPointerCapture(event.pointerId);
        fingers.current!.down(event);
      }}
      onPointerMove={(event) => {
        const pinch = fingers.current!.move(event);
        if (pinch) zoomAt.current(pinch.factor, pinch.x, pinch.y);
        if (fingers.current!.isPinching) {
          drag.current = null;
          return;
        }
        const layout = scene.current?.layout;
        if (!layout) return;
        const from = drag.current;
        if (from) {
          const [x, y] = [event.clientX - from.x, event.clientY - from.y];
          from.isMoved ||= Math.hypot(x, y) > CLICK_PX;
          if (!from.isMoved || !window) return;
          const { span } = from.window;
          const moved = { x: from.window.x - x / layout.cell, y: from.window.y - y / layout.cell, span };
          onWindow(windowInside(moved, matrix.size));
          point(null, { left: 0, top: 0 });
          return;
        }
        point(cellAt(layout, event.offsetX, event.offsetY), { left: event.clientX, top: event.clientY });
      }}
      onPointerUp={(event) => {
        fingers.current!.up(event);
        const layout = scene.current?.layout;
        const place = layout && cellAt(layout, event.offsetX, event.offsetY);
        if (drag.current && !drag.current.isMoved && place) onPin(pairAt(place));
        drag.current = null;
      }}
      onPointerCancel={(event) => {
        fingers.current!.up(event);
        drag.current = null;
      }}
      onDblClick={() => onWindow(null)}
    >
      <canvas ref={base} />
      <canvas ref={over} />
    </div>
  );
}

/** A canvas of this size in the pixels of the screen, empty. */
function prepared(canvas: HTMLCanvasElement, { width, height }: Size) {
  const context = canvas.getContext("2d");
  if (!context || width === 0 || height === 0) return null;
  const ratio = devicePixelRatio;
  const [across, down] = [Math.round(width * ratio), Math.round(height * ratio)];
  if (canvas.width !== across || canvas.height !== down) {
    canvas.width = across;
    canvas.height = down;
  }
  context.setTransform(ratio, 0, 0, ratio, 0, 0);
  context.clearRect(0, 0, width, height);
  return context;
}

function factsOf(matrix: Matrix, pair: Pair): [string, string][] {
  return [
    [t("trueClass"), matrix.names[pair.row]],
    [t("predictedClass"), matrix.names[pair.column]],
    [t("count"), String(matrix.at(pair))],
    [t("ofRow"), formatShare(matrix.shareOfRow(pair))],
    [t("ofColumn"), formatShare(matrix.shareOfColumn(pair))],
  ];
}

/** The window, moved as far as it takes to see a cell. */
function follow({ x, y, span }: Window, { row, column }: Pair): Window {
  const near = (from: number, at: number) => Math.max(at + 1 - span, Math.min(at, from));
  return { x: near(x, column), y: near(y, row), span };
}

function tipPlace(host: HTMLElement, layout: Layout | undefined, { row, column }: Pair) {
  const box = host.getBoundingClientRect();
  if (!layout) return { left: box.left, top: box.top };
  const { left, top, cell, window } = layout;
  return {
    left: box.left + left + (column + 0.5 - window.x) * cell,
    top: box.top + top + (row + 0.5 - window.y) * cell,
  };
}
