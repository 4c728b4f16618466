/** Draws a confusion matrix: cells, numbers, names, captions. */

import { formatCount } from "../../chart/format";
import { fittedName } from "../../chart/names";
import { cellColor, drawCells, rgb } from "./cells";
import type { Matrix, Mode } from "./matrix";

/** The part shown: the first column and row, and how many of each. */
export interface Window {
  x: number;
  y: number;
  span: number;
}

export interface Colors {
  background: string;
  text: string;
  faint: string;
  line: string;
  right: string;
  wrong: string;
}

export interface Layout {
  left: number;
  top: number;
  /** Of the square that the cells fill. */
  side: number;
  /** Of one cell. */
  cell: number;
  /** Whether all names fit above their columns; otherwise they are turned. */
  isUpright: boolean;
  window: Window;
}

export interface Scene {
  matrix: Matrix;
  order: Uint32Array;
  mode: Mode;
  layout: Layout;
  colors: Colors;
  captions: { row: string; column: string };
}

type Context = CanvasRenderingContext2D;

const FAMILY = 'system-ui, -apple-system, "Segoe UI", Roboto, "Liberation Sans", sans-serif';
const CAPTION = 16;
const GAP = 5;
const LONGEST = 120;
const LETTERS = 11;
const LEAST_GRID = 7;
const LEAST_NUMBER = 18;

function font(size: number, isBold = false): string {
  return `${isBold ? 600 : 400} ${size}px ${FAMILY}`;
}

/** Where things are on a canvas of this size. */
export function layoutOf(
  context: Context,
  matrix: Matrix,
  window: Window,
  width: number,
  height: number,
): Layout {
  context.font = font(LETTERS);
  const most = Math.min(LONGEST, Math.floor(Math.min(width, height) * 0.28));
  let longest = 8;
  for (const name of matrix.names) {
    if (longest >= most) break;
    longest = Math.max(longest, Math.ceil(context.measureText(name.slice(0, 40)).width));
  }
  const margin = Math.min(longest, most) + GAP + CAPTION;
  const side = Math.max(16, Math.min(width, height) - margin - 2);
  const cell = side / window.span;
  return { left: margin, top: margin, side, cell, isUpright: longest < cell - GAP, window };
}

/** The cell at a place of the canvas, in the order shown; null outside. */
export function cellAt({ left, top, side, cell, window }: Layout, x: number, y: number) {
  if (x < left || y < top || x >= left + side || y >= top + side) return null;
  return {
    column: Math.floor(window.x + (x - left) / cell),
    row: Math.floor(window.y + (y - top) / cell),
  };
}

export function drawMatrix(context: Context, scene: Scene): void {
  const { left, top, side } = scene.layout;
  const { window } = scene.layout;
  drawCells(
    context,
    scene,
    shown(window.y, window.span, scene.matrix.size),
    shown(window.x, window.span, scene.matrix.size),
  );
  if (scene.layout.cell >= LEAST_GRID) drawGrid(context, scene);
  context.strokeStyle = scene.colors.line;
  context.lineWidth = 1;
  context.strokeRect(left - 0.5, top - 0.5, side + 1, side + 1);
  if (scene.layout.cell >= LEAST_NUMBER) drawNumbers(context, scene);
  drawNames(context, scene);
  drawCaptions(context, scene);
}

/** The first and the last row or column that is shown, at least in part. */
function shown(from: number, span: number, size: number): [first: number, end: number] {
  return [Math.max(0, Math.floor(from)), Math.min(size, Math.ceil(from + span - 1e-9))];
}

function drawGrid(context: Context, { matrix, layout, colors }: Scene): void {
  const { left, top, side, cell, window } = layout;
  context.beginPath();
  for (const [from, start, isColumn] of [
    [window.x, left, true],
    [window.y, top, false],
  ] as const) {
    const [first, end] = shown(from, window.span, matrix.size);
    for (let i = first; i <= end; i++) {
      const at = Math.round(start + (i - from) * cell) + 0.5;
      if (at < start || at > start + side + 1) continue;
      if (isColumn) {
        context.moveTo(at, top);
        context.lineTo(at, top + side);
      } else {
        context.moveTo(left, at);
        context.lineTo(left + side, at);
      }
    }
  }
  context.strokeStyle = colors.line;
  context.lineWidth = 1;
  context.stroke();
}

/** A count in few letters: 999, 12k, 2.5M. */
export function shortCount(count: number): string {
  if (!Number.isInteger(count)) return count < 100 ? count.toPrecision(2) : shortCount(Math.round(count));
  for (const [unit, letter] of [
    [1e9, "G"],
    [1e6, "M"],
    [1e4, "k"],
  ] as const) {
    const scale = letter === "k" ? 1e3 : unit;
    if (count >= unit) return `${Number((count / scale).toPrecision(count < 9.95 * scale ? 2 : 3))}${letter}`;
  }
  return formatCount(count);
}

function drawNumbers(context: Context, { matrix, order, mode, layout, colors }: Scene): void {
  const { left, top, side, cell, window } = layout;
  const [firstRow, endRow] = shown(window.y, window.span, matrix.size);
  const [firstColumn, endColumn] = shown(window.x, window.span, matrix.size);
  context.save();
  context.beginPath();
  context.rect(left, top, side, side);
  context.clip();
  context.font = font(Math.max(9, Math.min(15, cell * 0.36)));
  context.textAlign = "center";
  context.textBaseline = "middle";
  const [paper, dark] = [rgb(colors.background), rgb(colors.text)];
  for (let i = firstRow; i < endRow; i++) {
    for (let j = firstColumn; j < endColumn; j++) {
      const pair = { row: order[i], column: order[j] };
      const count = matrix.at(pair);
      if (count === 0) continue;
      const weight = matrix.weight(pair, mode);
      const percent = weight * 100;
      const text =
        mode === "counts" ? shortCount(count) : percent < 0.95 ? percent.toFixed(1) : percent.toFixed(0);
      if (context.measureText(text).width > cell - 3) continue;
      const fill = cellColor(colors, pair.row === pair.column, weight);
      context.fillStyle = contrast(fill, dark) >= contrast(fill, paper) ? colors.text : colors.background;
      context.fillText(text, left + (j + 0.5 - window.x) * cell, top + (i + 0.5 - window.y) * cell + 0.5);
    }
  }
  context.restore();
}

function luminance(color: readonly number[]): number {
  const [r, g, b] = color.map((c) => (c / 255) ** 2.2);
  return 0.2126 * r + 0.7152 * g + 0.0722 * b;
}

function contrast(a: readonly number[], b: readonly number[]): number {
  const [x, y] = [luminance(a), luminance(b)];
  return (Math.max(x, y) + 0.05) / (Math.min(x, y) + 0.05);
}

function drawNames(context: Context, scene: Scene): void {
  const { matrix, order, layout, colors } = scene;
  const { cell, window } = layout;
  const every = Math.max(1, Math.ceil((LETTERS + 2) / cell));
  context.fillStyle = colors.text;
  const [firstRow, endRow] = shown(window.y, window.span, matrix.size);
  for (let i = Math.ceil(firstRow / every) * every; i < endRow; i += every)
    drawName(context, scene, i, false, matrix.names[order[i]]);
  const [firstColumn, endColumn] = shown(window.x, window.span, matrix.size);
  for (let i = Math.ceil(firstColumn / every) * every; i < endColumn; i += every)
    drawName(context, scene, i, true, matrix.names[order[i]]);
}

function drawName(
  context: Context,
  { layout }: Scene,
  index: number,
  isColumn: boolean,
  name: string,
  isBold = false,
): void {
  const { left, top, side, cell, isUpright, window } = layout;
  const start = isColumn ? left : top;
  const at = start + (index + 0.5 - (isColumn ? window.x : window.y)) * cell;
  if (at < start || at > start + side) return;
  const room = (isColumn ? top : left) - CAPTION - GAP;
  context.font = font(LETTERS, isBold);
  context.textBaseline = "middle";
  context.save();
  if (!isColumn) {
    context.textAlign = "right";
    context.fillText(fittedName(context, name, room), left - GAP, at + 0.5);
  } else if (isUpright) {
    context.textAlign = "center";
    context.fillText(name, at, top - GAP - LETTERS / 2);
  } else {
    context.textAlign = "left";
    context.translate(at, top - GAP);
    context.rotate(-Math.PI / 2);
    context.fillText(fittedName(context, name, room), 0, 0.5);
  }
  context.restore();
}

function drawCaptions(context: Context, { layout, colors, captions }: Scene): void {
  const { left, top, side } = layout;
  context.font = font(LETTERS);
  context.fillStyle = colors.faint;
  context.textAlign = "center";
  context.textBaseline = "middle";
  context.fillText(captions.column, left + side / 2, CAPTION / 2);
  context.save();
  context.translate(CAPTION / 2, top + side / 2);
  context.rotate(-Math.PI / 2);
  context.fillText(captions.row, 0, 0);
  context.restore();
}

/** A frame around a cell, and its names in bold over those beside them. Places are those of the order shown. */
export function drawMark(
  context: Context,
  scene: Scene,
  place: { row: number; column: number },
  color: string,
): void {
  const { matrix, order, layout, colors } = scene;
  const { left, top, side, cell, window } = layout;
  const x = left + (place.column - window.x) * cell;
  const y = top + (place.row - window.y) * cell;
  for (const isColumn of [false, true]) {
    const index = isColumn ? place.column : place.row;
    const start = isColumn ? left : top;
    const at = isColumn ? x : y;
    if (at + cell / 2 < start || at + cell / 2 > start + side) continue;
    const thick = Math.max(cell, LETTERS + 5);
    const room = (isColumn ? top : left) - CAPTION;
    context.fillStyle = colors.background;
    const from = at + cell / 2 - thick / 2;
    if (isColumn) context.fillRect(from, CAPTION, thick, room - 1);
    else context.fillRect(CAPTION, from, room - 1, thick);
    context.fillStyle = color;
    drawName(context, scene, index, isColumn, matrix.names[order[index]], true);
  }
  context.save();
  context.beginPath();
  context.rect(left - 2, top - 2, side + 4, side + 4);
  context.clip();
  context.strokeStyle = color;
  if (cell < LEAST_GRID) {
    // A cell too small to be framed is found by its lines.
    context.globalAlpha = 0.5;
    context.lineWidth = 1;
    context.strokeRect(left, y, side, cell);
    context.strokeRect(x, top, cell, side);
  }
  context.globalAlpha = 1;
  context.lineWidth = 2;
  context.strokeRect(x - 0.5, y - 0.5, Math.max(cell + 1, 4), Math.max(cell + 1, 4));
  context.restore();
}
