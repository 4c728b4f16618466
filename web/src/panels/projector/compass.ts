/** Which way the axes of a layout point. */

import { axes, type Camera } from "./camera";
import type { Stroke } from "./strokes";

const ARM = 22;
const LETTER_AT = 31;
const [LETTER_WIDTH, LETTER_HEIGHT] = [3, 4];

/** Strokes around the middle of a letter, in parts of half its size. */
const LETTERS: readonly (readonly Stroke[])[] = [
  [
    [-1, -1, 1, 1],
    [-1, 1, 1, -1],
  ],
  [
    [-1, 1, 0, 0],
    [1, 1, 0, 0],
    [0, 0, 0, -1],
  ],
  [
    [-1, 1, 1, 1],
    [1, 1, -1, -1],
    [-1, -1, 1, -1],
  ],
];

/** An arm and a letter for each axis, around a place given in the same pixels: X, Y and Z are letters of straight strokes. */
export function compass(camera: Camera, x: number, y: number, scale: number): Stroke[] {
  const [right, up] = axes(camera);
  return LETTERS.flatMap((letter, i): Stroke[] => {
    const at = (far: number) => [x + far * scale * right[i], y + far * scale * up[i]];
    const [[endX, endY], [middleX, middleY]] = [at(ARM), at(LETTER_AT)];
    const [wide, high] = [LETTER_WIDTH * scale, LETTER_HEIGHT * scale];
    const strokes = letter.map(
      ([x1, y1, x2, y2]): Stroke => [
        middleX + x1 * wide,
        middleY + y1 * high,
        middleX + x2 * wide,
        middleY + y2 * high,
      ],
    );
    return [[x, y, endX, endY], ...strokes];
  });
}
