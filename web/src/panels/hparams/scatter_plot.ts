/** A matrix of scatter plots on canvases: a column an hparam, a row a metric, a dot a session. */

import { BrushPlot, type Hover, type Sessions, type Steps } from "./brush_plot";
import type { Span } from "./brushes";
import { batches, FONT, merged } from "./canvas";
import type { PlotAxis } from "./parallel_plot";

export interface Matrix extends Sessions {
  /** Hparams, from left to right. */
  xs: readonly (PlotAxis & { title: string })[];
  /** Metrics, from top to bottom. */
  ys: readonly (PlotAxis & { title: string })[];
}

export interface MatrixEvents {
  preview: (x: string, y: string, spans: readonly [Span, Span]) => Uint8Array;
  brush: (x: string, y: string, spans: readonly [Span, Span] | null) => void;
  hover: Hover;
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

export class ScatterPlot extends BrushPlot<Matrix, Drag> {
  constructor(
    host: HTMLElement,
    private readonly events: MatrixEvents,
  ) {
    super(host, events.hover);
  }

  protected hasBackOf(): boolean {
    return false;
  }

  private cell(column: number, row: number): Cell {
    return cellAt(this.plot!, column, row, this.width, this.height);
  }

  private *cells(): Generator<{ column: number; row: number; cell: Cell }> {
    const { xs, ys } = this.plot!;
    for (let row = 0; row < ys.length; row++)
      for (let column = 0; column < xs.length; column++) yield { column, row, cell: this.cell(column, row) };
  }

  private dots(
    context: CanvasRenderingContext2D,
    place: { column: number; row: number; cell: Cell },
    rows: readonly number[],
    size: number,
  ): void {
    const { xs, ys } = this.plot!;
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

  protected backSteps(): Steps {
    return this.joined(this.faintDots());
  }

  /** The dots of as many cells at once as can be drawn in one step. */
  private joined(steps: Steps): Steps {
    return merged(steps, Math.floor(DOTS_A_STEP / Math.max(1, this.plot!.rows.length)));
  }

  private *faintDots(): Steps {
    const { ink, rows } = this.plot!;
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
    const { xs, ys, ink } = this.plot!;
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

  protected frontSteps(passes: Uint8Array): Steps {
    return this.joined(this.coloredDots(passes));
  }

  private *coloredDots(passes: Uint8Array): Steps {
    const { rows, colors, shadeOf, ink } = this.plot!;
    const passing = rows.filter((row) => passes[row]);
    for (const place of this.cells()) {
      for (const some of batches(passing, shadeOf, colors.length, DOTS_A_STEP)) {
        yield (context) => {
          context.globalAlpha = 0.75;
          for (const { shade, rows: these } of some) {
            context.fillStyle = shade < 0 ? ink.text : colors[shade];
            this.dots(context, place, these, 2.6);
          }
          context.globalAlpha = 1;
        };
      }
    }
  }

  protected *overSteps(): Steps {
    const { xs, ys, ink } = this.plot!;
    yield (context) => {
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
    };
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

  /** Where in a cell a place is, from its lower left; the edge where it is outside. */
  private unitsAt({ left, top, width, height }: Cell, x: number, y: number): [number, number] {
    const across = (x - left - INSET) / (width - 2 * INSET);
    const up = (top + height - INSET - y) / (height - 2 * INSET);
    return [limited(across), limited(up)];
  }

  private cellUnder(x: number, y: number): { column: number; row: number; cell: Cell } | null {
    for (const place of this.cells()) if (isIn(place.cell, x, y)) return place;
    return null;
  }

  protected begin(x: number, y: number): Drag | null {
    const found = this.cellUnder(x, y);
    if (!found) return null;
    return { column: found.column, row: found.row, from: this.unitsAt(found.cell, x, y), spans: null };
  }

  protected pull(drag: Drag, x: number, y: number): boolean {
    const [across, up] = this.unitsAt(this.cell(drag.column, drag.row), x, y);
    const [fromX, fromY] = drag.from;
    if (!drag.spans && Math.hypot(across - fromX, up - fromY) < 0.02) return false;
    drag.spans = [
      [Math.min(across, fromX), Math.max(across, fromX)],
      [Math.min(up, fromY), Math.max(up, fromY)],
    ];
    return true;
  }

  protected preview({ column, row, spans }: Drag): Uint8Array {
    const { xs, ys } = this.plot!;
    return this.events.preview(xs[column].key, ys[row].key, spans!);
  }

  protected finish({ column, row, spans }: Drag): void {
    const { xs, ys } = this.plot!;
    this.events.brush(xs[column].key, ys[row].key, spans);
  }

  protected nearest(x: number, y: number): number | null {
    const under = this.cellUnder(x, y);
    if (!under) return null;
    const { xs, ys, rows, passes } = this.plot!;
    const [across, up] = [xs[under.column].units, ys[under.row].units];
    let [best, least] = [null as number | null, REACH];
    for (const row of rows) {
      if (!passes[row]) continue;
      const [dotX, dotY] = dotAt(under.cell, across[row], up[row]);
      const distance = Math.hypot(dotX - x, dotY - y);
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

/** Those of the marks of an axis that stand apart: where `most` of them have room side by side. */
export function spaced<T extends { at: number }>(all: readonly T[], most: number): T[] {
  const kept: T[] = [];
  for (const tick of [...all].sort((a, b) => a.at - b.at)) {
    const last = kept[kept.length - 1];
    if (!last || tick.at - last.at >= 1 / Math.max(1, most)) kept.push(tick);
  }
  return kept;
}

export function shortened(text: string, most: number): string {
  return text.length > most ? `${text.slice(0, Math.max(1, most - 1))}…` : text;
}
