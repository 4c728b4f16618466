/** A matrix of scatter plots on canvases: a column an hparam, a row a metric, a dot a session. */

import type { Span } from "./brushes";
import { batches, FONT, type Ink, Layer } from "./canvas";
import type { PlotAxis } from "./parallel_plot";

export interface Matrix {
  /** Hparams, from left to right. */
  xs: readonly (PlotAxis & { title: string })[];
  /** Metrics, from top to bottom. */
  ys: readonly (PlotAxis & { title: string })[];
  rows: readonly number[];
  passes: Uint8Array;
  colors: readonly string[];
  shadeOf: Int16Array;
  ink: Ink;
}

export interface MatrixEvents {
  preview: (x: string, y: string, spans: readonly [Span, Span]) => Uint8Array;
  brush: (x: string, y: string, spans: readonly [Span, Span] | null) => void;
  hover: (row: number | null, left: number, top: number) => void;
}

export const LEFT = 84;
const BOTTOM = 18;
const TOP = 28;
const GAP = 10;
const INSET = 7;
const LEAST_CELL = { width: 120, height: 104 };
const REACH = 9;
const DOTS_A_STEP = 400;

export interface Cell {
  left: number;
  top: number;
  width: number;
  height: number;
}

export function matrixSize(columns: number, rows: number, width: number, height: number): [number, number] {
  return [
    Math.max(width, LEFT + columns * LEAST_CELL.width + GAP),
    Math.max(height, TOP + rows * LEAST_CELL.height + BOTTOM),
  ];
}

export function cellAt(matrix: Matrix, column: number, row: number, width: number, height: number): Cell {
  const wide = (width - LEFT - GAP) / matrix.xs.length;
  const high = (height - TOP - BOTTOM) / matrix.ys.length;
  return { left: LEFT + column * wide, top: TOP + row * high, width: wide - GAP, height: high - GAP };
}

export function dotAt(cell: Cell, x: number, y: number): [number, number] {
  return [
    cell.left + INSET + x * (cell.width - 2 * INSET),
    cell.top + cell.height - INSET - y * (cell.height - 2 * INSET),
  ];
}

interface Drag {
  column: number;
  row: number;
  from: readonly [number, number];
  spans: readonly [Span, Span] | null;
}

export class ScatterPlot {
  private readonly back: Layer;
  private readonly front: Layer;
  private readonly over: Layer;
  private matrix: Matrix | null = null;
  private width = 0;
  private height = 0;
  private drag: Drag | null = null;
  private hovered: number | null = null;
  private frame = 0;

  constructor(
    private readonly host: HTMLElement,
    private readonly events: MatrixEvents,
  ) {
    this.back = new Layer(host);
    this.front = new Layer(host);
    this.over = new Layer(host);
    host.addEventListener("pointerdown", this.press);
    host.addEventListener("pointermove", this.pass);
    host.addEventListener("pointerup", this.release);
    host.addEventListener("pointercancel", this.release);
    host.addEventListener("pointerleave", this.leave);
  }

  destroy(): void {
    cancelAnimationFrame(this.frame);
    for (const layer of [this.back, this.front, this.over]) layer.destroy();
  }

  show(matrix: Matrix, width: number, height: number): void {
    this.matrix = matrix;
    [this.width, this.height] = [width, height];
    for (const layer of [this.back, this.front, this.over]) layer.resize(width, height);
    this.back.draw(this.backSteps());
    this.front.draw(this.frontSteps(matrix.passes));
    this.drawOver();
  }

  highlight(row: number | null): void {
    if (row === this.hovered) return;
    this.hovered = row;
    this.drawOver();
  }

  private cell(column: number, row: number): Cell {
    return cellAt(this.matrix!, column, row, this.width, this.height);
  }

  private *cells(): Generator<{ column: number; row: number; cell: Cell }> {
    const { xs, ys } = this.matrix!;
    for (let row = 0; row < ys.length; row++)
      for (let column = 0; column < xs.length; column++) yield { column, row, cell: this.cell(column, row) };
  }

  private dots(
    context: CanvasRenderingContext2D,
    place: { column: number; row: number; cell: Cell },
    rows: readonly number[],
    size: number,
  ): void {
    const { xs, ys } = this.matrix!;
    const [across, up] = [xs[place.column].units, ys[place.row].units];
    context.beginPath();
    for (const row of rows) {
      if (Number.isNaN(across[row]) || Number.isNaN(up[row])) continue;
      const [x, y] = dotAt(place.cell, across[row], up[row]);
      context.moveTo(x + size, y);
      context.arc(x, y, size, 0, 2 * Math.PI);
    }
    context.fill();
  }

  private *backSteps(): Generator<(context: CanvasRenderingContext2D) => void> {
    const { ink, rows } = this.matrix!;
    for (const place of this.cells()) {
      yield (context) => {
        context.strokeStyle = ink.faint;
        context.lineWidth = 1;
        const { left, top, width, height } = place.cell;
        context.strokeRect(left + 0.5, top + 0.5, width, height);
        context.font = FONT;
        this.labels(context, place);
        context.fillStyle = ink.faint;
      };
      for (let at = 0; at < rows.length; at += DOTS_A_STEP)
        yield (context) => this.dots(context, place, rows.slice(at, at + DOTS_A_STEP), 2);
    }
  }

  /** Marks and names at the left and the bottom of the matrix. */
  private labels(
    context: CanvasRenderingContext2D,
    { column, row, cell }: { column: number; row: number; cell: Cell },
  ): void {
    const { xs, ys, ink } = this.matrix!;
    context.fillStyle = ink.text;
    if (column === 0) {
      context.textAlign = "right";
      context.textBaseline = "middle";
      for (const { at, label } of spaced(ys[row].ticks, cell.height / 18)) {
        context.fillText(shortened(label, 9), cell.left - 5, dotAt(cell, 0, at)[1]);
      }
      context.save();
      context.translate(12, cell.top + cell.height / 2);
      context.rotate(-Math.PI / 2);
      context.textAlign = "center";
      context.fillText(shortened(ys[row].title, Math.floor(cell.height / 6)), 0, 0);
      context.restore();
    }
    context.textAlign = "center";
    context.textBaseline = "top";
    if (row === 0) {
      const title = shortened(xs[column].title, Math.floor(cell.width / 6));
      context.fillText(title, cell.left + cell.width / 2, 9);
    }
    if (row === ys.length - 1) {
      const bottom = cell.top + cell.height;
      for (const { at, label } of spaced(xs[column].ticks, cell.width / 48)) {
        context.fillText(shortened(label, 8), dotAt(cell, at, 0)[0], bottom + 5);
      }
    }
  }

  private *frontSteps(passes: Uint8Array): Generator<(context: CanvasRenderingContext2D) => void> {
    const { rows, colors, shadeOf, ink } = this.matrix!;
    const passing = rows.filter((row) => passes[row]);
    for (const place of this.cells()) {
      for (const batch of batches(passing, shadeOf, colors.length, DOTS_A_STEP)) {
        yield (context) => {
          context.globalAlpha = 0.75;
          context.fillStyle = batch.shade < 0 ? ink.text : colors[batch.shade];
          this.dots(context, place, batch.rows, 2.6);
          context.globalAlpha = 1;
        };
      }
    }
  }

  private drawOver(): void {
    const { xs, ys, ink } = this.matrix!;
    this.over.draw([
      (context) => {
        context.fillStyle = ink.accent;
        context.strokeStyle = ink.accent;
        for (const place of this.cells()) {
          const isDragged = this.drag?.column === place.column && this.drag.row === place.row;
          const across = xs[place.column].span;
          const up = ys[place.row].span;
          if (isDragged && this.drag?.spans) this.box(context, place.cell, ...this.drag.spans);
          else if (across || up) this.box(context, place.cell, across ?? [0, 1], up ?? [0, 1]);
          if (this.hovered === null) continue;
          context.fillStyle = ink.background;
          this.dots(context, place, [this.hovered], 7);
          context.fillStyle = ink.accent;
          this.dots(context, place, [this.hovered], 5);
        }
      },
    ]);
  }

  private box(context: CanvasRenderingContext2D, cell: Cell, across: Span, up: Span): void {
    const [left, bottom] = dotAt(cell, across[0], up[0]);
    const [right, top] = dotAt(cell, across[1], up[1]);
    context.globalAlpha = 0.12;
    context.fillRect(left, top, right - left, bottom - top);
    context.globalAlpha = 1;
    context.lineWidth = 1;
    context.strokeRect(left, top, right - left, bottom - top);
  }

  /** The cell under the pointer, and where in it. */
  private at(event: PointerEvent): { column: number; row: number; unit: [number, number] } | null {
    if (!this.matrix) return null;
    const box = this.host.getBoundingClientRect();
    const [x, y] = [event.clientX - box.left, event.clientY - box.top];
    const held = this.drag;
    for (const { column, row, cell } of this.cells()) {
      const isHeld = held ? held.column === column && held.row === row : isIn(cell, x, y);
      if (!isHeld) continue;
      const across = (x - cell.left - INSET) / (cell.width - 2 * INSET);
      const up = (cell.top + cell.height - INSET - y) / (cell.height - 2 * INSET);
      return { column, row, unit: [limited(across), limited(up)] };
    }
    return null;
  }

  private readonly press = (event: PointerEvent) => {
    const found = this.at(event);
    if (!found || event.button !== 0) return;
    this.drag = { column: found.column, row: found.row, from: found.unit, spans: null };
    this.host.setPointerCapture(event.pointerId);
    this.events.hover(null, 0, 0);
    event.preventDefault();
  };

  private readonly pass = (event: PointerEvent) => {
    const found = this.at(event);
    const { drag } = this;
    if (!drag) {
      const row = found ? this.nearest(event, found.column, found.row) : null;
      this.highlight(row);
      this.events.hover(row, event.clientX, event.clientY);
      return;
    }
    if (!found) return;
    const [x, y] = found.unit;
    if (!drag.spans && Math.hypot(x - drag.from[0], y - drag.from[1]) < 0.02) return;
    drag.spans = [
      [Math.min(x, drag.from[0]), Math.max(x, drag.from[0])],
      [Math.min(y, drag.from[1]), Math.max(y, drag.from[1])],
    ];
    cancelAnimationFrame(this.frame);
    this.frame = requestAnimationFrame(() => {
      const now = this.drag;
      if (!now?.spans) return;
      const { xs, ys } = this.matrix!;
      this.front.draw(this.frontSteps(this.events.preview(xs[now.column].key, ys[now.row].key, now.spans)));
      this.drawOver();
    });
  };

  private readonly release = () => {
    const done = this.drag;
    if (!done) return;
    this.drag = null;
    cancelAnimationFrame(this.frame);
    const { xs, ys } = this.matrix!;
    this.events.brush(xs[done.column].key, ys[done.row].key, done.spans);
  };

  private readonly leave = () => {
    if (this.drag) return;
    this.highlight(null);
    this.events.hover(null, 0, 0);
  };

  private nearest(event: PointerEvent, column: number, line: number): number | null {
    const { xs, ys, rows, passes } = this.matrix!;
    const box = this.host.getBoundingClientRect();
    const cell = this.cell(column, line);
    let [best, least] = [null as number | null, REACH];
    for (const row of rows) {
      if (!passes[row]) continue;
      const [x, y] = dotAt(cell, xs[column].units[row], ys[line].units[row]);
      const distance = Math.hypot(x - event.clientX + box.left, y - event.clientY + box.top);
      if (distance < least) [best, least] = [row, distance];
    }
    return best;
  }
}

function isIn(cell: Cell, x: number, y: number): boolean {
  return x >= cell.left && x <= cell.left + cell.width && y >= cell.top && y <= cell.top + cell.height;
}

function limited(unit: number): number {
  return Math.max(0, Math.min(1, unit));
}

/** At most so many of these, evenly. */
export function spaced<T>(all: readonly T[], most: number): T[] {
  const every = Math.ceil(all.length / Math.max(1, Math.floor(most)));
  return all.filter((_, i) => i % every === 0);
}

export function shortened(text: string, most: number): string {
  return text.length > most ? `${text.slice(0, Math.max(1, most - 1))}…` : text;
}
