/** What pointer, wheel, fingers and keys do to the points: turn, move, zoom, point at, click, draw a box. */

import { Fingers, wheelZoom } from "../../ui/gestures";
import { type Camera, moved, START, turned, zoomed } from "./camera";
import { camera, hovered, is3d, isBoxing, isIsolated, selected } from "./state";

export type Rectangle = [left: number, top: number, right: number, bottom: number];

/** The points by where they are on the screen. */
export interface Finder {
  /** The index of the one at a place, -1 for none. */
  at: (x: number, y: number) => number;
  within: (rectangle: Rectangle) => number[];
}

interface Drag {
  x: number;
  y: number;
  startX: number;
  startY: number;
  kind: "turn" | "move" | "box";
}

const CLICK_PX = 4;
const KEY_PX = 24;
const ARROWS: Record<string, readonly [number, number]> = {
  ArrowLeft: [KEY_PX, 0],
  ArrowRight: [-KEY_PX, 0],
  ArrowUp: [0, KEY_PX],
  ArrowDown: [0, -KEY_PX],
};
const ZOOMS: Record<string, number> = { "+": 1.25, "=": 1.25, "-": 0.8 };

export class Steering {
  private drag: Drag | null = null;
  private readonly fingers: Fingers;
  private readonly stop = new AbortController();

  /** `frame` is shown as the box that is being drawn. */
  constructor(
    private readonly stage: HTMLElement,
    private readonly frame: HTMLElement,
    private readonly points: Finder,
  ) {
    this.fingers = new Fingers(stage);
    const { signal: end } = this.stop;
    const on = <K extends keyof HTMLElementEventMap>(
      name: K,
      handle: (event: HTMLElementEventMap[K]) => void,
    ) => stage.addEventListener(name, handle, { signal: end, passive: false });
    on("pointerdown", (event) => this.down(event));
    on("pointermove", (event) => this.move(event));
    on("pointerup", (event) => this.up(event));
    on("pointercancel", (event) => {
      this.fingers.up(event);
      this.finish();
    });
    on("pointerleave", () => {
      hovered.value = -1;
    });
    on("contextmenu", (event) => event.preventDefault());
    on("wheel", (event) => {
      event.preventDefault();
      this.zoom(wheelZoom(event), event.offsetX, event.offsetY);
    });
    on("dblclick", () => this.change(START));
    on("keydown", (event) => this.key(event));
  }

  close(): void {
    this.stop.abort();
    hovered.value = -1;
  }

  private change(next: Camera): void {
    camera.value = next;
  }

  private shift(dx: number, dy: number): void {
    const { clientWidth: width, clientHeight: height } = this.stage;
    this.change(moved(camera.value, is3d.value, dx, dy, width, height));
  }

  private zoom(factor: number, x: number, y: number): void {
    const { clientWidth: width, clientHeight: height } = this.stage;
    const [fromX, fromY] = [x - width / 2, y - height / 2];
    this.change(zoomed(camera.value, is3d.value, factor, fromX, fromY, width, height));
  }

  private down(event: PointerEvent): void {
    this.stage.setPointerCapture(event.pointerId);
    this.fingers.down(event);
    if (this.fingers.isPinching) {
      this.finish();
      return;
    }
    const isMoving = event.button === 2 || event.button === 1 || event.ctrlKey || event.metaKey;
    const kind = isMoving ? "move" : event.shiftKey || isBoxing.value ? "box" : is3d.value ? "turn" : "move";
    const { offsetX: x, offsetY: y } = event;
    this.drag = { x, y, startX: x, startY: y, kind };
  }

  private move(event: PointerEvent): void {
    const pinch = this.fingers.move(event);
    if (pinch) {
      this.shift(pinch.dx, pinch.dy);
      this.zoom(pinch.factor, pinch.x, pinch.y);
    }
    if (this.fingers.isPinching) return;
    const { offsetX: x, offsetY: y } = event;
    const drag = this.drag;
    if (!drag) {
      hovered.value = this.points.at(x, y);
      return;
    }
    const [dx, dy] = [x - drag.x, y - drag.y];
    if (drag.kind === "turn") this.change(turned(camera.value, dx, dy));
    else if (drag.kind === "move") this.shift(dx, dy);
    else this.outline(drag, x, y);
    drag.x = x;
    drag.y = y;
    hovered.value = -1;
  }

  private outline(drag: Drag, x: number, y: number): void {
    const [left, top, right, bottom] = rectangle(drag, x, y);
    this.frame.hidden = false;
    Object.assign(this.frame.style, {
      left: `${left}px`,
      top: `${top}px`,
      width: `${right - left}px`,
      height: `${bottom - top}px`,
    });
  }

  private up(event: PointerEvent): void {
    this.fingers.up(event);
    const drag = this.drag;
    if (!drag) return;
    const { offsetX: x, offsetY: y } = event;
    const isClick = Math.abs(x - drag.startX) + Math.abs(y - drag.startY) < CLICK_PX;
    if (isClick && event.button === 0) this.click(this.points.at(x, y), event.shiftKey);
    else if (drag.kind === "box") selected.value = this.points.within(rectangle(drag, x, y));
    this.finish();
  }

  private click(index: number, isAdded: boolean): void {
    if (index >= 0) selected.value = isAdded ? [...new Set([...selected.value, index])] : [index];
    else if (!isIsolated.value) selected.value = [];
  }

  private finish(): void {
    this.drag = null;
    this.frame.hidden = true;
  }

  private key(event: KeyboardEvent): void {
    const by = ARROWS[event.key];
    const factor = ZOOMS[event.key];
    const { clientWidth: width, clientHeight: height } = this.stage;
    if (by && is3d.value && !event.shiftKey) this.change(turned(camera.value, by[0], by[1]));
    else if (by) this.shift(by[0], by[1]);
    else if (factor) this.zoom(factor, width / 2, height / 2);
    else if (event.key === "0") this.change(START);
    else if (event.key === "Escape") selected.value = [];
    else return;
    event.preventDefault();
    event.stopPropagation();
  }
}

function rectangle({ startX, startY }: Drag, x: number, y: number): Rectangle {
  return [Math.min(startX, x), Math.min(startY, y), Math.max(startX, x), Math.max(startY, y)];
}
