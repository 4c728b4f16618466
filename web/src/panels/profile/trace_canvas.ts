/**
 * The timeline on a canvas: where the view is, and what keys and pointers do. They do as in Chrome's trace viewer: W and S
 * zoom, A and D or a drag move, the wheel zooms where the pointer is.
 */

import { Fingers, wheelZoom } from "../../ui/gestures";
import { LANE, layOut, moved, type Row, rowUnder, zoomed } from "./layout";
import { placeOf, rowAt, type Timeline } from "./timeline";
import { RULER, type Scene, type Span, type TraceColors, TracePainter } from "./trace_painter";

export interface TraceListener {
  move(window: Span): void;
  select(row: number): void;
  range(range: Span | null): void;
  /** The event under the pointer, or -1. */
  hover(row: number, place: { left: number; top: number }): void;
}

const CLICK_PX = 4;
const NEAR_PX = 3;

export class TraceCanvas implements Scene {
  readonly canvas = document.createElement("canvas");
  private readonly painter = new TracePainter(this.canvas.getContext("2d", { alpha: false })!);
  timeline: Timeline | null = null;
  rows: Row[] = [];
  contentHeight = 0;
  collapsed = new Set<number>();
  private whole: Span = { begin: 0, end: 1 };
  window: Span = { begin: 0, end: 1 };
  scroll = 0;
  width = 1;
  height = 1;
  range: Span | null = null;
  selectedRow = -1;
  matches: ReadonlySet<number> | null = null;
  labelColors: string[] = [];
  private frame = 0;
  private readonly fingers: Fingers;
  private drag: {
    kind: "move" | "range" | "gutter";
    x: number;
    y: number;
    lastX: number;
    lastY: number;
    isMoved: boolean;
    at: number;
  } | null = null;
  private readonly observer: ResizeObserver;

  constructor(
    private readonly host: HTMLElement,
    public colors: TraceColors,
    private readonly listener: TraceListener,
  ) {
    this.fingers = new Fingers(host);
    host.append(this.canvas);
    this.canvas.className = "trace-canvas";
    this.canvas.setAttribute("aria-hidden", "true");
    this.observer = new ResizeObserver(() => this.resize());
    this.observer.observe(host);
    host.addEventListener("wheel", this.onWheel, { passive: false });
    host.addEventListener("pointerdown", this.onDown);
    host.addEventListener("pointermove", this.onMove);
    host.addEventListener("pointerup", this.onUp);
    host.addEventListener("pointercancel", this.onUp);
    host.addEventListener("pointerleave", this.onLeave);
    host.addEventListener("dblclick", this.onDouble);
    host.addEventListener("keydown", this.onKey);
    this.resize();
  }

  destroy(): void {
    cancelAnimationFrame(this.frame);
    this.observer.disconnect();
    this.canvas.remove();
    for (const [name, handle] of [
      ["wheel", this.onWheel],
      ["pointerdown", this.onDown],
      ["pointermove", this.onMove],
      ["pointerup", this.onUp],
      ["pointercancel", this.onUp],
      ["pointerleave", this.onLeave],
      ["dblclick", this.onDouble],
      ["keydown", this.onKey],
    ] as const)
      this.host.removeEventListener(name, handle as EventListener);
  }

  /** Other events of the same profile, or of another: where the view is stays as it is, as far as there is that. */
  setTimeline(timeline: Timeline, whole: Span): void {
    this.timeline = timeline;
    this.whole = whole;
    this.selectedRow = -1;
    this.labelColors = timeline.labels.map(({ name }) => this.colorOf(name));
    this.layOut();
  }

  setWindow(window: Span): void {
    this.window = window;
    this.draw();
  }

  setColors(colors: TraceColors): void {
    this.colors = colors;
    if (this.timeline) this.labelColors = this.timeline.labels.map(({ name }) => this.colorOf(name));
    this.draw();
  }

  setMatches(labels: ReadonlySet<number> | null): void {
    this.matches = labels;
    this.draw();
  }

  setRange(range: Span | null): void {
    this.range = range;
    this.draw();
  }

  /** Marks an event and, if `isShown`, brings it into view. */
  select(row: number, isShown = false): void {
    this.selectedRow = row;
    const timeline = this.timeline;
    if (timeline && row >= 0 && isShown) {
      const start = timeline.starts[row];
      const end = start + timeline.durations[row];
      const span = this.window.end - this.window.begin;
      if (end < this.window.begin || start > this.window.end || end - start > span) {
        const next = Math.max(Math.min(span, (end - start) * 40), (end - start) * 2, 1);
        const middle = (start + end) / 2;
        this.goTo(moved({ begin: middle - next / 2, end: middle + next / 2 }, this.whole, 0));
      }
      const place = placeOf(timeline, row);
      if (this.collapsed.delete(place.track)) this.layOut();
      const top = (this.rows.find(({ track }) => track === place.track)?.top ?? 0) + place.lane * LANE;
      if (top < this.scroll || top + LANE > this.scroll + this.height - RULER)
        this.scrollTo(top - this.height / 3);
    }
    this.draw();
  }

  private colorOf(name: string): string {
    // Names that differ in a number only (fusion.1, fusion.2) are alike.
    let hash = 7;
    for (const letter of name.replace(/[0-9]+/g, "").slice(0, 200))
      hash = (hash * 31 + letter.charCodeAt(0)) | 0;
    return this.colors.events[Math.abs(hash) % this.colors.events.length];
  }

  get gutter(): number {
    return this.width < 640 ? 96 : 176;
  }

  get plotWidth(): number {
    return Math.max(this.width - this.gutter, 1);
  }

  private timeAt(x: number): number {
    const span = this.window.end - this.window.begin;
    return this.window.begin + ((x - this.gutter) / this.plotWidth) * span;
  }

  private layOut(): void {
    if (!this.timeline) return;
    const { rows, height } = layOut(this.timeline, this.collapsed);
    this.rows = rows;
    this.contentHeight = height;
    this.scrollTo(this.scroll);
  }

  private resize(): void {
    this.width = Math.max(this.host.clientWidth, 1);
    this.height = Math.max(this.host.clientHeight, 1);
    const ratio = devicePixelRatio || 1;
    this.canvas.width = Math.round(this.width * ratio);
    this.canvas.height = Math.round(this.height * ratio);
    this.scrollTo(this.scroll);
  }

  private scrollTo(top: number): void {
    const most = Math.max(0, this.contentHeight - (this.height - RULER));
    this.scroll = Math.min(Math.max(top, 0), most);
    this.draw();
  }

  private goTo(window: Span): void {
    this.window = window;
    this.listener.move(window);
    this.draw();
  }

  // Input

  private place(event: MouseEvent): { x: number; y: number } {
    const box = this.host.getBoundingClientRect();
    return { x: event.clientX - box.left, y: event.clientY - box.top };
  }

  private rowUnderPointer(x: number, y: number): number {
    const timeline = this.timeline;
    if (!timeline || y < RULER || x < this.gutter) return -1;
    const under = rowUnder(this.rows, y - RULER + this.scroll);
    if (!under || under.lane < 0) return -1;
    const slack = (NEAR_PX / this.plotWidth) * (this.window.end - this.window.begin);
    return rowAt(timeline, timeline.tracks[under.row.track].lanes[under.lane], this.timeAt(x), slack);
  }

  private readonly onWheel = (event: WheelEvent): void => {
    event.preventDefault();
    const { x } = this.place(event);
    const unit = event.deltaMode === 1 ? 16 : 1;
    const span = this.window.end - this.window.begin;
    if (event.shiftKey || x < this.gutter) this.scrollTo(this.scroll + (event.deltaY || event.deltaX) * unit);
    else if (Math.abs(event.deltaX) > Math.abs(event.deltaY))
      this.goTo(moved(this.window, this.whole, ((event.deltaX * unit) / this.plotWidth) * span));
    else this.goTo(zoomed(this.window, this.whole, 1 / wheelZoom(event), this.timeAt(x)));
  };

  private readonly onDown = (event: PointerEvent): void => {
    if (event.button !== 0) return;
    const { x, y } = this.place(event);
    this.host.setPointerCapture(event.pointerId);
    this.fingers.down(event);
    const kind = x < this.gutter ? "gutter" : event.shiftKey || y < RULER ? "range" : "move";
    this.drag = this.fingers.isPinching
      ? null
      : { kind, x, y, lastX: x, lastY: y, isMoved: false, at: this.timeAt(x) };
    this.listener.hover(-1, { left: 0, top: 0 });
  };

  private readonly onMove = (event: PointerEvent): void => {
    const { x, y } = this.place(event);
    const pinch = this.fingers.move(event);
    if (pinch) {
      this.moveBy(pinch.dx, pinch.dy);
      this.goTo(zoomed(this.window, this.whole, 1 / pinch.factor, this.timeAt(pinch.x)));
    }
    if (this.fingers.isPinching) return;
    const { drag } = this;
    if (!drag) {
      this.listener.hover(this.rowUnderPointer(x, y), { left: event.clientX, top: event.clientY });
      return;
    }
    if (!drag.isMoved && Math.hypot(x - drag.x, y - drag.y) <= CLICK_PX) return;
    drag.isMoved = true;
    if (drag.kind === "range") {
      const [begin, end] = [drag.at, this.timeAt(Math.max(x, this.gutter))].sort((a, b) => a - b);
      this.setRange({ begin, end });
    } else this.moveBy(drag.kind === "move" ? x - drag.lastX : 0, y - drag.lastY);
    [drag.lastX, drag.lastY] = [x, y];
  };

  /** Moves what is seen with the hand. */
  private moveBy(dx: number, dy: number): void {
    const span = this.window.end - this.window.begin;
    if (dx !== 0) this.goTo(moved(this.window, this.whole, (-dx / this.plotWidth) * span));
    this.scrollTo(this.scroll - dy);
  }

  private readonly onUp = (event: PointerEvent): void => {
    const { drag } = this;
    this.fingers.up(event);
    if (!drag) return;
    this.drag = null;
    if (drag.kind === "range" && drag.isMoved) this.listener.range(this.range);
    if (drag.isMoved || event.type === "pointercancel") return;
    const { x, y } = this.place(event);
    if (drag.kind === "gutter") {
      const under = rowUnder(this.rows, y - RULER + this.scroll);
      if (under && under.row.track >= 0 && y > RULER) this.toggle(under.row.track);
    } else if (y < RULER) {
      this.setRange(null);
      this.listener.range(null);
    } else this.listener.select(this.rowUnderPointer(x, y));
  };

  private readonly onLeave = (): void => this.listener.hover(-1, { left: 0, top: 0 });

  private readonly onDouble = (event: MouseEvent): void => {
    const { x, y } = this.place(event);
    const row = this.rowUnderPointer(x, y);
    if (row >= 0) this.zoomTo(row);
    else if (x >= this.gutter) this.goTo({ ...this.whole });
  };

  private zoomTo(row: number): void {
    const start = this.timeline!.starts[row];
    const duration = Math.max(this.timeline!.durations[row], 1);
    this.goTo(moved({ begin: start - duration * 0.1, end: start + duration * 1.1 }, this.whole, 0));
  }

  /** Collapses a track, or opens it again. */
  toggle(track: number): void {
    if (!this.collapsed.delete(track)) this.collapsed.add(track);
    this.layOut();
  }

  private readonly onKey = (event: KeyboardEvent): void => {
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    const span = this.window.end - this.window.begin;
    const middle = (this.window.begin + this.window.end) / 2;
    const step = event.shiftKey ? 0.5 : 0.1;
    const zoom = (factor: number) => this.goTo(zoomed(this.window, this.whole, factor, middle));
    const key = event.key.length === 1 ? event.key.toLowerCase() : event.key;
    if (key === "w" || key === "+" || key === "=") zoom(1 / 1.3);
    else if (key === "s" || key === "-") zoom(1.3);
    else if (key === "a" || key === "ArrowLeft") this.goTo(moved(this.window, this.whole, -step * span));
    else if (key === "d" || key === "ArrowRight") this.goTo(moved(this.window, this.whole, step * span));
    else if (key === "ArrowUp") this.scrollTo(this.scroll - 3 * LANE);
    else if (key === "ArrowDown") this.scrollTo(this.scroll + 3 * LANE);
    else if (key === "0" || key === "Home") this.goTo({ ...this.whole });
    else if (key === "m" && this.selectedRow >= 0) this.zoomTo(this.selectedRow);
    else if (key === "n" || key === "p") this.step(key === "n" ? 1 : -1);
    else if (key === "Enter") this.step(0);
    else if (key === "Escape") {
      this.setRange(null);
      this.listener.range(null);
      this.listener.select(-1);
    } else return;
    event.preventDefault();
    event.stopPropagation();
  };

  /** Selects the next or former event of the lane; if none is selected, the first of those in view. */
  private step(by: number): void {
    const timeline = this.timeline;
    if (!timeline || timeline.starts.length === 0) return;
    if (this.selectedRow < 0 || by === 0) {
      const lanes = timeline.tracks.flatMap((track) => track.lanes);
      for (const lane of lanes) {
        const row = rowAt(
          timeline,
          lane,
          (this.window.begin + this.window.end) / 2,
          this.window.end - this.window.begin,
        );
        if (row < 0) continue;
        this.listener.select(row);
        return;
      }
      return;
    }
    const { track, lane } = placeOf(timeline, this.selectedRow);
    const { first, last } = timeline.tracks[track].lanes[lane];
    this.listener.select(Math.min(Math.max(this.selectedRow + by, first), last - 1));
  }

  // Drawing

  private draw(): void {
    this.frame ||= requestAnimationFrame(() => {
      this.frame = 0;
      this.painter.paint(this);
    });
  }
}
