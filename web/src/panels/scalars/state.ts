/** How scalars are shown. All of it is in the address, but pinned and combined cards, which the board keeps. */

import { computed } from "@preact/signals";
import type { Axis } from "../../api/schema";
import type { Range } from "../../chart/line";
import { changePage, settings, tagsOf } from "../../state/board";
import { pattern } from "../../state/order";
import { visibleRuns } from "../../state/runs";
import {
  choiceCodec,
  flagCodec,
  numberCodec,
  rangeCodec,
  setCodec,
  textCodec,
  urlSignal,
} from "../../state/url";
import { type Card, makeCards, type Section, sections } from "./cards";

export const tagFilter = urlSignal("tags", "", textCodec);
export const smoothing = urlSignal("smooth", 0.6, numberCodec(0, 0.999));
export const axis = urlSignal<Axis>("x", "step", choiceCodec("step", "relative", "wall"));
export const isLogX = urlSignal("logx", false, flagCodec);
export const isLogY = urlSignal("logy", false, flagCodec);
export const isClipped = urlSignal("clip", false, flagCodec);
/** Whether training and validation tags of one name share a card. */
export const isPaired = urlSignal("pair", true, flagCodec);
/** Whether grouped runs are drawn as their mean and spread. */
export const showsSpread = urlSignal("spread", true, flagCodec);
export const cardSize = urlSignal<"small" | "medium" | "large">(
  "size",
  "medium",
  choiceCodec("small", "medium", "large"),
);
export const closedSections = urlSignal<ReadonlySet<string>>("closed", new Set(), setCodec);
/** The card that fills the screen, by id. */
export const openCard = urlSignal("card", "", textCodec);

/** The part of the x axis all cards show, null for all. It is of one axis: another axis begins whole again. */
export const zoom = urlSignal<Range | null>("zoom", null, rangeCodec);

interface PageSettings {
  pinned?: string[];
  combined?: string[][];
}

const page = computed<PageSettings>(() => settings.value.page);

export const pinned = computed<readonly string[]>(() => page.value.pinned ?? []);

export function togglePin(id: string): void {
  const isOn = pinned.value.includes(id);
  changePage({ pinned: isOn ? pinned.value.filter((other) => other !== id) : [...pinned.value, id] });
}

export const combined = computed<readonly string[][]>(() => page.value.combined ?? []);

export function combine(tags: string[]): void {
  changePage({ combined: [...combined.value, tags] });
}

export function takeApart(card: Card): void {
  const key = card.tags.join("\n");
  changePage({ combined: combined.value.filter((tags) => tags.join("\n") !== key) });
}

export const cards = computed<Card[]>(() =>
  makeCards([...tagsOf("scalars").keys()], combined.value, isPaired.value),
);

/** Cards that fit the search and have a run in view; a pinned card stays whatever is in view. */
export const shownSections = computed<Section[]>(() => {
  const wanted = pattern(tagFilter.value);
  const visible = new Set(visibleRuns.value.map((run) => run.id));
  const all = tagsOf("scalars");
  const isInView = (tag: string) => all.get(tag)?.counts.some((run) => visible.has(run)) ?? false;
  const shown = cards.value.filter(
    (card) =>
      (!wanted || card.tags.some((tag) => wanted.test(tag))) &&
      (pinned.value.includes(card.id) || card.tags.some(isInView)),
  );
  return sections(shown, pinned.value);
});
