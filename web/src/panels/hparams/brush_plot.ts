/** A plot of sessions on canvases that lie over each other: what pointing at one and brushing some do in all of its kinds. */

import { type Ink, Layer } from "./canvas";

/** What every kind of plot draws: sessions, those that pass in their colours. */
export interface Sessions {
  rows: readonly number[];
  passes: Uint8Array;
  colors: readonly string[];
  shadeOf: Int16Array;
  ink: Ink;
}

/** The session under the pointer, null for none, and where the pointer is on the page. */
export type Hover = (row: number | null, left: number, top: number) => void;

export type Steps = Iterable<(context: CanvasRenderingContext2D) => void>;

/** `Plot` is what is drawn, `Drag` what a brush being drawn knows. */
export abstract class BrushPlot<Plot extends Sessions, Drag> {
  /** All sessions, faintly: they stay as they are while some are brushed. */
  protected readonly back: Layer;
  /** Those that pass. */
  protected readonly front: Layer;
  /** Brushes and the session pointed at. */
  protected readonly over: Layer;
  protected plot: Plot | null = null;
  protected width = 0;
  protected height = 0;
  protected drag: Drag | null = null;
  protected hovered: number | null = null;
  private frame = 0;

  constructor(
    protected readonly host: HTMLElement,
    private readonly hover: Hover,
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

  show(plot: Plot, width: number, height: number): void {
    const before = this.plot;
    const isSameSize = this.width === width && this.height === height;
    this.plot = plot;
    [this.width, this.height] = [width, height];
    for (const layer of [this.back, this.front, this.over]) layer.resize(width, height);
    if (!before || !isSameSize || !this.hasBackOf(before, plot)) this.back.draw(this.backSteps());
    this.front.draw(this.frontSteps(plot.passes));
    this.over.draw(this.overSteps());
  }

  /** Makes one session stand out. */
  highlight(row: number | null): void {
    if (row === this.hovered) return;
    this.hovered = row;
    if (this.plot) this.over.draw(this.overSteps());
  }

  /** Whether the back of a plot looks like that of the one before it. */
  protected abstract hasBackOf(before: Plot, plot: Plot): boolean;
  protected abstract backSteps(): Steps;
  protected abstract frontSteps(passes: Uint8Array): Steps;
  protected abstract overSteps(): Steps;
  /** What a press at this place begins to brush, null for nothing. */
  protected abstract begin(x: number, y: number): Drag | null;
  /** Takes the brush on to this place; false while it is no more than a click. */
  protected abstract pull(drag: Drag, x: number, y: number): boolean;
  /** Which sessions would pass if the brush stayed as it is. */
  protected abstract preview(drag: Drag): Uint8Array;
  protected abstract finish(drag: Drag): void;
  /** The session at a place, null for none. */
  protected abstract nearest(x: number, y: number): number | null;

  private at(event: PointerEvent): [x: number, y: number] {
    const box = this.host.getBoundingClientRect();
    return [event.clientX - box.left, event.clientY - box.top];
  }

  private readonly press = (event: PointerEvent) => {
    if (!this.plot || event.button !== 0) return;
    this.drag = this.begin(...this.at(event));
    if (!this.drag) return;
    this.host.setPointerCapture(event.pointerId);
    this.hover(null, 0, 0);
    event.preventDefault();
  };

  private readonly pass = (event: PointerEvent) => {
    if (!this.plot) return;
    if (!this.drag) {
      const row = this.nearest(...this.at(event));
      this.highlight(row);
      this.hover(row, event.clientX, event.clientY);
      return;
    }
    if (!this.pull(this.drag, ...this.at(event))) return;
    cancelAnimationFrame(this.frame);
    this.frame = requestAnimationFrame(() => {
      if (!this.drag) return;
      this.front.draw(this.frontSteps(this.preview(this.drag)));
      this.over.draw(this.overSteps());
    });
  };

  private readonly release = () => {
    const done = this.drag;
    if (!done) return;
    this.drag = null;
    cancelAnimationFrame(this.frame);
    this.finish(done);
  };

  private readonly leave = () => {
    if (this.drag) return;
    this.highlight(null);
    this.hover(null, 0, 0);
  };
}
