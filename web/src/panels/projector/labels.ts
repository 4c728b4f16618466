/** Labels over the points: which are written, and where they do not hide each other. */

import type { Screen } from "./camera";

export interface Label {
  text: string;
  x: number;
  y: number;
  isStrong: boolean;
}

const MOST_LABELS = 150;
const MOST_LETTERS = 40;
const HEIGHT = 15;
const LETTER = 6.5;

/** Those of the given points that find room, the first first. */
export function placed(
  indices: Iterable<number>,
  screen: Screen,
  width: number,
  height: number,
  textOf: (index: number) => string,
  isStrong: (index: number) => boolean,
): Label[] {
  const labels: Label[] = [];
  const taken = new Set<string>();
  for (const index of indices) {
    if (labels.length >= MOST_LABELS) break;
    const [x, y] = [screen.x[index], screen.y[index]];
    if (!(x >= 0 && x < width && y >= 0 && y < height)) continue;
    const text = shortened(textOf(index));
    if (!text.trim()) continue;
    const cells = covered(x, y, text.length);
    if (cells.some((cell) => taken.has(cell))) continue;
    for (const cell of cells) taken.add(cell);
    labels.push({ text, x, y, isStrong: isStrong(index) });
  }
  return labels;
}

/** The cells of a coarse grid that a text beside a point covers. */
function covered(x: number, y: number, letters: number): string[] {
  const row = Math.floor(y / HEIGHT);
  const found = [];
  for (let at = x; at <= x + letters * LETTER + 8; at += 12) found.push(`${row},${Math.floor(at / 12)}`);
  return found;
}

export function shortened(text: string): string {
  return text.length > MOST_LETTERS ? `${text.slice(0, MOST_LETTERS - 1)}…` : text;
}

/** The names of axes of the user's own, at the edges: left, right, down, up. */
export function edgeLabels(ends: readonly string[], width: number, height: number): Label[] {
  const [left, right, down, up] = ends.map(shortened);
  const at = (text: string, x: number, y: number) => ({ text, x, y, isStrong: true });
  const half = (text: string) => (text.length * LETTER) / 2 + 7;
  return [
    at(`← ${left}`, 8, height / 2),
    at(`${right} →`, width - right.length * LETTER - 40, height / 2),
    at(`↓ ${down}`, width / 2 - half(down), height - 40),
    at(`↑ ${up}`, width / 2 - half(up), 52),
  ];
}

/** The middle of the points of each group, by medians, which outliers do not move. */
export function middles(
  groups: ReadonlyMap<number, readonly number[]>,
  places: Float32Array,
): Map<number, [number, number, number]> {
  const found = new Map<number, [number, number, number]>();
  for (const [group, indices] of groups) {
    const median = (axis: number) => {
      const values = indices.map((i) => places[3 * i + axis]).filter((value) => !Number.isNaN(value));
      return values.sort((a, b) => a - b)[values.length >> 1] ?? Number.NaN;
    };
    found.set(group, [median(0), median(1), median(2)]);
  }
  return found;
}

export function draw(
  context: CanvasRenderingContext2D,
  labels: readonly Label[],
  ink: string,
  halo: string,
): void {
  context.lineJoin = "round";
  context.textBaseline = "middle";
  for (const { text, x, y, isStrong } of labels) {
    context.font = `${isStrong ? 600 : 400} 12px system-ui, sans-serif`;
    context.strokeStyle = halo;
    context.lineWidth = 3.5;
    context.strokeText(text, x + 7, y);
    context.fillStyle = ink;
    context.fillText(text, x + 7, y);
  }
}
