/** The cells of a confusion matrix as a picture of one pixel each. Right is blue, wrong is orange; weak cells are kept visible. */

import type { Colors, Scene } from "./drawing";
import type { Matrix } from "./matrix";

type Rgb = readonly [red: number, green: number, blue: number];
type Part = readonly [first: number, end: number];

/** A larger picture of all cells is not kept. */
const LARGEST = 2048;

/** A root, so that one in a hundred is seen; what is not 0 is never lost. */
function shade(weight: number): number {
  return weight > 0 ? 0.08 + 0.92 * Math.sqrt(Math.min(1, weight)) : 0;
}

const channels = new Map<string, Rgb>();

/** Red, green and blue of a colour written as #rrggbb or #rgb. */
export function rgb(color: string): Rgb {
  let found = channels.get(color);
  if (!found) {
    const digits = color.length === 4 ? color.replace(/[^#]/g, "$&$&") : color;
    const part = (at: number) => Number.parseInt(digits.slice(at, at + 2), 16);
    found = [part(1), part(3), part(5)];
    channels.set(color, found);
  }
  return found;
}

/** The colour of a cell of this weight. */
export function cellColor(colors: Colors, isRight: boolean, weight: number): Rgb {
  const [paper, ink] = [rgb(colors.background), rgb(isRight ? colors.right : colors.wrong)];
  const strength = shade(weight);
  const mixed = (k: 0 | 1 | 2) => Math.round(paper[k] + (ink[k] - paper[k]) * strength);
  return [mixed(0), mixed(1), mixed(2)];
}

/** The part of the matrix in view, enlarged or, where there are more cells than pixels, the strongest of those that share one. */
export function drawCells(context: CanvasRenderingContext2D, scene: Scene, rows: Part, columns: Part): void {
  const { left, top, side, cell, window } = scene.layout;
  const [high, wide] = [rows[1] - rows[0], columns[1] - columns[0]];
  if (high <= 0 || wide <= 0) return;
  const most = Math.ceil(side * devicePixelRatio);
  const isKept = Math.max(high, wide) <= most && scene.matrix.size <= LARGEST;
  const [height, width] = [Math.min(high, most), Math.min(wide, most)];
  const picture = isKept ? wholePicture(scene) : painted(scene, rows, columns, width, height);
  context.save();
  context.beginPath();
  context.rect(left, top, side, side);
  context.clip();
  context.imageSmoothingEnabled = false;
  context.drawImage(
    picture,
    isKept ? columns[0] : 0,
    isKept ? rows[0] : 0,
    width,
    height,
    left + (columns[0] - window.x) * cell,
    top + (rows[0] - window.y) * cell,
    wide * cell,
    high * cell,
  );
  context.restore();
}

interface Kept {
  look: string;
  order: Uint32Array;
  picture: OffscreenCanvas;
}

const kept = new WeakMap<Matrix, Kept>();

/** All cells: painted once, whatever part of them is looked at next. */
function wholePicture(scene: Scene): OffscreenCanvas {
  const { matrix, order, mode, colors } = scene;
  const look = [mode, colors.background, colors.right, colors.wrong].join();
  const known = kept.get(matrix);
  if (known?.look === look && known.order === order) return known.picture;
  const all: Part = [0, matrix.size];
  const picture = painted(scene, all, all, matrix.size, matrix.size);
  kept.set(matrix, { look, order, picture });
  return picture;
}

const SHADES = 255;

function painted(scene: Scene, rows: Part, columns: Part, width: number, height: number): OffscreenCanvas {
  const { matrix, order, mode, colors } = scene;
  const [high, wide] = [rows[1] - rows[0], columns[1] - columns[0]];
  const weights = new Float32Array(width * height);
  const isRight = new Uint8Array(width * height);
  for (let i = 0; i < high; i++) {
    const row = order[rows[0] + i];
    const line = Math.floor((i * height) / high) * width;
    for (let j = 0; j < wide; j++) {
      const column = order[columns[0] + j];
      const count = matrix.counts[row * matrix.size + column];
      if (count === 0) continue;
      const whole =
        mode === "counts" ? matrix.most : mode === "row" ? matrix.support[row] : matrix.predicted[column];
      const weight = count / whole;
      const place = line + Math.floor((j * width) / wide);
      // Where pixels are shared, an error is not hidden behind what is right.
      const isBetter = isRight[place] === Number(row === column) ? weight > weights[place] : row !== column;
      if (weights[place] > 0 && !isBetter) continue;
      weights[place] = weight;
      isRight[place] = Number(row === column);
    }
  }
  const picture = new OffscreenCanvas(width, height);
  const pen = picture.getContext("2d")!;
  const image = pen.createImageData(width, height);
  const pixels = new Uint32Array(image.data.buffer);
  const inks = [false, true].map((right) => shadesOf(colors, right));
  for (let i = 0; i < weights.length; i++) {
    const strength = Math.min(1, weights[i]);
    // By its root: small shares differ as much as large ones.
    pixels[i] = inks[isRight[i]][strength > 0 ? Math.max(1, Math.round(SHADES * Math.sqrt(strength))) : 0];
  }
  pen.putImageData(image, 0, 0);
  return picture;
}

/** Pixels by the root of a weight, from nothing to all. */
function shadesOf(colors: Colors, isRight: boolean): Uint32Array {
  const bytes = new Uint8ClampedArray(4 * (SHADES + 1));
  for (let i = 0; i <= SHADES; i++) bytes.set([...cellColor(colors, isRight, (i / SHADES) ** 2), 255], 4 * i);
  return new Uint32Array(bytes.buffer);
}
