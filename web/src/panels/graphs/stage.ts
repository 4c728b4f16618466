/** The canvas with the graph, and what the pointer and the keys do there. */

import { drawNever, drawSoon } from "../../chart/queue";
import { Fingers, wheelZoom } from "../../ui/gestures";
import { CanvasBrush } from "./brush";
import { drawScene, type Look, shownShape } from "./drawing";
import type { GraphNode } from "./model";
import { Overview } from "./overview";
import type { Scene, SceneNode } from "./scene";
import { nearest } from "./steering";

export interface Actions {
  select: (node: GraphNode | null) => void;
  toggle: (node: GraphNode) => void;
  describe: (node: GraphNode) => string;
}

export interface Shown {
  scene: Scene;
  look: Look;
  color: (node: GraphNode) => string;
  selected: string;
  found: ReadonlySet<string>;
}

const LARGEST = 3;
const MARGIN = 28;
const LEGEND = 24;
/** Smaller than this, a whole graph is a line: its beginning is shown instead. */
const SMALLEST_START = 0.3;
const START = 0.75;
const READABLE = 0.5;
const CLICK_PX = 4;

export class Stage {
  private shown: Shown | null = null;
  private x = 0;
  private y = 0;
  private zoom = 1;
  private width = 0;
  private height = 0;
  private isPlaced = false;
  private goal: string | null = null;
  private anchor: string | null = null;
  private readonly overview: Overview;
  private drag: { x: number; y: number; isMoved: boolean } | null = null;
  private readonly fingers: Fingers;
  private readonly tip = document.createElement("div");
  private readonly observer: ResizeObserver;
  private readonly draw = () => this.paint();

  constructor(
    private readonly canvas: HTMLCanvasElement,
    map: HTMLCanvasElement,
    private readonly actions: Actions,
  ) {
    this.fingers = new Fingers(canvas);
    this.tip.className = "graph-tip";
    this.tip.hidden = true;
    canvas.parentElement!.append(this.tip);
    canvas.addEventListener("pointerdown", (event) => this.press(event));
    canvas.addEventListener("pointermove", (event) => this.move(event));
    canvas.addEventListener("pointerup", (event) => this.release(event));
    canvas.addEventListener("pointercancel", (event) => {
      this.fingers.up(event);
      this.drop();
    });
    canvas.addEventListener("pointerleave", () => this.hideTip());
    canvas.addEventListener("dblclick", (event) => this.open(event));
    canvas.addEventListener("wheel", (event) => this.roll(event), { passive: false });
    canvas.parentElement!.addEventListener("keydown", (event) => this.key(event));
    this.overview = new Overview(map, (x, y) => {
      this.x = this.width / 2 - x * this.zoom;
      this.y = this.height / 2 - y * this.zoom;
      drawSoon(this.draw);
    });
    this.observer = new ResizeObserver(() => this.resize());
    this.observer.observe(canvas);
    this.resize();
  }

  close(): void {
    this.observer.disconnect();
    drawNever(this.draw);
    this.tip.remove();
  }

  show(shown: Shown): void {
    const before = this.shown;
    this.shown = shown;
    if (before?.scene !== shown.scene) this.keep(before?.scene, shown.scene);
    if (!this.isPlaced && this.width > 0) this.start();
    if (this.goal !== null) this.arrive();
    drawSoon(this.draw);
  }

  /** The next scene is drawn so that this node stays where it is. */
  hold(id: string): void {
    this.anchor = id;
  }

  /** Goes to a node, now or when it is in the scene. */
  goTo(id: string): void {
    this.goal = id;
    this.arrive();
  }

  fit(): void {
    if (!this.shown) return;
    const { width, height } = this.shown.scene;
    const wide = (this.width - 2 * MARGIN) / Math.max(width, 1);
    // The legend is at the lower edge.
    const room = this.height - LEGEND;
    const high = (room - 2 * MARGIN) / Math.max(height, 1);
    this.zoom = Math.min(1.2, wide, high);
    this.x = (this.width - width * this.zoom) / 2;
    this.y = (room - height * this.zoom) / 2;
    drawSoon(this.draw);
  }

  zoomBy(factor: number, x = this.width / 2, y = this.height / 2): void {
    const next = Math.max(this.smallest(), Math.min(LARGEST, this.zoom * factor));
    this.x = x - ((x - this.x) / this.zoom) * next;
    this.y = y - ((y - this.y) / this.zoom) * next;
    this.zoom = next;
    drawSoon(this.draw);
  }

  private smallest(): number {
    const { width, height } = this.shown?.scene ?? { width: 1, height: 1 };
    const whole = Math.min(this.width / Math.max(width, 1), this.height / Math.max(height, 1));
    return Math.min(0.2, whole * 0.7);
  }

  /** The whole graph, or its beginning where that would be too small to see. */
  private start(): void {
    this.isPlaced = true;
    this.fit();
    if (this.zoom >= SMALLEST_START) return;
    const { scene } = this.shown!;
    this.zoom = START;
    const first = scene.nodes
      .filter((one) => !one.isOpen)
      .reduce((best, one) => (one.y < best.y ? one : best), scene.nodes[scene.nodes.length - 1]);
    this.x = this.width / 2 - (first.x + first.width / 2) * this.zoom;
    this.y = MARGIN;
    if (scene.width * this.zoom < this.width) this.x = (this.width - scene.width * this.zoom) / 2;
  }

  private keep(before: Scene | undefined, next: Scene): void {
    const anchor = this.anchor;
    this.anchor = null;
    const [a, b] = [before?.byId.get(anchor ?? ""), next.byId.get(anchor ?? "")];
    if (!a || !b) return;
    this.x += (a.x + a.width / 2 - b.x - b.width / 2) * this.zoom;
    this.y += (a.y - b.y) * this.zoom;
    // A scope just opened may begin outside the view.
    if (b.isOpen) {
      const top = b.y * this.zoom + this.y;
      if (top < 0) this.y -= top - MARGIN;
    }
  }

  private arrive(): void {
    const found = this.shown?.scene.byId.get(this.goal ?? "");
    if (!found || this.width === 0) return;
    this.goal = null;
    if (!this.isPlaced) this.start();
    drawSoon(this.draw);
    if (this.zoom >= READABLE && this.isInView(found)) return;
    this.zoom = Math.max(this.zoom, 0.8);
    const fits = found.height * this.zoom < this.height - 2 * MARGIN;
    this.x = this.width / 2 - (found.x + found.width / 2) * this.zoom;
    this.y = fits ? this.height / 2 - (found.y + found.height / 2) * this.zoom : MARGIN - found.y * this.zoom;
  }

  private isInView({ x, y, width, height }: SceneNode): boolean {
    const [left, top] = [x * this.zoom + this.x, y * this.zoom + this.y];
    const [right, bottom] = [left + width * this.zoom, top + height * this.zoom];
    return left >= 0 && top >= 0 && right <= this.width && bottom <= this.height;
  }

  private resize(): void {
    const { clientWidth, clientHeight } = this.canvas;
    if (clientWidth === this.width && clientHeight === this.height) return;
    [this.width, this.height] = [clientWidth, clientHeight];
    if (this.shown && !this.isPlaced && clientWidth > 0) {
      this.start();
      if (this.goal !== null) this.arrive();
    }
    drawSoon(this.draw);
  }

  // Drawing

  private paint(): void {
    const { shown, canvas, width, height, zoom } = this;
    if (!shown || width === 0) return;
    const ratio = devicePixelRatio || 1;
    if (canvas.width !== Math.round(width * ratio) || canvas.height !== Math.round(height * ratio)) {
      canvas.width = Math.round(width * ratio);
      canvas.height = Math.round(height * ratio);
    }
    const context = canvas.getContext("2d")!;
    context.setTransform(1, 0, 0, 1, 0, 0);
    context.clearRect(0, 0, canvas.width, canvas.height);
    context.setTransform(zoom * ratio, 0, 0, zoom * ratio, this.x * ratio, this.y * ratio);
    const window = {
      left: -this.x / zoom,
      top: -this.y / zoom,
      right: (width - this.x) / zoom,
      bottom: (height - this.y) / zoom,
    };
    drawScene(new CanvasBrush(context), shown.scene, { ...shown, scale: zoom, window });
    this.overview.paint(shown, { x: this.x, y: this.y, zoom, width, height });
    // For tests and for those who automate the page.
    canvas.dataset.nodes = String(shown.scene.nodes.length);
    canvas.dataset.zoom = zoom.toFixed(3);
  }

  // Pointer and keys

  private at(event: MouseEvent): SceneNode | null {
    const x = (event.offsetX - this.x) / this.zoom;
    const y = (event.offsetY - this.y) / this.zoom;
    const nodes = this.shown?.scene.nodes ?? [];
    for (let i = nodes.length - 1; i >= 0; i--) {
      const one = nodes[i];
      if (x >= one.x && x <= one.x + one.width && y >= one.y && y <= one.y + one.height) return one;
    }
    return null;
  }

  private press(event: PointerEvent): void {
    if (event.button !== 0) return;
    this.canvas.setPointerCapture(event.pointerId);
    this.fingers.down(event);
    if (this.fingers.isPinching) this.drop();
    else this.drag = { x: event.clientX, y: event.clientY, isMoved: false };
  }

  private move(event: PointerEvent): void {
    const pinch = this.fingers.move(event);
    if (pinch) {
      this.shift(pinch.dx, pinch.dy);
      this.zoomBy(pinch.factor, pinch.x, pinch.y);
    }
    if (this.fingers.isPinching) return;
    const { drag } = this;
    if (!drag) {
      this.showTip(event);
      return;
    }
    const [dx, dy] = [event.clientX - drag.x, event.clientY - drag.y];
    if (!drag.isMoved && Math.hypot(dx, dy) < CLICK_PX) return;
    this.drag = { x: event.clientX, y: event.clientY, isMoved: true };
    this.canvas.classList.add("is-dragged");
    this.hideTip();
    this.shift(dx, dy);
  }

  private shift(dx: number, dy: number): void {
    this.x += dx;
    this.y += dy;
    drawSoon(this.draw);
  }

  private drop(): void {
    this.drag = null;
    this.canvas.classList.remove("is-dragged");
  }

  private release(event: PointerEvent): void {
    const { drag } = this;
    this.fingers.up(event);
    this.drop();
    if (drag && !drag.isMoved) this.actions.select(this.at(event)?.node ?? null);
  }

  private open(event: MouseEvent): void {
    const found = this.at(event);
    if (found && found.node.leaf < 0) this.actions.toggle(found.node);
  }

  private roll(event: WheelEvent): void {
    event.preventDefault();
    this.hideTip();
    this.zoomBy(wheelZoom(event), event.offsetX, event.offsetY);
  }

  private key(event: KeyboardEvent): void {
    if (event.ctrlKey || event.metaKey || event.altKey || !this.shown) return;
    const current = this.shown.scene.byId.get(this.shown.selected);
    if (event.key === "+" || event.key === "=") this.zoomBy(1.25);
    else if (event.key === "-") this.zoomBy(0.8);
    else if (event.key === "0") this.fit();
    else if (event.key === "Escape") this.actions.select(null);
    else if (event.key === "Enter" || event.key === " ") {
      if (current && current.node.leaf < 0) this.actions.toggle(current.node);
    } else if (event.key.startsWith("Arrow")) {
      const next = current ? nearest(this.shown.scene.nodes, current, event.key) : this.firstInView();
      if (next) {
        this.actions.select(next.node);
        this.shown.selected = next.node.id; // the page shows it a moment later; the next key may be quicker
        this.bringIn(next);
      }
    } else return;
    event.preventDefault();
    event.stopPropagation();
  }

  private firstInView(): SceneNode | null {
    const isSeen = (one: SceneNode) => one.y * this.zoom + this.y >= 0 && one.x * this.zoom + this.x >= 0;
    const seen = this.shown!.scene.nodes.filter(isSeen);
    return seen.reduce<SceneNode | null>((best, one) => (!best || one.y < best.y ? one : best), null);
  }

  private bringIn(one: SceneNode): void {
    const [left, top] = [one.x * this.zoom + this.x, one.y * this.zoom + this.y];
    const right = left + one.width * this.zoom;
    const bottom = top + Math.min(one.height, 60) * this.zoom;
    if (left < MARGIN) this.x += MARGIN - left;
    else if (right > this.width - MARGIN) this.x -= Math.min(right - this.width + MARGIN, left - MARGIN);
    if (top < MARGIN) this.y += MARGIN - top;
    else if (bottom > this.height - MARGIN) this.y -= bottom - this.height + MARGIN;
    drawSoon(this.draw);
  }

  private showTip(event: PointerEvent): void {
    const found = this.at(event);
    this.canvas.classList.toggle("is-over", found !== null);
    if (!found) {
      this.hideTip();
      return;
    }
    this.tip.textContent = this.actions.describe(found.node);
    this.tip.hidden = false;
    const left = Math.min(event.offsetX + 14, this.width - this.tip.offsetWidth - 8);
    const below = event.offsetY + 18;
    const top =
      below + this.tip.offsetHeight > this.height - 8 ? event.offsetY - this.tip.offsetHeight - 8 : below;
    this.tip.style.left = `${Math.max(4, left)}px`;
    this.tip.style.top = `${Math.max(4, top)}px`;
  }

  private hideTip(): void {
    this.tip.hidden = true;
  }
}

export function describeShape(shapes: string): string {
  return shapes.split(", ").map(shownShape).join(", ");
}
