/** The strip above the timeline: how busy all of the time was, and which part of it is in view. */

import { moved } from "./layout";
import { busyness, type Timeline } from "./timeline";
import type { Span } from "./trace_painter";

export class Minimap {
  private readonly canvas = document.createElement("canvas");
  private busy: Float32Array = new Float32Array(0);
  private timeline: Timeline | null = null;
  private whole: Span = { begin: 0, end: 1 };
  private window: Span = { begin: 0, end: 1 };
  private frame = 0;
  private readonly observer: ResizeObserver;

  constructor(
    private readonly host: HTMLElement,
    private colors: { bar: string; view: string },
    private readonly move: (window: Span) => void,
  ) {
    this.canvas.setAttribute("aria-hidden", "true");
    host.append(this.canvas);
    this.observer = new ResizeObserver(() => this.resize());
    this.observer.observe(host);
    host.addEventListener("pointerdown", this.onPointer);
    host.addEventListener("pointermove", this.onPointer);
  }

  destroy(): void {
    cancelAnimationFrame(this.frame);
    this.observer.disconnect();
    this.host.removeEventListener("pointerdown", this.onPointer);
    this.host.removeEventListener("pointermove", this.onPointer);
    this.canvas.remove();
  }

  /** The events of the whole time; those of a part of it leave the strip as it is. */
  setTimeline(timeline: Timeline, whole: Span): void {
    this.timeline = timeline;
    this.whole = whole;
    this.resize();
  }

  setWindow(window: Span): void {
    this.window = window;
    this.draw();
  }

  setColors(colors: { bar: string; view: string }): void {
    this.colors = colors;
    this.draw();
  }

  private readonly onPointer = (event: PointerEvent): void => {
    if (event.type === "pointerdown") this.host.setPointerCapture(event.pointerId);
    else if (!this.host.hasPointerCapture(event.pointerId)) return;
    const box = this.host.getBoundingClientRect();
    const span = this.whole.end - this.whole.begin;
    const at = this.whole.begin + ((event.clientX - box.left) / box.width) * span;
    const half = (this.window.end - this.window.begin) / 2;
    this.move(moved({ begin: at - half, end: at + half }, this.whole, 0));
  };

  private resize(): void {
    const width = Math.max(1, this.host.clientWidth);
    const ratio = devicePixelRatio || 1;
    this.canvas.width = width * ratio;
    this.canvas.height = Math.max(1, this.host.clientHeight) * ratio;
    if (this.timeline) this.busy = busyness(this.timeline, width);
    this.draw();
  }

  private draw(): void {
    this.frame ||= requestAnimationFrame(() => {
      this.frame = 0;
      this.paint();
    });
  }

  private paint(): void {
    const context = this.canvas.getContext("2d")!;
    const { width, height } = this.canvas;
    context.clearRect(0, 0, width, height);
    context.fillStyle = this.colors.bar;
    const part = width / Math.max(1, this.busy.length);
    this.busy.forEach((value, i) => {
      if (value > 0) context.fillRect(i * part, height * (1 - value), part, height * value);
    });
    const scale = width / (this.whole.end - this.whole.begin);
    const left = (this.window.begin - this.whole.begin) * scale;
    const wide = Math.max((this.window.end - this.window.begin) * scale, 3);
    context.fillStyle = this.colors.view;
    context.globalAlpha = 0.18;
    context.fillRect(left, 0, wide, height);
    context.globalAlpha = 1;
    context.strokeStyle = this.colors.view;
    context.lineWidth = 2;
    context.strokeRect(left + 1, 1, Math.max(wide - 2, 1), height - 2);
  }
}
