/** A picture large, beside another, or their difference; zoomed and moved together. */

import { useEffect, useRef, useState } from "preact/hooks";
import type { MediaItem, Run } from "../../api/schema";
import { source } from "../../api/source";
import { useItems } from "../../media/items";
import { StepSlider, useOwnStep } from "../../media/steps";
import { tagsOf } from "../../state/board";
import { label, visibleRuns } from "../../state/runs";
import { NO_COUNTS } from "../../state/tags";
import { IconButton, Segmented, Select, Slider } from "../../ui/controls";
import { Sheet } from "../../ui/dialog";
import { Fingers, wheelZoom } from "../../ui/gestures";
import { difference, pixelsOf } from "./difference";
import { t } from "./words";

type Mode = "single" | "side" | "difference";

interface View {
  scale: number;
  x: number;
  y: number;
}

const WHOLE: View = { scale: 1, x: 0, y: 0 };
const MOST_SCALE = 64;

/** What keys do to the view. */
const MOVES: Record<string, View> = {
  ArrowLeft: { scale: 1, x: 40, y: 0 },
  ArrowRight: { scale: 1, x: -40, y: 0 },
  ArrowUp: { scale: 1, x: 0, y: 40 },
  ArrowDown: { scale: 1, x: 0, y: -40 },
  "+": { scale: 1.5, x: 0, y: 0 },
  "=": { scale: 1.5, x: 0, y: 0 },
  "-": { scale: 1 / 1.5, x: 0, y: 0 },
};

/** One side of a comparison: a run, a step and a sample of it. */
function useSide(tag: string, firstRun: string, firstStep: number | null) {
  const [run, setRun] = useState(firstRun);
  const [sample, setSample] = useState(0);
  const { items } = useItems("images", run, tag);
  const [index, move] = useOwnStep(items, firstStep);
  const item: MediaItem | undefined = items[index];
  const url = item?.samples[Math.min(sample, item.samples.length - 1)]?.url;
  return { run, setRun, sample, setSample, items, index, move, item, url: url && source.blobUrl(url) };
}

type Side = ReturnType<typeof useSide>;

interface Props {
  run: Run;
  tag: string;
  step: number;
  filter: string;
  onClose: () => void;
}

export function ImageViewer({ run: first, tag, step, filter, onClose }: Props) {
  const counts = tagsOf("images").get(tag)?.counts ?? NO_COUNTS;
  const others = visibleRuns.value.filter((run) => counts.has(run.id) && run !== first);
  const runs = [first, ...others];
  const other = runs.find((run) => run.id !== first.id) ?? first;
  const [mode, setMode] = useState<Mode>("single");
  const [view, setView] = useState<View>(WHOLE);
  const [gain, setGain] = useState(1);
  const left = useSide(tag, first.id, step);
  const right = useSide(tag, other.id, other === first ? -Infinity : step);
  const zoom = (factor: number) =>
    setView({ ...view, scale: Math.min(MOST_SCALE, Math.max(1, view.scale * factor)) });
  return (
    <Sheet title={tag} onClose={onClose} class="viewer">
      <header class="sheet-head viewer-head">
        <h2>{tag}</h2>
        <Segmented
          label={t("mode")}
          tip={t("modeTip")}
          value={mode}
          options={[
            ["single", t("single")],
            ["side", t("side")],
            ["difference", t("difference")],
          ]}
          onChange={setMode}
        />
        {mode === "difference" && (
          <Slider
            label={t("gain")}
            tip={t("gainTip")}
            value={gain}
            min={1}
            max={16}
            step={1}
            text={`${gain}×`}
            onChange={setGain}
          />
        )}
        <span class="viewer-gap" />
        <button
          type="button"
          class="text-button"
          data-tip={t("zoomOut")}
          aria-label={t("zoomOut")}
          onClick={() => zoom(1 / 1.5)}
        >
          −
        </button>
        <button type="button" class="text-button" data-tip={t("zoomTip")} onClick={() => setView(WHOLE)}>
          {view.scale === 1 ? t("zoomReset") : `${Math.round(view.scale * 100)} %`}
        </button>
        <button
          type="button"
          class="text-button"
          data-tip={t("zoomIn")}
          aria-label={t("zoomIn")}
          onClick={() => zoom(1.5)}
        >
          +
        </button>
        <IconButton icon="close" tip={t("close")} onClick={onClose} />
      </header>
      <div class="viewer-sides">
        <SideView side={left} runs={runs} tag={tag} view={view} onView={setView} filter={filter} />
        {mode === "side" && (
          <SideView side={right} runs={runs} tag={tag} view={view} onView={setView} filter={filter} />
        )}
        {mode === "difference" && (
          <>
            <SideView side={right} runs={runs} tag={tag} view={view} onView={setView} filter={filter} />
            <DifferenceView a={left.url} b={right.url} gain={gain} view={view} onView={setView} />
          </>
        )}
      </div>
    </Sheet>
  );
}

interface SideProps {
  side: Side;
  runs: readonly Run[];
  tag: string;
  view: View;
  onView: (view: View) => void;
  filter: string;
}

function SideView({ side, runs, tag, view, onView, filter }: SideProps) {
  const name = label(runs.find((run) => run.id === side.run) ?? runs[0]);
  const samples = side.item?.samples.length ?? 0;
  const text = t("picture", { tag, run: name, step: side.item?.step ?? 0 });
  return (
    <section class="viewer-side" aria-label={text}>
      <div class="viewer-choice">
        <Select
          label={t("run")}
          tip={t("runTip")}
          value={side.run}
          options={runs.map((run) => [run.id, label(run)] as const)}
          onChange={side.setRun}
        />
        {samples > 1 && (
          <Select
            label={t("sample")}
            tip={t("sampleTip")}
            value={String(side.sample)}
            options={Array.from({ length: samples }, (_, i) => [String(i), String(i + 1)] as const)}
            onChange={(value) => side.setSample(Number(value))}
          />
        )}
        {side.item && side.item.width > 0 && (
          <span class="viewer-size">{t("pixels", { width: side.item.width, height: side.item.height })}</span>
        )}
        {side.url && (
          <a
            class="text-button"
            href={side.url}
            download={`${tag.replaceAll("/", "_")}-${side.item?.step}`}
            data-tip={t("save")}
          >
            ↓
          </a>
        )}
      </div>
      <Stage view={view} onView={onView}>
        {(transform) =>
          side.url && <img src={side.url} alt={text} style={{ transform, filter }} draggable={false} />
        }
      </Stage>
      <StepSlider name={name} items={side.items} index={side.index} onMove={side.move} />
    </section>
  );
}

interface StageProps {
  view: View;
  onView: (view: View) => void;
  children: (transform: string) => preact.ComponentChildren;
}

/** The part of the sheet a picture is moved and zoomed in: wheel, drag, double-click. */
function Stage({ view, onView, children }: StageProps) {
  const stage = useRef<HTMLDivElement>(null);
  const latest = useRef({ view, onView });
  latest.current = { view, onView };
  const fingers = useRef<Fingers | null>(null);
  const zoomAt = useRef((factor: number, x: number, y: number) => {
    const { view: before, onView: change } = latest.current;
    const { clientWidth, clientHeight } = stage.current!;
    const scale = Math.min(MOST_SCALE, Math.max(1, before.scale * factor));
    // What is under the pointer stays there.
    const [px, py] = [x - clientWidth / 2, y - clientHeight / 2];
    const ratio = scale / before.scale;
    change(scale === 1 ? WHOLE : { scale, x: px - (px - before.x) * ratio, y: py - (py - before.y) * ratio });
  }).current;
  useEffect(() => {
    const element = stage.current!;
    fingers.current = new Fingers(element);
    const wheel = (event: WheelEvent) => {
      event.preventDefault();
      const box = element.getBoundingClientRect();
      zoomAt(wheelZoom(event), event.clientX - box.left, event.clientY - box.top);
    };
    element.addEventListener("wheel", wheel, { passive: false });
    return () => element.removeEventListener("wheel", wheel);
  }, []);
  return (
    <div
      ref={stage}
      class="viewer-stage"
      role="group"
      tabIndex={0}
      aria-label={t("stage")}
      onKeyDown={(event) => {
        const by = MOVES[event.key];
        if (!by) return;
        event.preventDefault();
        const scale = Math.min(MOST_SCALE, Math.max(1, view.scale * by.scale));
        onView(scale === 1 && by.scale < 1 ? WHOLE : { scale, x: view.x + by.x, y: view.y + by.y });
      }}
      onDblClick={() => onView(WHOLE)}
      onPointerDown={(event) => {
        event.currentTarget.setPointerCapture(event.pointerId);
        fingers.current!.down(event);
      }}
      onPointerMove={(event) => {
        const pinch = fingers.current!.move(event);
        if (pinch) zoomAt(pinch.factor, pinch.x, pinch.y);
        if (fingers.current!.isPinching || !event.currentTarget.hasPointerCapture(event.pointerId)) return;
        onView({ ...view, x: view.x + event.movementX, y: view.y + event.movementY });
      }}
      onPointerUp={(event) => fingers.current!.up(event)}
      onPointerCancel={(event) => fingers.current!.up(event)}
    >
      {children(`translate(${view.x}px, ${view.y}px) scale(${view.scale})`)}
    </div>
  );
}

interface DifferenceProps {
  a: string | undefined;
  b: string | undefined;
  gain: number;
  view: View;
  onView: (view: View) => void;
}

function DifferenceView({ a, b, gain, view, onView }: DifferenceProps) {
  const canvas = useRef<HTMLCanvasElement>(null);
  const [note, setNote] = useState("");
  useEffect(() => {
    if (!a || !b) return;
    let isCurrent = true;
    Promise.all([pixelsOf(a), pixelsOf(b)]).then(
      ([first, second]) => {
        if (!isCurrent || !canvas.current) return;
        const sizes = [first, second].map((picture) => `${picture.width} × ${picture.height}`);
        if (sizes[0] !== sizes[1]) {
          setNote(t("sizes", { a: sizes[0], b: sizes[1] }));
          return;
        }
        const { picture, mean, most } = difference(first, second, gain);
        canvas.current.width = picture.width;
        canvas.current.height = picture.height;
        canvas.current.getContext("2d")!.putImageData(picture, 0, 0);
        setNote(t("mean", { mean: mean.toFixed(2), most }));
      },
      () => isCurrent && setNote(t("broken")),
    );
    return () => {
      isCurrent = false;
    };
  }, [a, b, gain]);
  return (
    <section class="viewer-side" aria-label={t("difference")}>
      <div class="viewer-choice">
        <strong>{t("difference")}</strong>
      </div>
      <Stage view={view} onView={onView}>
        {(transform) => <canvas ref={canvas} style={{ transform }} />}
      </Stage>
      <p class="step-only" role="status">
        {note}
      </p>
    </section>
  );
}
