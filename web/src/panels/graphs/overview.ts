/** The whole graph, small, with a frame around the part in view. */

import type { Shown } from "./stage";

/** Where the drawing is: its corner and its scale, in pixels of the canvas, and how large that is. */
export interface View {
  x: number;
  y: number;
  zoom: number;
  width: number;
  height: number;
}

const MARGIN = 6;

export class Overview {
  private shown: Shown | null = null;
  private copy: HTMLCanvasElement | null = null;

  /** `goTo` is called with the place of the graph that the user wants to see. */
  constructor(
    private readonly map: HTMLCanvasElement,
    goTo: (x: number, y: number) => void,
  ) {
    const jump = (event: PointerEvent) => {
      if (!this.shown) return;
      const { scale, left, top } = this.place(this.shown);
      goTo((event.offsetX - left) / scale, (event.offsetY - top) / scale);
    };
    map.addEventListener("pointerdown", (event) => {
      map.setPointerCapture(event.pointerId);
      jump(event);
    });
    map.addEventListener("pointermove", (event) => {
      if (map.hasPointerCapture(event.pointerId)) jump(event);
    });
  }

  paint(shown: Shown, view: View): void {
    const { map } = this;
    if (map.clientWidth === 0 || map.clientHeight === 0) return; // not laid out, or taken off the page
    const ratio = devicePixelRatio || 1;
    if (this.shown?.scene !== shown.scene || this.shown.color !== shown.color) this.copy = null;
    this.shown = shown;
    map.width = map.clientWidth * ratio;
    map.height = map.clientHeight * ratio;
    const context = map.getContext("2d")!;
    const { scale, left, top } = this.place(shown);
    this.copy ??= this.paintNodes(shown, ratio);
    context.drawImage(this.copy, 0, 0);
    context.scale(ratio, ratio);
    context.strokeStyle = shown.look.accent;
    context.lineWidth = 1.5;
    const factor = scale / view.zoom;
    context.strokeRect(
      left - view.x * factor,
      top - view.y * factor,
      view.width * factor,
      view.height * factor,
    );
  }

  /** Where the graph is on the map. */
  private place({ scene: { width, height } }: Shown): { scale: number; left: number; top: number } {
    const { clientWidth, clientHeight } = this.map;
    const scale = Math.min(
      (clientWidth - 2 * MARGIN) / Math.max(width, 1),
      (clientHeight - 2 * MARGIN) / Math.max(height, 1),
    );
    return { scale, left: (clientWidth - width * scale) / 2, top: (clientHeight - height * scale) / 2 };
  }

  private paintNodes(shown: Shown, ratio: number): HTMLCanvasElement {
    const copy = document.createElement("canvas");
    copy.width = this.map.width;
    copy.height = this.map.height;
    const context = copy.getContext("2d")!;
    const { scale, left, top } = this.place(shown);
    context.scale(ratio, ratio);
    for (const { node, x, y, width, height, isOpen } of shown.scene.nodes) {
      context.fillStyle = isOpen ? shown.look.line : shown.color(node) || shown.look.quiet;
      context.globalAlpha = isOpen ? 0.35 : 0.9;
      const size = [Math.max(1, width * scale), Math.max(1, height * scale)] as const;
      context.fillRect(left + x * scale, top + y * scale, ...size);
    }
    return copy;
  }
}
