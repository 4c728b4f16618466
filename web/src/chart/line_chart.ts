/**
 * A line chart: uPlot gives the axes, the cursor and the selection; the lines are drawn here, since each run has
 * its own steps and uPlot would want one column of x for all.
 */

import uPlot from "uplot";
import "uplot/dist/uPlot.min.css";
import "./chart.css";
import { CROWD, Crowd } from "./crowd";
import { type Line, nearest, projection, type Range, rangeX, rangeY, type Scaling } from "./line";
import { oddities, trace } from "./pen";
import { type AxisKind, ticks } from "./ticks";

export interface ChartView extends Scaling {
  xKind: AxisKind;
  /** The part of the x axis shown; null for all. */
  window: Range | null;
  /** The part of the y axis shown, where it does not depend on the lines. */
  yWindow?: Range;
  colors: { text: string; grid: string; background: string };
}

export interface Reading {
  line: Line;
  index: number;
  /** Distance from the pointer, in pixels. */
  distance: number;
}

export interface ChartEvents {
  zoom(window: Range | null): void;
  /** The pointer is at `x` of the axis; null when it leaves. `readings` are sorted by nearness. */
  hover(x: number | null, readings: Reading[], place: { left: number; top: number }): void;
}

const FONT = '11px system-ui, -apple-system, "Segoe UI", Roboto, "Liberation Sans", sans-serif';
const LEAST_ZOOM_PX = 4;
const LEAST_ROOM_PX = 48;
const LETTER_PX = 6.4;
const GAP_PX = 10;

/** From so many lines on, thin ones without the faint values behind: more would be a blot, and slow to draw. */
const MANY_LINES = 60;

export class LineChart {
  private plot: uPlot;
  private lines: readonly Line[] = [];
  private x: Range = { min: 0, max: 1 };
  private y: Range = { min: 0, max: 1 };
  private overlay = document.createElement("canvas");
  private isPointing = false;
  private crowd: Crowd | null = null;

  constructor(
    private readonly host: HTMLElement,
    private view: ChartView,
    private readonly events: ChartEvents,
    private width: number,
    private height: number,
  ) {
    this.plot = this.build();
  }

  private build(): uPlot {
    const { colors, isLogX, isLogY, xKind } = this.view;
    const axis = (kind: AxisKind, pxPerTick: number): uPlot.Axis => ({
      stroke: colors.text,
      grid: { stroke: colors.grid, width: 1 },
      ticks: { show: false },
      font: FONT,
      gap: 6,
      splits: (plot, index, min, max) =>
        this.ticksOf(plot, index, min, max, kind, pxPerTick).map((tick) => tick.at),
      values: (plot, _splits, index) => {
        const range = index === 0 ? this.x : this.y;
        return this.ticksOf(plot, index, range.min, range.max, kind, pxPerTick).map((tick) => tick.label);
      },
      // Every split is a label: uPlot would leave out those of log scales that are no powers of ten.
      filter: (_plot, splits) => splits,
    });
    const plot = new uPlot(
      {
        width: this.width,
        height: this.height,
        padding: [8, 12, 0, 0],
        legend: { show: false },
        cursor: {
          y: false,
          points: { show: false },
          drag: { x: true, y: false, setScale: false, dist: LEAST_ZOOM_PX },
          bind: { dblclick: () => () => this.showAll() },
        },
        scales: {
          x: { time: false, distr: isLogX ? 3 : 1, range: () => [this.x.min, this.x.max] },
          y: { distr: isLogY ? 3 : 1, range: () => [this.y.min, this.y.max] },
        },
        axes: [
          { ...axis(xKind, 60), size: 26 },
          { ...axis(isLogY ? "log" : "linear", 36), size: (_plot, labels) => roomFor(labels) },
        ],
        series: [{}, { paths: () => null, points: { show: false } }],
        hooks: {
          draw: [() => this.draw()],
          setCursor: [() => this.moved()],
          setSelect: [(chart) => this.selected(chart)],
        },
      },
      this.frame(),
      this.host,
    );
    this.overlay.className = "chart-overlay";
    plot.over.append(this.overlay);
    plot.over.addEventListener("mouseenter", () => {
      this.isPointing = true;
    });
    plot.over.addEventListener("mouseleave", () => {
      this.isPointing = false;
      this.events.hover(null, [], { left: 0, top: 0 });
    });
    return plot;
  }

  private showAll(): null {
    this.events.zoom(null);
    return null;
  }

  private ticksOf(plot: uPlot, index: number, min: number, max: number, kind: AxisKind, pxPerTick: number) {
    const length = index === 0 ? plot.over.clientWidth || this.width : plot.over.clientHeight || this.height;
    return ticks(min, max, Math.max(2, Math.floor(length / pxPerTick)), kind);
  }

  /** uPlot needs data to have scales; the corners are enough. */
  private frame(): uPlot.AlignedData {
    return [
      [this.x.min, this.x.max],
      [this.y.min, this.y.max],
    ];
  }

  setLines(lines: readonly Line[]): void {
    this.lines = lines;
    this.rescale();
  }

  setView(view: ChartView): void {
    const { window: _old, isClipped: _clipped, ...before } = this.view;
    const { window: _new, isClipped: _nextClipped, ...after } = view;
    this.view = view;
    if (JSON.stringify(before) !== JSON.stringify(after)) {
      this.plot.destroy();
      this.measure();
      this.plot = this.build();
    } else this.rescale();
  }

  private measure(): void {
    this.x = this.view.window ?? rangeX(this.lines, this.view.isLogX);
    if (this.view.isLogX && this.x.min <= 0) this.x = rangeX(this.lines, true);
    this.y = this.view.yWindow ?? rangeY(this.lines, this.x, this.view);
  }

  private rescale(): void {
    this.measure();
    this.plot.setData(this.frame());
  }

  setSize(width: number, height: number): void {
    if (width === this.width && height === this.height) return;
    this.width = width;
    this.height = height;
    this.plot.setSize({ width, height });
  }

  destroy(): void {
    this.crowd?.stop();
    this.plot.destroy();
  }

  private draw(): void {
    const { ctx, bbox } = this.plot;
    const ratio = devicePixelRatio;
    const toX = projection(this.x, this.view.isLogX, bbox.left, bbox.width);
    const toY = projection(this.y, this.view.isLogY, bbox.top + bbox.height, -bbox.height);
    ctx.save();
    ctx.beginPath();
    ctx.rect(bbox.left, bbox.top, bbox.width, bbox.height);
    ctx.clip();
    const isCrowded = this.lines.length > MANY_LINES;
    for (const line of this.lines) if (line.band) this.drawBand(ctx, line, toX, toY);
    for (const line of this.lines) {
      if (!line.raw || isCrowded) continue;
      ctx.globalAlpha = 0.22;
      strokeLine(ctx, line, line.raw, this.x, toX, toY, ratio);
    }
    ctx.globalAlpha = 1;
    const window = this.x;
    const strokeAll = (pen: CanvasRenderingContext2D, lines: readonly Line[]) => {
      const width = isCrowded ? 1 : 1.5 * ratio;
      pen.lineJoin = isCrowded ? "bevel" : "round";
      for (const line of lines) {
        strokeLine(pen, line, line.y, window, toX, toY, line.isStrong ? 2.5 * ratio : width);
      }
      for (const line of lines) drawOddities(pen, line, window, toX, bbox, ratio);
    };
    if (this.lines.length > CROWD) this.drawCrowd(ctx, strokeAll);
    else strokeAll(ctx, this.lines);
    ctx.restore();
  }

  private drawCrowd(
    ctx: CanvasRenderingContext2D,
    strokeAll: (pen: CanvasRenderingContext2D, lines: readonly Line[]) => void,
  ): void {
    this.crowd ??= new Crowd(() => this.plot.redraw(false));
    const { width, height } = ctx.canvas;
    const key = JSON.stringify([this.x, this.y, this.plot.bbox, this.view, width, height]);
    const picture = this.crowd.picture(this.lines, key, width, height, strokeAll);
    if (picture) ctx.drawImage(picture, 0, 0);
  }

  private drawBand(
    ctx: CanvasRenderingContext2D,
    line: Line,
    toX: (x: number) => number,
    toY: (y: number) => number,
  ): void {
    const { low, high } = line.band!;
    ctx.beginPath();
    line.x.forEach((x, i) => {
      if (Number.isFinite(high[i])) ctx.lineTo(toX(x), toY(high[i]));
    });
    for (let i = line.x.length - 1; i >= 0; i--)
      if (Number.isFinite(low[i])) ctx.lineTo(toX(line.x[i]), toY(low[i]));
    ctx.closePath();
    ctx.globalAlpha = 0.16;
    ctx.fillStyle = line.color;
    ctx.fill();
    ctx.globalAlpha = 1;
  }

  private selected(plot: uPlot): void {
    const { left, width } = plot.select;
    if (width < LEAST_ZOOM_PX) return;
    const window = { min: plot.posToVal(left, "x"), max: plot.posToVal(left + width, "x") };
    plot.setSelect({ left: 0, top: 0, width: 0, height: 0 }, false);
    this.events.zoom(window);
  }

  private moved(): void {
    if (!this.isPointing) return;
    const { left, top } = this.plot.cursor;
    if (left === undefined || top === undefined || left < 0) return;
    this.point(left, top);
  }

  private point(left: number, top: number): void {
    const x = this.plot.posToVal(left, "x");
    const readings = this.readings(x, top);
    this.highlight(readings);
    const box = this.plot.over.getBoundingClientRect();
    this.events.hover(x, readings, { left: box.left + left, top: box.top + top });
  }

  /** The nearest point of every line that reaches `x`, nearest line first. */
  private readings(x: number, top: number): Reading[] {
    const toX = projection(this.x, this.view.isLogX, 0, this.plot.over.clientWidth);
    const toY = projection(
      this.y,
      this.view.isLogY,
      this.plot.over.clientHeight,
      -this.plot.over.clientHeight,
    );
    const found: Reading[] = [];
    for (const line of this.lines) {
      const index = nearestOfPlace(line, nearest(line.x, x), (y) => Math.abs(toY(y) - top));
      if (index < 0) continue;
      const away = Math.abs(toX(line.x[index]) - toX(x));
      const y = toY(line.y[index]);
      // A line that ends far from the pointer has nothing to say there.
      if (away > 40) continue;
      found.push({ line, index, distance: Number.isFinite(y) ? Math.abs(y - top) + away * 0.1 : 1e6 });
    }
    return found.sort((a, b) => a.distance - b.distance);
  }

  /** Shows the cursor of another chart at `x`; null hides it. */
  showCursor(x: number | null): void {
    if (this.isPointing) return;
    const inside = x !== null && x >= this.x.min && x <= this.x.max;
    this.plot.setCursor({ left: inside ? this.plot.valToPos(x, "x") : -10, top: inside ? 0 : -10 }, false);
    this.highlight(inside && this.lines.length <= 24 ? this.readings(x, -1) : []);
  }

  /** Moves the cursor by keyboard: `share` of the width from where it is. */
  nudge(share: number): void {
    const width = this.plot.over.clientWidth;
    const from = this.plot.cursor.left;
    const left = Math.min(
      width,
      Math.max(0, (from === undefined || from < 0 ? width / 2 : from) + share * width),
    );
    const top = this.plot.over.clientHeight / 2;
    this.plot.setCursor({ left, top }, false);
    this.point(left, top);
  }

  /** Zooms around the cursor, or the middle; `factor` below 1 comes closer. */
  zoomBy(factor: number): void {
    const left = this.plot.cursor.left;
    const width = this.plot.over.clientWidth;
    const share = left === undefined || left < 0 ? 0.5 : left / width;
    const min = this.plot.posToVal(width * share * (1 - factor), "x");
    const max = this.plot.posToVal(width * (share + (1 - share) * factor), "x");
    this.events.zoom({ min, max });
  }

  private highlight(readings: Reading[]): void {
    const ratio = devicePixelRatio;
    const { clientWidth: width, clientHeight: height } = this.plot.over;
    if (this.overlay.width !== width * ratio || this.overlay.height !== height * ratio) {
      this.overlay.width = width * ratio;
      this.overlay.height = height * ratio;
    }
    const ctx = this.overlay.getContext("2d");
    if (!ctx) return;
    ctx.setTransform(ratio, 0, 0, ratio, 0, 0);
    ctx.clearRect(0, 0, width, height);
    const toX = projection(this.x, this.view.isLogX, 0, width);
    const toY = projection(this.y, this.view.isLogY, height, -height);
    const first = readings[0];
    if (this.isPointing && first && this.lines.length > 1) {
      strokeLine(ctx, first.line, first.line.y, this.x, toX, toY, 2.5);
    }
    for (const { line, index } of readings.slice(0, 24)) {
      const [x, y] = [toX(line.x[index]), toY(line.y[index])];
      if (!Number.isFinite(y)) continue;
      ctx.beginPath();
      ctx.arc(x, y, 3.5, 0, 2 * Math.PI);
      ctx.fillStyle = line.color;
      ctx.fill();
      ctx.lineWidth = 1.5;
      ctx.strokeStyle = this.view.colors.background;
      ctx.stroke();
    }
  }

  /** What is shown, for a drawing of it elsewhere. */
  get shown(): { lines: readonly Line[]; x: Range; y: Range; view: ChartView } {
    return { lines: this.lines, x: this.x, y: this.y, view: this.view };
  }
}

/** How wide the vertical axis is, so that its longest mark is whole. */
function roomFor(labels: readonly string[] | null): number {
  const longest = (labels ?? []).reduce((most, label) => Math.max(most, label?.length ?? 0), 0);
  return Math.max(LEAST_ROOM_PX, Math.ceil(longest * LETTER_PX) + GAP_PX);
}

/** Of the points that share the place of one, the one that is least far; a line may go straight up. */
function nearestOfPlace({ x, y }: Line, index: number, far: (y: number) => number): number {
  let found = index;
  for (const step of [-1, 1]) {
    for (let i = index + step; x[i] === x[index]; i += step) if (far(y[i]) < far(y[found])) found = i;
  }
  return found;
}

function strokeLine(
  ctx: CanvasRenderingContext2D,
  line: Line,
  ys: Float64Array,
  window: Range,
  toX: (x: number) => number,
  toY: (y: number) => number,
  width: number,
): void {
  ctx.beginPath();
  const lonely = trace(ctx, line, ys, window, toX, toY);
  ctx.strokeStyle = line.color;
  ctx.lineWidth = width;
  ctx.setLineDash(line.isDashed ? [width * 4, width * 2.5] : []);
  ctx.stroke();
  ctx.fillStyle = line.color;
  for (const [x, y] of lonely) {
    ctx.beginPath();
    ctx.arc(x, y, Math.max(2.5, width * 1.6), 0, 2 * Math.PI);
    ctx.fill();
  }
  ctx.setLineDash([]);
}

function drawOddities(
  ctx: CanvasRenderingContext2D,
  line: Line,
  window: Range,
  toX: (x: number) => number,
  box: uPlot.BBox,
  ratio: number,
): void {
  const size = 4 * ratio;
  ctx.strokeStyle = line.color;
  ctx.fillStyle = line.color;
  ctx.lineWidth = 1.5 * ratio;
  for (const { x, kind } of oddities(line, window, toX)) {
    const y = kind === "inf" ? box.top + size : box.top + box.height - size * 1.25;
    ctx.beginPath();
    if (kind === "nan") {
      ctx.moveTo(x - size, y - size);
      ctx.lineTo(x + size, y + size);
      ctx.moveTo(x + size, y - size);
      ctx.lineTo(x - size, y + size);
      ctx.stroke();
    } else {
      const up = kind === "inf" ? -1 : 1;
      ctx.moveTo(x - size, y - up * size * 0.7);
      ctx.lineTo(x + size, y - up * size * 0.7);
      ctx.lineTo(x, y + up * size);
      ctx.fill();
    }
  }
}
