/** The layout that runs have logged, as sections of cards; fetched again when there are new tags or layouts. */

import { computed, effect, signal } from "@preact/signals";
import type { CustomChart, CustomLayout, Note } from "../../api/schema";
import { source } from "../../api/source";
import { tagsOf } from "../../state/board";
import { setCodec, textCodec, urlSignal } from "../../state/url";
import type { Card } from "../scalars/cards";

export interface Chart extends Card {
  /** Why lines are missing; "" if none is. */
  problem: Note | null;
}

export interface Category {
  id: string;
  title: string;
  isClosed: boolean;
  cards: Chart[];
}

export const tagFilter = urlSignal("cstags", "", textCodec);
/** The card that fills the screen, by id. */
export const opened = urlSignal("cscard", "", textCodec);
/** Categories that the user has folded, or unfolded where the layout has them folded. */
const turned = urlSignal<ReadonlySet<string>>("csturned", new Set(), setCodec);

export const layout = signal<CustomLayout | null>(null);
export const failure = signal("");

export function categoriesOf(found: CustomLayout): Category[] {
  return found.categories.map(({ title, is_closed, charts }) => ({
    id: title,
    title,
    isClosed: is_closed,
    cards: charts.map((chart, i) => cardOf(chart, title, i)),
  }));
}

function cardOf(chart: CustomChart, section: string, index: number): Chart {
  const { title, lines, margins } = chart;
  const tags = margins.length
    ? margins.flatMap(({ value, lower, upper }) => [value, lower, upper])
    : lines.flatMap((line) => line.tags);
  return {
    id: `${section}\n${index}\n${title}`,
    title,
    section,
    tags: [...new Set(tags)],
    validation: new Set(),
    isCombined: true,
    ...(margins.length ? { margins } : {}),
    problem: lines.flatMap((line) => line.notes)[0] ?? null,
  };
}

export const categories = computed<Category[]>(() => (layout.value ? categoriesOf(layout.value) : []));

/** Ids of the categories that are folded. */
export const folded = {
  get value(): ReadonlySet<string> {
    const isFolded = ({ id, isClosed }: Category) => isClosed !== turned.value.has(id);
    return new Set(categories.value.filter(isFolded).map(({ id }) => id));
  },
  set value(next: ReadonlySet<string>) {
    const isTurned = ({ id, isClosed }: Category) => isClosed !== next.has(id);
    turned.value = new Set(categories.value.filter(isTurned).map(({ id }) => id));
  },
};

const SETTLING_MS = 300;

/** Follows the layout while the panel is shown. */
export function followLayout(): () => void {
  let timer: ReturnType<typeof setTimeout> | undefined;
  let turn = 0;
  let asked = "";
  const ask = async () => {
    const mine = ++turn;
    try {
      const found = await source.get<CustomLayout>("api/v1/custom_scalars/layout");
      if (mine !== turn) return;
      layout.value = found;
      failure.value = "";
    } catch (error) {
      if (mine === turn) failure.value = (error as Error).message;
    }
  };
  const stop = effect(() => {
    const logged = [...tagsOf("custom_scalars").values()].map(({ counts }) =>
      [...counts.runs()].map((run) => [run, counts.get(run)]),
    );
    const wanted = JSON.stringify([[...tagsOf("scalars").keys()], logged]);
    if (wanted === asked) return;
    clearTimeout(timer);
    timer = setTimeout(ask, asked ? SETTLING_MS : 0);
    asked = wanted;
  });
  return () => {
    stop();
    clearTimeout(timer);
    turn++;
  };
}
