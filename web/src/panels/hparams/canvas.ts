/** Canvases that lie over each other, and drawing on them a little at a time. */

import { theme, themeColor } from "../../state/appearance";

export interface Ink {
  text: string;
  grid: string;
  faint: string;
  accent: string;
  background: string;
}

export function themeInk(): Ink {
  return {
    text: themeColor("--text-2"),
    grid: themeColor("--line-strong"),
    faint: theme.value === "dark" ? "#333b47" : "#dde1e7",
    accent: themeColor("--accent"),
    background: themeColor("--bg"),
  };
}

export const FONT = '11px system-ui, -apple-system, "Segoe UI", Roboto, "Liberation Sans", sans-serif';

/** What a canvas does in one frame. Without a GPU its strokes are made when the frame ends, so time alone says little. */
const STEPS_A_FRAME = 8;
const BUDGET_MS = 9;

type Step = (context: CanvasRenderingContext2D) => void;

/** One canvas. What is asked for while it draws waits until that is done; of several the last. */
export class Layer {
  readonly canvas = document.createElement("canvas");
  private readonly context = this.canvas.getContext("2d")!;
  private waiting: Iterable<Step> | null = null;
  private frame = 0;
  private width = 0;
  private height = 0;

  constructor(host: HTMLElement) {
    this.canvas.className = "hp-layer";
    this.canvas.setAttribute("aria-hidden", "true");
    host.append(this.canvas);
  }

  resize(width: number, height: number): void {
    const scale = devicePixelRatio || 1;
    if (this.width === width && this.height === height && this.canvas.width === Math.round(width * scale))
      return;
    [this.width, this.height] = [width, height];
    this.canvas.width = Math.round(width * scale);
    this.canvas.height = Math.round(height * scale);
    this.canvas.style.width = `${width}px`;
    this.canvas.style.height = `${height}px`;
  }

  /** Clears the canvas and does these things on it, a few in a frame. */
  draw(steps: Iterable<Step>): void {
    this.waiting = steps;
    if (this.frame === 0) this.begin();
  }

  destroy(): void {
    cancelAnimationFrame(this.frame);
    this.canvas.remove();
  }

  private begin(): void {
    const steps = this.waiting![Symbol.iterator]();
    this.waiting = null;
    const scale = devicePixelRatio || 1;
    this.context.setTransform(scale, 0, 0, scale, 0, 0);
    this.context.clearRect(0, 0, this.width, this.height);
    delete this.canvas.dataset.isDrawn;
    const go = () => {
      this.frame = 0;
      const end = performance.now() + BUDGET_MS;
      for (let i = 0; i < STEPS_A_FRAME && performance.now() < end; i++) {
        const next = steps.next();
        if (!next.done) next.value(this.context);
        else if (this.waiting) return this.begin();
        else {
          this.canvas.dataset.isDrawn = "yes";
          return;
        }
      }
      this.frame = requestAnimationFrame(go);
    };
    go();
  }
}

/** The same steps, so many of them as one: where each has little to draw. */
export function* merged(steps: Iterable<Step>, count: number): Generator<Step> {
  let held: Step[] = [];
  const all = (these: readonly Step[]) => (context: CanvasRenderingContext2D) => {
    for (const step of these) step(context);
  };
  for (const step of steps) {
    held.push(step);
    if (held.length < count) continue;
    yield all(held);
    held = [];
  }
  if (held.length > 0) yield all(held);
}

interface Batch {
  shade: number;
  rows: number[];
}

/** Rows by their shade, those without one first; a few at a time: what is drawn in one step. */
export function* batches(
  rows: readonly number[],
  shadeOf: Int16Array,
  count: number,
  size: number,
): Generator<Batch[]> {
  let held: Batch[] = [];
  let length = 0;
  for (const batch of byShade(rows, shadeOf, count, size)) {
    held.push(batch);
    length += batch.rows.length;
    if (length < size) continue;
    yield held;
    held = [];
    length = 0;
  }
  if (length > 0) yield held;
}

function* byShade(
  rows: readonly number[],
  shadeOf: Int16Array,
  count: number,
  size: number,
): Generator<Batch> {
  const by: number[][] = Array.from({ length: count + 1 }, () => []);
  for (const row of rows) by[shadeOf[row] + 1]?.push(row);
  for (let shade = 0; shade <= count; shade++) {
    for (let at = 0; at < by[shade].length; at += size)
      yield { shade: shade - 1, rows: by[shade].slice(at, at + size) };
  }
}
