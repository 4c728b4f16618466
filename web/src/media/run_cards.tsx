/** Cards of tags and runs: a bar to search and size them, and sections of a card for each visible run that has the tag. */

import type { ComponentChildren } from "preact";
import type { Run } from "../api/schema";
import { progress } from "../state/board";
import { progressMessage } from "../state/notes";
import { pattern } from "../state/order";
import { visibleRuns } from "../state/runs";
import { choiceCodec, setCodec, textCodec, urlSignal } from "../state/url";
import { type Box, CardGrid, type CardSection } from "../ui/card_grid";
import { Notice, Search, Segmented } from "../ui/controls";
import "./media.css";
import type { Tag } from "../state/tags";
import { t } from "./words";

export type CardSize = "small" | "medium" | "large";

export interface RunCard {
  id: string;
  run: Run;
  tag: string;
  /** What the tag is called. */
  title: string;
  /** Whether the card has to say it, as its section does not. */
  isTitled: boolean;
}

interface Props {
  tags: ReadonlyMap<string, Tag>;
  sizes: Record<CardSize, { width: number; height: number }>;
  /** The section a tag is in; unless given its own, or that of all with its prefix if one run each has logged them. */
  sectionOf?: (entry: Tag) => string;
  /** How to log something of the kind, for who has none. */
  hint?: string;
  /** Further controls in the panel's bar. */
  controls?: ComponentChildren;
  /** The height of a row of cards, where it depends on what is in them. */
  heightOf?: (cards: readonly RunCard[], most: number) => number;
  /** How much wider cards may become where there are few. */
  stretch?: number;
  render: (card: RunCard, box: Box) => ComponentChildren;
}

function titleOf({ tag, display_name }: Tag): string {
  return display_name || tag;
}

export function runCard(entry: Tag, run: Run): RunCard {
  return { id: `${run.id}\n${entry.tag}`, run, tag: entry.tag, title: titleOf(entry), isTitled: true };
}

type Section = CardSection<RunCard> & { cards: RunCard[] };

/** Sections of tags; those of one prefix that hold a card each, which would take a row each, are one, where the first was. */
export function joined(sections: readonly Section[]): Section[] {
  const byPrefix = new Map<string, Section[]>();
  for (const section of sections) {
    const prefix = section.id.slice(0, section.id.indexOf("/") + 1);
    byPrefix.set(prefix, [...(byPrefix.get(prefix) ?? []), section]);
  }
  const found = new Map<Section, Section>();
  for (const [prefix, all] of byPrefix) {
    const isOne = all.length > 1 && all.every(({ cards }) => cards.length <= 1);
    const title = prefix.slice(0, -1) || t("general");
    if (isOne) found.set(all[0], { id: prefix, title, cards: all.flatMap(({ cards }) => cards) });
    else for (const one of all) found.set(one, { ...one, cards: one.cards.map(untitled) });
  }
  return sections.flatMap((section) => found.get(section) ?? []);
}

function untitled(card: RunCard): RunCard {
  return { ...card, isTitled: false };
}

const tagFilter = urlSignal("mtags", "", textCodec);
const closed = urlSignal<ReadonlySet<string>>("mclosed", new Set(), setCodec);
const size = urlSignal<CardSize>("msize", "medium", choiceCodec("small", "medium", "large"));

export function RunCards({ tags, sizes, sectionOf, hint, controls, heightOf, stretch, render }: Props) {
  const wanted = pattern(tagFilter.value);
  const sections = new Map<string, Section>();
  for (const entry of tags.values()) {
    if (wanted && !wanted.test(entry.tag)) continue;
    const id = sectionOf ? sectionOf(entry) : entry.tag;
    const section = sections.get(id) ?? { id, title: sectionOf ? id : titleOf(entry), cards: [] };
    sections.set(id, section);
    for (const run of visibleRuns.value) {
      if (entry.counts.has(run.id)) section.cards.push(runCard(entry, run));
    }
  }
  const isAny = [...sections.values()].some(({ cards }) => cards.length > 0);
  const isLoading = progress.value !== null && !progress.value.is_done;
  return (
    <div class="panel">
      <div class="toolbar" role="toolbar" aria-label={t("toolbar")}>
        <Search
          label={t("searchTags")}
          tip={t("searchTagsTip")}
          value={tagFilter.value}
          shortcut="/"
          onChange={(text) => {
            tagFilter.value = text;
          }}
        />
        {controls}
        <Segmented
          label={t("size")}
          tip={t("sizeTip")}
          value={size.value}
          options={[
            ["small", t("small")],
            ["medium", t("medium")],
            ["large", t("large")],
          ]}
          onChange={(value) => {
            size.value = value;
          }}
        />
      </div>
      {tags.size === 0 && (
        <Notice title={isLoading ? t("loading") : t("empty")} isBusy={isLoading}>
          {isLoading ? progressMessage.value : hint || t("emptyText")}
        </Notice>
      )}
      {tags.size > 0 && sections.size === 0 && (
        <Notice title={t("noMatch")}>{t("noMatchText", { text: tagFilter.value, n: tags.size })}</Notice>
      )}
      {sections.size > 0 && !isAny && <Notice title={t("noRuns")}>{t("noRunsText")}</Notice>}
      {isAny && (
        <CardGrid
          size={sizes[size.value]}
          closed={closed}
          sections={sectionOf ? [...sections.values()] : joined([...sections.values()])}
          heightOf={heightOf}
          stretch={stretch}
          render={render}
        />
      )}
    </div>
  );
}
