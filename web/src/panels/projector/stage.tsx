/** The points on the screen: drawn by WebGL, turned and chosen with pointer and keys. */

import { computed, effect, signal } from "@preact/signals";
import { useEffect, useRef, useState } from "preact/hooks";
import { theme } from "../../state/appearance";
import { Notice } from "../../ui/controls";
import {
  type Camera,
  inside,
  matrixOf,
  moved,
  nearest,
  project,
  type Screen,
  START,
  turned,
  viewDistance,
  zoomed,
} from "./camera";
import { rgbOf } from "./colors";
import { textAt } from "./columns";
import { compass, draw, edgeLabels, type Label, middles, placed } from "./labels";
import { type Pictures, PointsView } from "./points";
import {
  camera,
  dimensions,
  ends,
  hovered,
  isIsolated,
  method,
  pointSize,
  selected,
  showsLabels,
  showsPictures,
} from "./state";
import {
  colorColumn,
  coloring,
  currentStep,
  facts,
  labelColumn,
  layout,
  lit,
  spriteUrl,
  states,
} from "./store";
import { t } from "./words";

/** Dragging draws a box. */
export const isBoxing = signal(false);

const REACH = 9;
const MOST_GROUPS = 50;
const LEAST_PICTURE = 14;
const COMPASS = 80;

const is3d = computed(() => dimensions.value === "3" && method.value !== "axes");

/** The point in the middle of each value that has a colour, for labels. */
const groups = computed(() => {
  const [column, now] = [colorColumn.value.value, layout.value];
  const keys = coloring.value.keys;
  if (!column || column.numbers || !now || keys.length === 0 || keys.length > MOST_GROUPS) return null;
  const members = new Map<number, number[]>(keys.map(({ code }) => [code, []]));
  const isAny = states.value.some((state) => state === 1);
  column.codes.forEach((code, i) => {
    if (states.value[i] < 3 && (!isAny || states.value[i] === 1)) members.get(code)?.push(i);
  });
  for (const [code, indices] of members) if (indices.length < 3) members.delete(code);
  return { column, at: middles(members, now.places) };
});

/** Saves what is on the screen; set while the stage is there. */
export const picture: { take: (() => Promise<Blob>) | null } = { take: null };

export function Stage() {
  const box = useRef<HTMLDivElement>(null);
  const canvas = useRef<HTMLCanvasElement>(null);
  const overlay = useRef<HTMLCanvasElement>(null);
  const [problem, setProblem] = useState("");
  const [note, setNote] = useState("");
  useEffect(() => {
    try {
      return begin(box.current!, canvas.current!, overlay.current!, setNote);
    } catch (error) {
      setProblem((error as Error).message);
    }
  }, []);
  if (problem) return <Notice title={t("noWebgl")}>{t("noWebglText")}</Notice>;
  const { points = 0, dimensions: width = 0 } = facts.value.value ?? {};
  return (
    <div
      ref={box}
      class="stage"
      tabIndex={0}
      role="application"
      aria-label={t("canvas", { n: points, d: width, method: t(method.value) })}
      data-points={layout.value ? points : 0}
      data-lit={lit.value.size}
    >
      <canvas ref={canvas} class="stage-points" />
      <canvas ref={overlay} class="stage-labels" />
      <canvas class="stage-compass" width={COMPASS} height={COMPASS} />
      <div class="stage-box" hidden />
      <div class="stage-tip" hidden />
      {note && <p class="stage-note">{note}</p>}
    </div>
  );
}

function begin(
  box: HTMLElement,
  canvas: HTMLCanvasElement,
  overlay: HTMLCanvasElement,
  say: (note: string) => void,
): () => void {
  const view = new PointsView(canvas);
  const pen = overlay.getContext("2d")!;
  const needle = box.querySelector<HTMLCanvasElement>(".stage-compass")!.getContext("2d")!;
  const frame = box.querySelector<HTMLElement>(".stage-box")!;
  const tip = box.querySelector<HTMLElement>(".stage-tip")!;
  let [width, height, scale] = [1, 1, 1];
  let request = 0;
  let screen: Screen | null = null;
  let isStale = true;
  let hasMarks = true;

  const matrix = () => matrixOf(camera.peek(), is3d.peek(), width, height);
  const isShown = (index: number) => states.peek()[index] < 3;
  const seen = (): Screen => {
    if (!screen || isStale)
      screen = project(layout.peek()?.places ?? new Float32Array(0), matrix(), width, height);
    isStale = false;
    return screen;
  };
  const paint = () => {
    request = 0;
    const style = getComputedStyle(box);
    const ground = rgbOf(style.getPropertyValue("--bg").trim()).map((part) => part / 255);
    const pictures = showsPictures.peek() && spriteUrl.peek() ? LEAST_PICTURE : 0;
    const drawn = view.draw(
      {
        matrix: matrix(),
        is3d: is3d.peek(),
        away: viewDistance(camera.peek()),
        size: (pictures + pointSize.peek() * (pictures ? 2 : 1)) * scale,
        ground: ground as unknown as [number, number, number],
      },
      pace.most((layout.peek()?.places.length ?? 0) / 3),
    );
    box.dataset.drawn = String(drawn);
    const names = labels(seen, width, height);
    const isMarked = names.length > 0 || hovered.peek() >= 0;
    // A canvas that is touched has to be put on the page anew, which takes longer than the points.
    if (isMarked || hasMarks) {
      pen.setTransform(scale, 0, 0, scale, 0, 0);
      pen.clearRect(0, 0, width, height);
      draw(pen, names, style.getPropertyValue("--text"), style.getPropertyValue("--bg"));
      mark(pen, hovered.peek() >= 0 ? seen() : null, style.getPropertyValue("--text"));
    }
    hasMarks = isMarked;
    needle.clearRect(0, 0, COMPASS, COMPASS);
    if (is3d.peek()) compass(needle, camera.peek(), COMPASS / 2, style.getPropertyValue("--text-3"));
  };
  const redraw = () => {
    isStale = true;
    if (!request) request = requestAnimationFrame(paint);
  };
  const pace = new Pace(redraw);
  picture.take = () => {
    paint();
    const both = document.createElement("canvas");
    both.width = canvas.width;
    both.height = canvas.height;
    const context = both.getContext("2d")!;
    context.drawImage(canvas, 0, 0);
    context.drawImage(overlay, 0, 0);
    context.drawImage(needle.canvas, both.width - COMPASS - 8, both.height - COMPASS - 8);
    return new Promise((done, fail) =>
      both.toBlob((blob) => (blob ? done(blob) : fail(new Error("The picture could not be made.")))),
    );
  };

  const resize = () => {
    scale = Math.min(devicePixelRatio || 1, 2);
    width = Math.max(1, box.clientWidth);
    height = Math.max(1, box.clientHeight);
    for (const one of [canvas, overlay]) {
      one.width = Math.round(width * scale);
      one.height = Math.round(height * scale);
    }
    // At once: a canvas that was resized is empty.
    isStale = true;
    paint();
  };
  const observer = new ResizeObserver(resize);
  observer.observe(box);

  const stops = [
    effect(() => {
      view.setPlaces(layout.value?.places ?? new Float32Array(0));
      redraw();
    }),
    effect(() => {
      view.setColors(coloring.value.colors);
      redraw();
    }),
    effect(() => {
      view.setStates(states.value);
      redraw();
    }),
    effect(() => {
      camera.value;
      pace.move();
    }),
    effect(() => {
      for (const one of [is3d, pointSize, theme, showsLabels, hovered, labelColumn, groups, lit]) one.value;
      redraw();
    }),
    effect(() => {
      const url = showsPictures.value ? spriteUrl.value : null;
      const size = currentStep.value?.sprite;
      view.setPictures(null);
      say("");
      redraw();
      if (!url || !size) return;
      let isCurrent = true;
      load(url).then(
        (image) => {
          if (!isCurrent) return;
          if (!view.takes(image)) say(t("tooLarge"));
          else view.setPictures({ image, ...size } as Pictures);
          redraw();
        },
        (error: Error) => isCurrent && say(error.message),
      );
      return () => {
        isCurrent = false;
      };
    }),
    effect(() => showTip(tip, seen, width)),
  ];

  const pointer = new Pointers(
    box,
    frame,
    () => ({ width, height }),
    (x, y) => nearest(seen(), x, y, REACH, isShown),
    (rectangle) => inside(seen(), ...rectangle, isShown),
  );
  const lost = (event: Event) => event.preventDefault();
  const restored = () => {
    view.begin();
    redraw();
  };
  canvas.addEventListener("webglcontextlost", lost);
  canvas.addEventListener("webglcontextrestored", restored);
  return () => {
    cancelAnimationFrame(request);
    pace.close();
    observer.disconnect();
    for (const stop of stops) stop();
    pointer.close();
    picture.take = null;
  };
}

/** So long without movement is rest. */
const REST_MS = 250;
const [TOO_SLOW_MS, QUICK_MS] = [36, 22];
const FEWEST = 2000;

/** While the view moves, as many points as can be drawn thirty times a second; at rest, all of them. */
class Pace {
  private share = 1;
  private last = 0;
  private isMoving = false;
  private timer: ReturnType<typeof setTimeout> | undefined;

  constructor(private readonly redraw: () => void) {}

  /** The view has moved. */
  move(): void {
    this.isMoving = true;
    this.redraw();
  }

  /** How many points the next frame may have, of `count`. */
  most(count: number): number {
    const now = performance.now();
    const took = now - this.last;
    if (!this.isMoving) return count;
    if (this.last > 0) {
      if (took > TOO_SLOW_MS) this.share *= Math.max(0.4, TOO_SLOW_MS / took);
      else if (took < QUICK_MS) this.share = Math.min(1, this.share * 1.1);
      this.share = Math.min(1, Math.max(this.share, FEWEST / Math.max(count, 1)));
    }
    this.last = now;
    clearTimeout(this.timer);
    // A frame that takes long is not rest.
    this.timer = setTimeout(() => this.rest(), Math.max(REST_MS, Math.min(3 * took, 1500)));
    return Math.ceil(this.share * count);
  }

  private rest(): void {
    this.isMoving = false;
    this.last = 0;
    this.redraw();
  }

  close(): void {
    clearTimeout(this.timer);
  }
}

async function load(url: string): Promise<ImageBitmap> {
  const answer = await fetch(new URL(url, document.baseURI));
  if (!answer.ok) throw new Error((await answer.json()).error);
  return createImageBitmap(await answer.blob());
}

/** Labels of what is lit up and, if the user wants them, of groups or of as many points as find room. */
function labels(seen: () => Screen, width: number, height: number): Label[] {
  const now = layout.peek();
  if (!now) return [];
  const column = labelColumn.peek().value;
  const textOf = (index: number) => textAt(column, index);
  const chosen = selected.peek();
  const near = lit.peek().size <= 200 || showsLabels.peek() ? lit.peek() : [];
  const strong = new Set(chosen.length <= 20 ? chosen : []);
  const found: Label[] = method.peek() === "axes" ? edgeLabels(ends.peek(), width, height) : [];
  if (showsLabels.peek() && chosen.length === 0) {
    const named = groups.peek();
    if (named) {
      const at = project(
        new Float32Array([...named.at.values()].flat()),
        matrixOf(camera.peek(), is3d.peek(), width, height),
        width,
        height,
      );
      [...named.at.keys()].forEach((code, i) => {
        found.push({ text: named.column.values[code], x: at.x[i] - 7, y: at.y[i], isStrong: true });
      });
      return found;
    }
    return found.concat(placed(nearestFirst(seen()), seen(), width, height, textOf, (i) => strong.has(i)));
  }
  if (chosen.length === 0 && lit.peek().size > 60) return found;
  const wanted = new Set([...strong, ...near]);
  if (wanted.size === 0) return found;
  return found.concat(placed(wanted, seen(), width, height, textOf, (i) => strong.has(i)));
}

const MOST_SORTED = 20_000;

function* nearestFirst(screen: Screen): Generator<number> {
  const count = screen.x.length;
  const order = Uint32Array.from({ length: count }, (_, i) => i);
  if (is3d.peek() && count <= MOST_SORTED) order.sort((a, b) => screen.depth[a] - screen.depth[b]);
  for (const index of order) if (states.peek()[index] < 2) yield index;
}

/** A ring around the point that is pointed at. */
function mark(pen: CanvasRenderingContext2D, screen: Screen | null, ink: string): void {
  const index = hovered.peek();
  if (!screen || index < 0 || Number.isNaN(screen.x[index])) return;
  pen.beginPath();
  pen.arc(screen.x[index], screen.y[index], Math.max(6, pointSize.peek()), 0, 7);
  pen.strokeStyle = ink;
  pen.lineWidth = 1.5;
  pen.stroke();
}

function showTip(tip: HTMLElement, seen: () => Screen, width: number): void {
  const index = hovered.value;
  tip.hidden = index < 0;
  if (index < 0) return;
  const screen = seen();
  const lines = [textAt(labelColumn.value.value, index)];
  const color = colorColumn.value.value;
  if (color && color.name !== labelColumn.value.value?.name)
    lines.push(`${color.name}: ${textAt(color, index)}`);
  tip.textContent = lines.join("\n");
  tip.style.left = `${Math.max(0, Math.min(screen.x[index] + 12, width - 220))}px`;
  tip.style.top = `${Math.max(0, screen.y[index] - 10)}px`;
}

type Rectangle = [left: number, top: number, right: number, bottom: number];

/** Pointer, wheel and keys of the stage. */
class Pointers {
  private drag: {
    x: number;
    y: number;
    startX: number;
    startY: number;
    kind: "turn" | "move" | "box";
  } | null = null;
  private readonly stop = new AbortController();

  constructor(
    private readonly stage: HTMLElement,
    private readonly frame: HTMLElement,
    private readonly size: () => { width: number; height: number },
    private readonly at: (x: number, y: number) => number,
    private readonly within: (rectangle: Rectangle) => number[],
  ) {
    const { signal: end } = this.stop;
    const on = <K extends keyof HTMLElementEventMap>(
      name: K,
      handle: (event: HTMLElementEventMap[K]) => void,
    ) => stage.addEventListener(name, handle, { signal: end, passive: false });
    on("pointerdown", (event) => this.down(event));
    on("pointermove", (event) => this.move(event));
    on("pointerup", (event) => this.up(event));
    on("pointercancel", () => this.finish());
    on("pointerleave", () => {
      hovered.value = -1;
    });
    on("contextmenu", (event) => event.preventDefault());
    on("wheel", (event) => this.wheel(event));
    on("dblclick", () => {
      camera.value = START;
    });
    on("keydown", (event) => this.key(event));
  }

  close(): void {
    this.stop.abort();
    hovered.value = -1;
  }

  private change(next: Camera): void {
    camera.value = next;
  }

  private down(event: PointerEvent): void {
    this.stage.setPointerCapture(event.pointerId);
    const isMoving = event.button === 2 || event.button === 1 || event.ctrlKey || event.metaKey;
    const kind = isMoving ? "move" : event.shiftKey || isBoxing.value ? "box" : is3d.value ? "turn" : "move";
    const { offsetX: x, offsetY: y } = event;
    this.drag = { x, y, startX: x, startY: y, kind };
  }

  private move(event: PointerEvent): void {
    const { offsetX: x, offsetY: y } = event;
    const drag = this.drag;
    if (!drag) {
      hovered.value = this.at(x, y);
      return;
    }
    const [dx, dy] = [x - drag.x, y - drag.y];
    const { width, height } = this.size();
    if (drag.kind === "turn") this.change(turned(camera.value, dx, dy));
    else if (drag.kind === "move") this.change(moved(camera.value, is3d.value, dx, dy, width, height));
    else this.outline(x, y);
    drag.x = x;
    drag.y = y;
    hovered.value = -1;
  }

  private rectangle(x: number, y: number): Rectangle {
    const { startX, startY } = this.drag!;
    return [Math.min(startX, x), Math.min(startY, y), Math.max(startX, x), Math.max(startY, y)];
  }

  private outline(x: number, y: number): void {
    const [left, top, right, bottom] = this.rectangle(x, y);
    this.frame.hidden = false;
    Object.assign(this.frame.style, {
      left: `${left}px`,
      top: `${top}px`,
      width: `${right - left}px`,
      height: `${bottom - top}px`,
    });
  }

  private up(event: PointerEvent): void {
    const drag = this.drag;
    if (!drag) return;
    const { offsetX: x, offsetY: y } = event;
    const isClick = Math.abs(x - drag.startX) + Math.abs(y - drag.startY) < 4;
    if (isClick && event.button === 0) {
      const index = this.at(x, y);
      const isAdded = event.shiftKey && selected.value.length > 0;
      if (index < 0) {
        if (!isIsolated.value) selected.value = [];
      } else if (isAdded) selected.value = [...new Set([...selected.value, index])];
      else selected.value = [index];
    } else if (drag.kind === "box") selected.value = this.within(this.rectangle(x, y));
    this.finish();
  }

  private finish(): void {
    this.drag = null;
    this.frame.hidden = true;
  }

  private wheel(event: WheelEvent): void {
    event.preventDefault();
    const { width, height } = this.size();
    const factor = Math.exp(-Math.max(-100, Math.min(100, event.deltaY)) * 0.0022);
    const [fromX, fromY] = [event.offsetX - width / 2, event.offsetY - height / 2];
    this.change(zoomed(camera.value, is3d.value, factor, fromX, fromY, width, height));
  }

  private key(event: KeyboardEvent): void {
    const { width, height } = this.size();
    const arrows: Record<string, [number, number]> = {
      ArrowLeft: [24, 0],
      ArrowRight: [-24, 0],
      ArrowUp: [0, 24],
      ArrowDown: [0, -24],
    };
    const by = arrows[event.key];
    const factor = { "+": 1.25, "=": 1.25, "-": 0.8 }[event.key];
    if (by && is3d.value && !event.shiftKey) this.change(turned(camera.value, by[0], by[1]));
    else if (by) this.change(moved(camera.value, is3d.value, by[0], by[1], width, height));
    else if (factor) this.change(zoomed(camera.value, is3d.value, factor, 0, 0, width, height));
    else if (event.key === "0") this.change(START);
    else if (event.key === "Escape") selected.value = [];
    else return;
    event.preventDefault();
    event.stopPropagation();
  }
}
