/** A chart of histograms on two canvases: the drawing, and above it what the pointer or the keys point at. */

import type { Range } from "../../chart/line";
import { drawNever, drawSoon } from "../../chart/queue";
import { type Mark, paint } from "./marks";
import { bucketAt, heightAt } from "./outline";
import { type Curve, type Look, makeScene, nearestCurve, type Scene, shape } from "./scene";
import type { Histograms, Ordered } from "./series";

/** What is pointed at: a histogram, and a bucket of it as a place in the columns (-1 if it has none). */
export interface Pointed {
  row: number;
  bucket: number;
  value: number;
}

export interface ChartEvents {
  point(pointed: Pointed | null, place: { left: number; top: number }): void;
  /** A histogram was clicked. */
  choose(row: number): void;
  zoom(window: Range | null): void;
}

const LEAST_DRAG_PX = 5;

export class HistogramChart {
  private readonly base = document.createElement("canvas");
  private readonly over = document.createElement("canvas");
  private scene: Scene | null = null;
  private cursor: { place: number; value: number } | null = null;
  private pinnedRow = -1;
  private drag: { from: number; to: number } | null = null;
  private data: Histograms | null = null;
  private order: Ordered | null = null;
  private look: Look | null = null;
  private isStale = true;
  private readonly redraw = () => this.draw();

  constructor(
    private readonly host: HTMLElement,
    private readonly events: ChartEvents,
  ) {
    this.over.className = "histogram-over";
    host.append(this.base, this.over);
    this.over.addEventListener("pointermove", (event) => this.moved(event));
    this.over.addEventListener("pointerleave", () => this.leave());
    this.over.addEventListener("pointerdown", (event) => this.pressed(event));
    this.over.addEventListener("pointerup", (event) => this.released(event));
    this.over.addEventListener("dblclick", () => events.zoom(null));
  }

  destroy(): void {
    drawNever(this.redraw);
    this.base.remove();
    this.over.remove();
  }

  show(data: Histograms, order: Ordered, look: Look, pinnedRow: number): void {
    [this.data, this.order, this.look, this.pinnedRow] = [data, order, look, pinnedRow];
    this.resize();
  }

  resize(): void {
    this.isStale = true;
    drawSoon(this.redraw);
  }

  /** What is drawn, for a drawing of it elsewhere: in other colours, at another size. */
  marks(look: Partial<Look>, width: number, height: number): Mark[] {
    if (!this.data || !this.order || !this.look) return [];
    return makeScene(this.data, this.order, { ...this.look, ...look }, width, height).marks;
  }

  private draw(): void {
    const { clientWidth: width, clientHeight: height } = this.host;
    if (!this.data || !this.order || !this.look || width === 0) return;
    this.isStale = false;
    this.scene = makeScene(this.data, this.order, this.look, width, height);
    const ctx = fitted(this.base, width, height);
    if (ctx && this.data.steps.length > 0) paint(ctx, this.scene.marks);
    const { first, last } = this.scene;
    if (this.cursor && !(this.cursor.place >= first && this.cursor.place < last)) this.cursor = null;
    this.highlight();
  }

  /** Moves what is pointed at by keys: so many histograms, and so many hundredths of the width. */
  move(steps: number, hundredths: number): void {
    // A key may come before the drawing's turn, and counts all the same.
    if (this.isStale) this.draw();
    const scene = this.scene;
    if (!scene || scene.last <= scene.first) return;
    const { min, max } = scene.values;
    const from = this.cursor ?? { place: scene.last - 1 - steps, value: (min + max) / 2 };
    const place = Math.max(scene.first, Math.min(scene.last - 1, from.place + steps));
    const value = Math.max(min, Math.min(max, from.value + (hundredths / 100) * (max - min)));
    this.point(place, value);
  }

  /** Zooms into the axis around what is pointed at; `factor` below 1 comes closer. */
  zoomBy(factor: number): void {
    const { scene, order } = this;
    if (!scene || !order || scene.last <= scene.first) return;
    const [min, max] = [order.at[scene.first], order.at[scene.last - 1]];
    const at = this.cursor ? order.at[this.cursor.place] : max;
    this.events.zoom({ min: at - (at - min) * factor, max: at + (max - at) * factor || at });
  }

  /** Chooses what is pointed at. */
  choose(): void {
    if (this.cursor && this.order) this.events.choose(this.order.rows[this.cursor.place]);
  }

  leave(): void {
    if (!this.cursor && !this.drag) return;
    this.cursor = null;
    this.drag = null;
    this.highlight();
    this.events.point(null, { left: 0, top: 0 });
  }

  private point(place: number, value: number): void {
    this.cursor = { place, value };
    const curve = this.highlight();
    if (!curve || !this.scene || !this.data || !this.order) return;
    const row = this.order.rows[place];
    const box = this.over.getBoundingClientRect();
    const top = curve.foot - this.scene.lift(heightAt(curve.outline, value));
    this.events.point(
      { row, bucket: bucketAt(this.data, row, value), value },
      { left: box.left + this.scene.toX(value), top: box.top + top },
    );
  }

  private moved(event: PointerEvent): void {
    const scene = this.scene;
    if (!scene) return;
    if (this.drag) {
      this.drag.to = event.offsetY;
      this.cursor = null;
      this.highlight();
      this.events.point(null, { left: 0, top: 0 });
      return;
    }
    const { left, width } = scene.box;
    const x = Math.max(left, Math.min(left + width, event.offsetX));
    const found = nearestCurve(scene, x, event.offsetY);
    if (found) this.point(found.place, scene.toValue(x));
  }

  private pressed(event: PointerEvent): void {
    if (event.button !== 0) return;
    this.drag = { from: event.offsetY, to: event.offsetY };
    this.over.setPointerCapture(event.pointerId);
  }

  private released(event: PointerEvent): void {
    const { drag, scene } = this;
    this.drag = null;
    if (!drag || !scene) return;
    if (Math.abs(drag.to - drag.from) < LEAST_DRAG_PX) {
      this.moved(event);
      this.choose();
    } else {
      this.highlight();
      const [min, max] = [drag.from, drag.to].sort((a, b) => a - b).map(scene.toAxis);
      if (scene.look.mode === "offset" && scene.last - scene.first > 1) this.events.zoom({ min, max });
    }
  }

  /** Draws what is pinned and pointed at; gives the latter. */
  private highlight(): Curve | null {
    const { scene, cursor, order } = this;
    const ctx = fitted(this.over, this.host.clientWidth, this.host.clientHeight);
    if (!scene || !ctx || !order) return null;
    const { box, look } = scene;
    const { strong, background } = look.colors;
    if (this.drag && look.mode === "offset" && Math.abs(this.drag.to - this.drag.from) >= LEAST_DRAG_PX) {
      ctx.globalAlpha = 0.14;
      ctx.fillStyle = look.color;
      ctx.fillRect(box.left, this.drag.from, box.width, this.drag.to - this.drag.from);
      ctx.globalAlpha = 1;
    }
    const pinned = order.rows.indexOf(this.pinnedRow);
    if (pinned >= scene.first && pinned < scene.last) {
      const curve = scene.curve(pinned);
      paint(ctx, [
        shape(scene, curve, { stroke: background, width: 4 }),
        shape(scene, curve, { stroke: strong, width: 1.75 }),
      ]);
    }
    if (!cursor) return null;
    const curve = scene.curve(cursor.place);
    const [x, y] = [scene.toX(cursor.value), curve.foot - scene.lift(heightAt(curve.outline, cursor.value))];
    paint(ctx, [
      shape(scene, curve, { stroke: background, width: 4 }),
      shape(scene, curve, { stroke: look.color, width: 2 }),
    ]);
    ctx.setLineDash([2, 3]);
    ctx.strokeStyle = look.colors.text;
    ctx.lineWidth = 1;
    ctx.beginPath();
    ctx.moveTo(x, y);
    ctx.lineTo(x, box.top + box.height);
    ctx.stroke();
    ctx.setLineDash([]);
    ctx.beginPath();
    ctx.arc(x, y, 3.5, 0, 2 * Math.PI);
    ctx.fillStyle = look.color;
    ctx.fill();
    ctx.strokeStyle = background;
    ctx.lineWidth = 1.5;
    ctx.stroke();
    return curve;
  }
}

/** A canvas of this size, empty, at the resolution of the screen. */
function fitted(canvas: HTMLCanvasElement, width: number, height: number): CanvasRenderingContext2D | null {
  const ratio = devicePixelRatio;
  const [w, h] = [Math.round(width * ratio), Math.round(height * ratio)];
  if (canvas.width !== w) canvas.width = w;
  if (canvas.height !== h) canvas.height = h;
  const ctx = canvas.getContext("2d");
  ctx?.setTransform(ratio, 0, 0, ratio, 0, 0);
  ctx?.clearRect(0, 0, width, height);
  return ctx;
}
