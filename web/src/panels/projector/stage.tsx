/** The points on the screen: drawn by WebGL, turned and chosen with pointer and keys. */

import { effect } from "@preact/signals";
import { useEffect, useRef, useState } from "preact/hooks";
import { source } from "../../api/source";
import { theme } from "../../state/appearance";
import { Notice } from "../../ui/controls";
import { inside, matrixOf, nearest, project, type Screen, viewDistance } from "./camera";
import { rgbOf } from "./colors";
import { compass } from "./compass";
import { draw } from "./labels";
import { groups, labelsOf } from "./naming";
import { fairOrder, Pace } from "./pace";
import { drawRing, showTip } from "./pointed";
import { type Look, type Pictures, PointsView } from "./points";
import { Sketch } from "./sketch";
import { camera, hovered, is3d, method, pointSize, showsLabels, showsPictures } from "./state";
import { Steering } from "./steering";
import { coloring, currentStep, facts, labelColumn, layout, lit, spriteUrl, states } from "./store";
import { t } from "./words";

const REACH = 9;
const LEAST_PICTURE = 14;
/** From the lower right corner to the middle of the compass. */
const COMPASS = 48;
/** Many that are lit up need not be large to be seen. */
const MANY_LIT = 300;
/** More points than these are not drawn by the processor in the time of a frame. */
const MOST_SKETCHED = 300_000;

/** Saves what is on the screen; set while the stage is there. */
export const picture: { take: (() => Promise<Blob>) | null } = { take: null };

export function Stage() {
  const box = useRef<HTMLDivElement>(null);
  const canvas = useRef<HTMLCanvasElement>(null);
  const draft = useRef<HTMLCanvasElement>(null);
  const overlay = useRef<HTMLCanvasElement>(null);
  const [problem, setProblem] = useState("");
  const [note, setNote] = useState("");
  useEffect(() => {
    try {
      return begin(box.current!, canvas.current!, draft.current!, overlay.current!, setNote);
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
      <canvas ref={draft} class="stage-points" hidden />
      <canvas ref={overlay} class="stage-labels" />
      <div class="stage-box" hidden />
      <div class="stage-tip" hidden />
      {note && <p class="stage-note">{note}</p>}
    </div>
  );
}

function begin(
  box: HTMLElement,
  canvas: HTMLCanvasElement,
  draft: HTMLCanvasElement,
  overlay: HTMLCanvasElement,
  say: (note: string) => void,
): () => void {
  const view = new PointsView(canvas);
  const sketch = new Sketch(draft);
  const pen = overlay.getContext("2d")!;
  const frame = box.querySelector<HTMLElement>(".stage-box")!;
  const tip = box.querySelector<HTMLElement>(".stage-tip")!;
  let [width, height, scale] = [1, 1, 1];
  let request = 0;
  let screen: Screen | null = null;
  let isStale = true;

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
    const inkOf = (name: string) => {
      const [red, green, blue] = rgbOf(style.getPropertyValue(name).trim());
      return [red / 255, green / 255, blue / 255] as const;
    };
    const places = layout.peek()?.places ?? new Float32Array(0);
    const count = places.length / 3;
    const pictures = showsPictures.peek() && spriteUrl.peek() ? LEAST_PICTURE : 0;
    const most = pace.most(count);
    const isSketched = pace.isMoving && pace.isSlow && !pictures && count <= MOST_SKETCHED;
    const unit = isSketched ? 1 : scale;
    const look: Look = {
      matrix: matrix(),
      is3d: is3d.peek(),
      away: viewDistance(camera.peek()),
      size: (pictures + pointSize.peek() * (pictures ? 2 : growth(count))) * unit,
      litScale: pictures || lit.peek().size > MANY_LIT ? 0.2 : 0.8,
      ground: inkOf("--bg"),
    };
    const cloud = { places, colors: coloring.peek().colors, states: states.peek() };
    const strokes = is3d.peek() ? compass(camera.peek(), (width - COMPASS) * unit, COMPASS * unit, unit) : [];
    const ink = inkOf("--text-3");
    const drawn = isSketched
      ? sketch.draw(cloud, look, [width, height], most, fairOrder(count), strokes, ink)
      : view.draw(look, most);
    if (!isSketched) view.drawStrokes(strokes, 1.25 * unit, ink);
    canvas.hidden = isSketched;
    draft.hidden = !isSketched;
    box.dataset.drawn = String(drawn);
    const names = labelsOf(seen, width, height);
    const isMarked = names.length > 0 || hovered.peek() >= 0;
    // A canvas over the points, even an empty one, takes longer to be put on the page than they take to be drawn.
    overlay.hidden = !isMarked;
    if (isMarked) {
      pen.setTransform(scale, 0, 0, scale, 0, 0);
      pen.clearRect(0, 0, width, height);
      draw(pen, names, style.getPropertyValue("--text"), style.getPropertyValue("--bg"));
      if (hovered.peek() >= 0) drawRing(pen, seen(), style.getPropertyValue("--text"));
    }
  };
  const redraw = () => {
    isStale = true;
    if (!request) request = requestAnimationFrame(paint);
  };
  const pace = new Pace(redraw);
  picture.take = () => {
    pace.rest();
    paint();
    const both = document.createElement("canvas");
    both.width = canvas.width;
    both.height = canvas.height;
    const context = both.getContext("2d")!;
    context.drawImage(canvas, 0, 0);
    if (!overlay.hidden) context.drawImage(overlay, 0, 0);
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
    effect(() => showTip(tip, seen, box)),
  ];

  const steering = new Steering(box, frame, {
    at: (x, y) => nearest(seen(), x, y, REACH, isShown),
    within: (rectangle) => inside(seen(), ...rectangle, isShown),
  });
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
    steering.close();
    picture.take = null;
  };
}

/** Few points are drawn larger, so that they are seen. */
function growth(count: number): number {
  return count < 1000 ? 1.6 : count < 10_000 ? 1.25 : 1;
}

async function load(url: string): Promise<ImageBitmap> {
  return createImageBitmap(new Blob([await source.bytes(url)]));
}
