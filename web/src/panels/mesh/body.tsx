/** One mesh in its card: a canvas that turns it, and what there is to say about it. */

import { signal } from "@preact/signals";
import { useEffect, useLayoutEffect, useRef } from "preact/hooks";
import type { MediaItem } from "../../api/schema";
import { formatCount } from "../../chart/format";
import { drawNever, drawSoon } from "../../chart/queue";
import { fileName, saveBlob } from "../../chart/svg";
import type { RunCard } from "../../media/run_cards";
import { t as shared } from "../../media/words";
import { colorOf, label } from "../../state/runs";
import { Select } from "../../ui/controls";
import { Fingers, wheelZoom } from "../../ui/gestures";
import { SaveMenu } from "../../ui/save_menu";
import { type Bounds, moved, turned, zoomed } from "./camera";
import { type Geometry, MOST_TRIANGLES, toPly } from "./geometry";
import { useGeometry } from "./parts";
import { Renderer } from "./renderer";
import * as state from "./state";
import { t } from "./words";

/** Counts how often the browser took the graphics away and gave them back. */
const restored = signal(0);

const renderers = new Map<boolean, Renderer | null>();

/** The renderer of all surfaces, or of all clouds; null where there is no WebGL. */
function rendererOf(isCloud: boolean): Renderer | null {
  let found = renderers.get(isCloud);
  if (found === undefined) {
    try {
      found = new Renderer(!isCloud, () => restored.value++);
    } catch {
      // Said in every card.
      found = null;
    }
    renderers.set(isCloud, found);
  }
  return found;
}

export function MeshBody({ item, card }: { item: MediaItem; card: RunCard }) {
  const { geometry, error } = useGeometry(card.run.id, card.tag, item, state.sample.value);
  const canvas = useRef<HTMLCanvasElement>(null);
  if (error) return <p class="media-note">{shared("broken", { error })}</p>;
  if (!geometry) return <p class="media-note">{shared("loading")}</p>;
  const name = `${card.title}, ${label(card.run)}`;
  const file = `${card.title}-${item.step}`;
  return (
    <div class="mesh">
      {rendererOf(!geometry.triangles) ? (
        <MeshCanvas geometry={geometry} card={card} name={name} canvas={canvas} />
      ) : (
        <p class="media-note">{t("noWebgl")}</p>
      )}
      <div class="mesh-foot">
        <span class="mesh-what">{what(geometry)}</span>
        {item.samples.length > 1 && (
          <Select
            label={t("sample")}
            tip={t("sampleTip", { n: item.samples.length })}
            value={String(Math.min(state.sample.value, item.samples.length - 1))}
            options={item.samples.map((_, i) => [String(i), String(i)] as const)}
            onChange={(value) => {
              state.sample.value = Number(value);
            }}
          />
        )}
        <SaveMenu
          tip={t("downloadTip")}
          ways={[
            rendererOf(!geometry.triangles) !== null && [
              t("savePng"),
              () => canvas.current?.toBlob((blob) => blob && saveBlob(blob, fileName(file, "png"))),
            ],
            [t("savePly"), () => saveBlob(toPly(geometry), fileName(file, "ply"))],
          ]}
        />
      </div>
    </div>
  );
}

function what({ positions, pointTotal, triangles, triangleTotal, dropped }: Geometry): string {
  const drawn = positions.length / 3;
  const counts = { points: formatCount(pointTotal), triangles: formatCount(triangleTotal) };
  const parts = [triangles ? t("body", counts) : t("cloud", counts)];
  if (pointTotal === 0) parts.push(t("nothing"));
  if (drawn < pointTotal) parts.push(t("cut", { n: formatCount(drawn), total: counts.points }));
  if (triangleTotal > MOST_TRIANGLES)
    parts.push(t("cutTriangles", { n: formatCount(MOST_TRIANGLES), total: counts.triangles }));
  if (dropped > 0) parts.push(t("dropped", { n: formatCount(dropped) }));
  return parts.join(" · ");
}

interface CanvasProps {
  geometry: Geometry;
  card: RunCard;
  name: string;
  canvas: { current: HTMLCanvasElement | null };
}

const TURN_KEY = Math.PI / 24;
const MOVE_KEY = 0.05;
const ZOOM_KEY = 1.25;

function MeshCanvas({ geometry, card, name, canvas }: CanvasProps) {
  // Fitted to what is first shown: steps are compared at one scale.
  const bounds = useRef<Bounds>(geometry.bounds);
  const drag = useRef<{ x: number; y: number; isMove: boolean } | null>(null);
  const fingers = useRef<Fingers | null>(null);
  const camera = state.cameraOf(card.id);
  const picture = {
    geometry,
    bounds: bounds.current,
    camera,
    drawing: state.drawing.value,
    isLit: state.isLit.value,
    isMoving: state.isMoving.value,
    pointSize: state.pointSize.value || sizeFor(geometry.positions.length / 3),
    color: rgb(colorOf(card.run)),
  };
  const latest = useRef(picture);
  latest.current = picture;
  restored.value;

  const draw = useRef(() => {
    const element = canvas.current;
    if (!element) return;
    const ratio = devicePixelRatio;
    const [width, height] = [element.clientWidth, element.clientHeight].map((one) => Math.round(one * ratio));
    if (element.width !== width) element.width = width;
    if (element.height !== height) element.height = height;
    const isCloud = !latest.current.geometry.triangles || latest.current.drawing === "points";
    rendererOf(isCloud)?.draw(element, latest.current, () => drawSoon(draw));
  }).current;
  useEffect(() => drawSoon(draw));
  useEffect(
    () => () => {
      for (const one of renderers.values()) one?.forget(geometry);
    },
    [geometry],
  );
  useLayoutEffect(() => {
    const element = canvas.current!;
    const observer = new ResizeObserver(() => drawSoon(draw));
    observer.observe(element);
    fingers.current = new Fingers(element);
    // Preact's own handler could not keep the page from scrolling.
    const wheel = (event: WheelEvent) => {
      if (document.activeElement !== element && !event.ctrlKey) return;
      event.preventDefault();
      state.moveCamera(card.id, (one) => zoomed(one, wheelZoom(event)));
    };
    element.addEventListener("wheel", wheel, { passive: false });
    return () => {
      drawNever(draw);
      observer.disconnect();
      element.removeEventListener("wheel", wheel);
    };
  }, [card.id]);

  const reset = () => {
    bounds.current = geometry.bounds;
    state.resetCamera(card.id);
    drawSoon(draw);
  };
  const drop = (event: PointerEvent) => {
    fingers.current!.up(event);
    drag.current = null;
  };
  const keys = (event: KeyboardEvent) => {
    const act = keyAction(event, card.id, reset);
    if (!act) return;
    act();
    event.preventDefault();
  };
  return (
    <canvas
      ref={canvas}
      class="mesh-canvas"
      role="img"
      tabIndex={0}
      aria-label={t("canvas", { name, what: what(geometry) })}
      onKeyDown={keys}
      onDblClick={reset}
      onContextMenu={(event) => event.preventDefault()}
      onPointerDown={(event) => {
        event.currentTarget.setPointerCapture(event.pointerId);
        fingers.current!.down(event);
        drag.current = { x: event.clientX, y: event.clientY, isMove: event.shiftKey || event.button !== 0 };
      }}
      onPointerMove={(event) => {
        const height = event.currentTarget.clientHeight || 1;
        const pinch = fingers.current!.move(event);
        if (pinch)
          state.moveCamera(card.id, (one) =>
            zoomed(moved(one, pinch.dx / height, -pinch.dy / height), pinch.factor),
          );
        const from = drag.current;
        if (!from || fingers.current!.isPinching) return;
        const [dx, dy] = [(event.clientX - from.x) / height, (event.clientY - from.y) / height];
        drag.current = { ...from, x: event.clientX, y: event.clientY };
        state.moveCamera(card.id, (one) =>
          from.isMove ? moved(one, dx, -dy) : turned(one, -dx * Math.PI, dy * Math.PI),
        );
      }}
      onPointerUp={drop}
      onPointerCancel={drop}
    />
  );
}

function keyAction(event: KeyboardEvent, card: string, reset: () => void): (() => void) | undefined {
  const go = (right: number, up: number) => () =>
    state.moveCamera(card, (one) =>
      event.shiftKey
        ? moved(one, right * MOVE_KEY, up * MOVE_KEY)
        : turned(one, right * TURN_KEY, up * TURN_KEY),
    );
  const zoom = (factor: number) => () => state.moveCamera(card, (one) => zoomed(one, factor));
  const act: Record<string, () => void> = {
    ArrowLeft: go(-1, 0),
    ArrowRight: go(1, 0),
    ArrowUp: go(0, 1),
    ArrowDown: go(0, -1),
    "+": zoom(ZOOM_KEY),
    "=": zoom(ZOOM_KEY),
    "-": zoom(1 / ZOOM_KEY),
    "0": reset,
  };
  return act[event.key];
}

/** Few points are large, so that they are seen; many are small, so that they are told apart. */
function sizeFor(points: number): number {
  return points < 2000 ? 5 : points < 20_000 ? 3.5 : points < 200_000 ? 2.5 : 1.5;
}

function rgb(color: string): [number, number, number] {
  const digits = /^#([0-9a-f]{6})$/i.exec(color)?.[1] ?? "888888";
  const part = (i: number) => Number.parseInt(digits.slice(2 * i, 2 * i + 2), 16) / 255;
  return [part(0), part(1), part(2)];
}
