/**
 * Draws points with the processor, as `points.ts` draws them: for browsers in which WebGL, too, is drawn by the
 * processor. There every point is set up like a triangle, and a frame is read back from where it was drawn; this is
 * several times faster, so that all points are there while the view turns.
 */

import type { Look } from "./points";
import type { Stroke } from "./strokes";

export interface Cloud {
  places: Float32Array;
  /** Four bytes a point. */
  colors: Uint8Array;
  /** A byte a point: 0 plain, 1 lit up, 2 pale, 3 not there. */
  states: Uint8Array;
}

export interface Paper {
  pixels: Uint32Array;
  /** How far away what is drawn there is. */
  depths: Float32Array;
  width: number;
  height: number;
}

type Ink = readonly [red: number, green: number, blue: number];

export class Sketch {
  private readonly pen: CanvasRenderingContext2D;
  private image: ImageData | null = null;
  private depths = new Float32Array(0);

  constructor(private readonly canvas: HTMLCanvasElement) {
    this.pen = canvas.getContext("2d", { alpha: false })!;
  }

  /** Draws the first so many of the points in an order, and strokes above them; gives how many points. */
  draw(
    cloud: Cloud,
    look: Look,
    [width, height]: readonly [number, number],
    most: number,
    order: Uint32Array,
    strokes: readonly Stroke[],
    ink: Ink,
  ): number {
    if (this.image?.width !== width || this.image.height !== height) {
      this.canvas.width = width;
      this.canvas.height = height;
      this.image = this.pen.createImageData(width, height);
      this.depths = new Float32Array(width * height);
    }
    const pixels = new Uint32Array(this.image.data.buffer);
    const paper = { pixels, depths: this.depths, width, height };
    const drawn = sketch(paper, cloud, look, most, order);
    // Not with the canvas's own pen: all of it would be drawn once more.
    for (const stroke of strokes) scratch(paper, stroke, ink);
    this.pen.putImageData(this.image, 0, 0);
    return drawn;
  }
}

/** A line, in pixels from the lower left. */
export function scratch(paper: Paper, [x1, y1, x2, y2]: Stroke, ink: Ink): void {
  const color = packed(255 * ink[0], 255 * ink[1], 255 * ink[2]);
  const steps = Math.ceil(Math.max(Math.abs(x2 - x1), Math.abs(y2 - y1), 1));
  for (let i = 0; i <= steps; i++) {
    const x = Math.floor(x1 + ((x2 - x1) * i) / steps);
    const y = paper.height - 1 - Math.floor(y1 + ((y2 - y1) * i) / steps);
    if (x >= 0 && x < paper.width && y >= 0 && y < paper.height) paper.pixels[y * paper.width + x] = color;
  }
}

export function sketch(paper: Paper, cloud: Cloud, look: Look, most: number, order: Uint32Array): number {
  const { pixels, depths, width, height } = paper;
  const { places, colors, states } = cloud;
  const { matrix: m, is3d, away, size, litScale } = look;
  const [groundRed, groundGreen, groundBlue] = look.ground.map((part) => 255 * part);
  pixels.fill(packed(groundRed, groundGreen, groundBlue));
  depths.fill(Number.POSITIVE_INFINITY);
  const count = Math.min(places.length / 3, colors.length / 4, states.length);
  const drawn = Math.min(count, most);
  for (let k = 0; k < drawn; k++) {
    const i = drawn < count ? order[k] : k;
    const state = states[i];
    if (state > 2) continue;
    const x = places[3 * i];
    const y = places[3 * i + 1];
    const z = places[3 * i + 2];
    const w = m[3] * x + m[7] * y + m[11] * z + m[15];
    if (!(w > 0)) continue;
    const isLit = state === 1;
    let strength = state === 2 ? 0.22 : 1;
    let near = 1;
    if (is3d) {
      near = Math.min(6, Math.max(0.4, away / w));
      strength *= 1 - (isLit ? 0.3 : 1) * Math.min(0.6, Math.max(0, (w / away - 0.72) / 0.62));
    }
    const wide = size * near * (isLit ? 1 + litScale : state === 2 ? 0.8 : 1);
    const spans = spansOf(Math.max(2, Math.round(wide)));
    const side = spans.length / 4;
    const left = Math.round(((m[0] * x + m[4] * y + m[8] * z + m[12]) / w + 1) * (width / 2) - side / 2);
    const top = Math.round((1 - (m[1] * x + m[5] * y + m[9] * z + m[13]) / w) * (height / 2) - side / 2);
    if (left >= width || top >= height || left + side <= 0 || top + side <= 0) continue;
    const red = colors[4 * i] - groundRed;
    const green = colors[4 * i + 1] - groundGreen;
    const blue = colors[4 * i + 2] - groundBlue;
    const mixed = (part: number) =>
      packed(groundRed + part * red, groundGreen + part * green, groundBlue + part * blue);
    const core = mixed(strength);
    const rim = mixed(0.68 * strength);
    // What is lit up is in front of what is not.
    const depth = isLit ? w * 1e-3 : w;
    for (let row = Math.max(0, -top), end = Math.min(side, height - top); row < end; row++) {
      const line = (top + row) * width + left;
      const coreFrom = line + spans[4 * row + 2];
      const coreTo = line + spans[4 * row + 3];
      const to = Math.min(line + spans[4 * row + 1], (top + row + 1) * width);
      for (let at = Math.max(line + spans[4 * row], (top + row) * width); at < to; at++) {
        if (depths[at] < depth) continue;
        depths[at] = depth;
        pixels[at] = at >= coreFrom && at < coreTo ? core : rim;
      }
    }
  }
  return drawn;
}

const discs = new Map<number, Int16Array>();

/** A disc so many pixels wide, four numbers a row: where it and its core begin and end. */
function spansOf(side: number): Int16Array {
  let spans = discs.get(side);
  if (!spans) {
    spans = new Int16Array(4 * side);
    for (let row = 0; row < side; row++) {
      const up = (row + 0.5) / side - 0.5;
      [0.25, 0.15].forEach((limit, which) => {
        const half = Math.sqrt(Math.max(0, limit - up * up)) * side;
        spans!.set([Math.round(side / 2 - half), Math.round(side / 2 + half)], 4 * row + 2 * which);
      });
    }
    discs.set(side, spans);
  }
  return spans;
}

/** A colour as a canvas keeps it, on a machine that has the low byte first, as all with a browser have. */
function packed(red: number, green: number, blue: number): number {
  return (0xff000000 | (Math.round(blue) << 16) | (Math.round(green) << 8) | Math.round(red)) >>> 0;
}
