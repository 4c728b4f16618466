/** Which step a card shows: the newest until the user moves its slider, or the one all cards share. */

import { useState } from "preact/hooks";
import type { MediaItem } from "../api/schema";
import { formatTime } from "../chart/format";
import { decoded, flagCodec, maybeNumberCodec, urlSignal } from "../state/url";
import { Slider } from "../ui/controls";
import { PlayButton } from "./play";
import { t } from "./words";

export const isLinked = urlSignal("link", false, flagCodec);

/** The step all cards show while they are linked; null for the newest of each. */
export const linkedStep = urlSignal<number | null>("step", null, maybeNumberCodec);

/** Steps chosen card by card, where they are not the newest. */
const chosen = urlSignal<ReadonlyMap<string, number>>("at", new Map(), {
  parse(text) {
    const pairs = text.split(",").map((pair) => pair.split("=", 2));
    const steps = pairs.map(([key, step]) => [decoded(key), Number(step)] as const);
    return new Map(steps.filter(([, step]) => Number.isFinite(step)));
  },
  format: (value) => [...value].map(([key, step]) => `${encodeURIComponent(key)}=${step}`).join(","),
});

/** The last item at or before `step`, or the first. */
export function indexAt(items: readonly MediaItem[], step: number): number {
  let found = 0;
  items.forEach((item, i) => {
    if (item.step <= step) found = i;
  });
  return found;
}

/** The index shown of `items`, and a way to move it. */
export function useStep(
  key: string,
  items: readonly MediaItem[],
): [index: number, move: (index: number) => void] {
  const last = items.length - 1;
  const step = isLinked.value ? linkedStep.value : (chosen.value.get(key) ?? null);
  const index = step === null ? last : indexAt(items, step);
  const move = (next: number) => {
    // At the end of the slider a card goes on to show the newest.
    const target = next >= last ? null : items[next].step;
    if (isLinked.value) linkedStep.value = target;
    else {
      const all = new Map(chosen.value);
      if (target === null) all.delete(key);
      else all.set(key, target);
      chosen.value = all;
    }
  };
  return [index, move];
}

interface Props {
  name: string;
  items: readonly MediaItem[];
  index: number;
  onMove: (index: number) => void;
}

export function StepSlider({ name, items, index, onMove }: Props) {
  const item = items[index];
  if (!item) return null;
  const values = { step: item.step, time: formatTime(item.wall_time), index: index + 1, total: items.length };
  if (items.length === 1) {
    return (
      <p class="step-only" data-tip={t("stepTip", values)}>
        {t("step")} {item.step}
      </p>
    );
  }
  return (
    <div class="step-slider">
      <PlayButton name={name} count={items.length} index={index} onMove={onMove} />
      <Slider
        label={t("stepSlider", { name })}
        isLabelHidden
        tip={t("stepTip", values)}
        value={index}
        min={0}
        max={items.length - 1}
        step={1}
        text={String(item.step)}
        onChange={onMove}
      />
    </div>
  );
}

/** A step that is chosen in a dialog, apart from the cards. */
export function useOwnStep(
  items: readonly MediaItem[],
  initial: number | null,
): [number, (index: number) => void] {
  const [step, setStep] = useState(initial);
  const index = step === null ? items.length - 1 : indexAt(items, step);
  return [index, (next) => setStep(items[next]?.step ?? null)];
}
