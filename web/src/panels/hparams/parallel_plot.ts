/** Parallel coordinates on canvases: an axis a column, a line a session. Knows nothing of the page around it. */

import type { Tick } from "../../chart/ticks";
import { BrushPlot, type Hover, type Sessions, type Steps } from "./brush_plot";
import { batches, FONT } from "./canvas";

export interface PlotAxis {
  key: string;
  units: Float64Array;
  ticks: readonly Tick[];
  /** The part that is kept, null for all of it. */
  span: readonly [number, number] | null;
}

export interface Plot extends Sessions {
  axes: readonly PlotAxis[];
}

export interface PlotEvents {
  /** A part of an axis is being chosen; gives which sessions would pass. */
  preview: (key: string, span: readonly [number, number]) => Uint8Array;
  brush: (key: string, span: readonly [number, number] | null) => void;
  hover: Hover;
}

const TOP = 46;
const BOTTOM = 36;
const SIDE = 64;
/** Sessions without a value pass below the axis. */
const NOWHERE = 20;
const STRIP = 14;
const EDGE = 6;
const REACH = 14;
const LINES_A_STROKE = 40;
const LEAST_GAP = 96;

export function plotWidth(count: number, room: number): number {
  return Math.max(room, 2 * SIDE + LEAST_GAP * Math.max(0, count - 1));
}

export function axisX(index: number, count: number, width: number): number {
  return count > 1 ? SIDE + (index * (width - 2 * SIDE)) / (count - 1) : width / 2;
}

export function lineY(unit: number, height: number): number {
  const bottom = height - BOTTOM;
  return Number.isNaN(unit) ? bottom + NOWHERE : bottom - unit * (bottom - TOP);
}

interface Drag {
  axis: number;
  mode: "new" | "move" | "low" | "high";
  from: number;
  span: readonly [number, number];
  now: readonly [number, number] | null;
}

export class ParallelPlot extends BrushPlot<Plot, Drag> {
  constructor(
    host: HTMLElement,
    private readonly events: PlotEvents,
  ) {
    super(host, events.hover);
  }

  /** The lines are the same, whichever of them pass. */
  protected hasBackOf(before: Plot, plot: Plot): boolean {
    return (
      before.rows === plot.rows &&
      before.ink.faint === plot.ink.faint &&
      before.axes.length === plot.axes.length &&
      before.axes.every((axis, i) => axis.units === plot.axes[i].units)
    );
  }

  private x(index: number): number {
    return axisX(index, this.plot?.axes.length ?? 0, this.width);
  }

  private trace(context: CanvasRenderingContext2D, rows: readonly number[]): void {
    const { axes } = this.plot!;
    context.beginPath();
    for (const row of rows) {
      for (let i = 0; i < axes.length; i++) {
        const y = lineY(axes[i].units[row], this.height);
        if (i === 0) context.moveTo(this.x(i), y);
        else context.lineTo(this.x(i), y);
      }
    }
    context.stroke();
  }

  protected *backSteps(): Steps {
    const { rows, ink } = this.plot!;
    for (let at = 0; at < rows.length; at += LINES_A_STROKE) {
      yield (context) => {
        context.strokeStyle = ink.faint;
        context.lineWidth = 1;
        this.trace(context, rows.slice(at, at + LINES_A_STROKE));
      };
    }
  }

  protected *frontSteps(passes: Uint8Array): Steps {
    const { rows, colors, shadeOf, ink } = this.plot!;
    const passing = rows.filter((row) => passes[row]);
    const opacity = Math.max(0.3, Math.min(0.9, 10 / Math.sqrt(passing.length)));
    for (const some of batches(passing, shadeOf, colors.length, LINES_A_STROKE)) {
      yield (context) => {
        context.globalAlpha = opacity;
        // A line of one pixel is drawn many times as fast as a wider one where there is no GPU.
        context.lineWidth = passing.length > 60 ? 1 : 1.8;
        for (const { shade, rows: these } of some) {
          context.strokeStyle = shade < 0 ? ink.text : colors[shade];
          this.trace(context, these);
        }
        context.globalAlpha = 1;
      };
    }
  }

  protected *overSteps(): Steps {
    const { axes, ink, rows } = this.plot!;
    yield (context) => {
      context.font = FONT;
      context.textBaseline = "middle";
      for (const [i, axis] of axes.entries()) this.drawAxis(context, axis, i);
      if (this.hovered === null || !rows.includes(this.hovered)) return;
      context.strokeStyle = ink.background;
      context.lineWidth = 6;
      this.trace(context, [this.hovered]);
      context.strokeStyle = ink.accent;
      context.lineWidth = 2.5;
      this.trace(context, [this.hovered]);
    };
  }

  private drawAxis(context: CanvasRenderingContext2D, axis: PlotAxis, index: number): void {
    const { ink } = this.plot!;
    const x = this.x(index);
    context.strokeStyle = ink.grid;
    context.lineWidth = 1.5;
    context.beginPath();
    context.moveTo(x, lineY(0, this.height));
    context.lineTo(x, lineY(1, this.height));
    context.stroke();
    const span = this.drag?.axis === index ? this.drag.now : axis.span;
    if (span) {
      const [low, high] = span.map((unit) => lineY(unit, this.height));
      context.fillStyle = ink.accent;
      context.globalAlpha = 0.22;
      context.fillRect(x - 8, high, 16, low - high);
      context.globalAlpha = 1;
      context.fillRect(x - 8, high - 1, 16, 2);
      context.fillRect(x - 8, low - 1, 16, 2);
    }
    const isLast = index > 0 && index === this.plot!.axes.length - 1;
    context.textAlign = isLast ? "left" : "right";
    const side = isLast ? 10 : -10;
    let before = Infinity;
    for (const tick of axis.ticks) {
      const y = lineY(tick.at, this.height);
      if (Math.abs(before - y) < 13) continue;
      before = y;
      const label = tick.label.length > 12 ? `${tick.label.slice(0, 11)}…` : tick.label;
      // A rim in the colour of the ground keeps the text legible over lines.
      context.strokeStyle = ink.background;
      context.lineWidth = 4;
      context.strokeText(label, x + side, y);
      context.fillStyle = ink.text;
      context.fillText(label, x + side, y);
    }
  }

  private unitAt(y: number): number {
    const [low, high] = [lineY(0, this.height), lineY(1, this.height)];
    return Math.max(0, Math.min(1, (low - y) / (low - high)));
  }

  private axisAt(x: number, y: number): number {
    if (y < TOP - STRIP || y > this.height - BOTTOM + STRIP) return -1;
    return this.plot!.axes.findIndex((_, i) => Math.abs(this.x(i) - x) <= STRIP);
  }

  protected begin(x: number, y: number): Drag | null {
    const axis = this.axisAt(x, y);
    if (axis < 0) return null;
    const unit = this.unitAt(y);
    const { span } = this.plot!.axes[axis];
    let mode: Drag["mode"] = "new";
    if (span) {
      const [low, high] = span.map((one) => lineY(one, this.height));
      if (Math.abs(y - low) <= EDGE) mode = "low";
      else if (Math.abs(y - high) <= EDGE) mode = "high";
      else if (y < low && y > high) mode = "move";
    }
    return { axis, mode, from: unit, span: span ?? [unit, unit], now: span };
  }

  protected pull(drag: Drag, _x: number, y: number): boolean {
    const unit = this.unitAt(y);
    const { mode, from } = drag;
    if (Math.abs(unit - from) * this.height < 3 && mode === "new") return false;
    const [low, high] = drag.span;
    if (mode === "move") {
      const by = Math.max(-low, Math.min(1 - high, unit - from));
      drag.now = [low + by, high + by];
    } else {
      const fixed = mode === "new" ? from : mode === "low" ? high : low;
      drag.now = [Math.min(fixed, unit), Math.max(fixed, unit)];
    }
    return true;
  }

  protected preview({ axis, now }: Drag): Uint8Array {
    return this.events.preview(this.plot!.axes[axis].key, now!);
  }

  protected finish({ axis, now }: Drag): void {
    const { key, span } = this.plot!.axes[axis];
    const isClick = now === span;
    this.events.brush(key, isClick ? null : now);
  }

  /** The session whose line is nearest to a place, if one is near. */
  protected nearest(x: number, y: number): number | null {
    const isOnAxis = this.axisAt(x, y) >= 0;
    this.host.style.cursor = isOnAxis ? "ns-resize" : "";
    if (isOnAxis) return null;
    const { axes, rows, passes } = this.plot!;
    let right = axes.findIndex((_, i) => this.x(i) >= x);
    if (right <= 0) right = right < 0 ? axes.length - 1 : Math.min(1, axes.length - 1);
    const left = Math.max(0, right - 1);
    const share = right === left ? 0 : (x - this.x(left)) / (this.x(right) - this.x(left));
    let [best, least] = [null as number | null, REACH];
    for (const row of rows) {
      if (!passes[row]) continue;
      const from = lineY(axes[left].units[row], this.height);
      const to = lineY(axes[right].units[row], this.height);
      const distance = Math.abs(from + (to - from) * Math.max(0, Math.min(1, share)) - y);
      if (distance < least) [best, least] = [row, distance];
    }
    return best;
  }
}
