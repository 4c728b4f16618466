/** A panel of media: a section for each tag, a card in it for each visible run. */

import type { ComponentChildren } from "preact";
import type { MediaItem, Run, TagEntry } from "../api/schema";
import { tagsOf } from "../state/board";
import { pattern } from "../state/order";
import { colorOf, label, visibleRuns } from "../state/runs";
import { choiceCodec, setCodec, textCodec, urlSignal } from "../state/url";
import { CardGrid } from "../ui/card_grid";
import { Notice, Search, Segmented, Toggle } from "../ui/controls";
import { useItems } from "./items";
import "./media.css";
import { isLinked, StepSlider, useStep } from "./steps";
import { t } from "./words";

export type CardSize = "small" | "medium" | "large";

export interface MediaCard {
  id: string;
  run: Run;
  tag: string;
}

interface Props {
  panel: string;
  /** The tags to show, where they are not all the panel has. */
  tags?: ReadonlyMap<string, TagEntry>;
  sizes: Record<CardSize, { width: number; height: number }>;
  /** What a card shows of a step. */
  children: (item: MediaItem, card: MediaCard) => ComponentChildren;
  /** Buttons in the head of a card. */
  tools?: (item: MediaItem | undefined, card: MediaCard) => ComponentChildren;
  /** Further controls in the panel's bar. */
  controls?: ComponentChildren;
}

const tagFilter = urlSignal("mtags", "", textCodec);
const closed = urlSignal<ReadonlySet<string>>("mclosed", new Set(), setCodec);
const size = urlSignal<CardSize>("msize", "medium", choiceCodec("small", "medium", "large"));

export function MediaPanel({ panel, tags = tagsOf(panel), sizes, children, tools, controls }: Props) {
  const wanted = pattern(tagFilter.value);
  const sections = [...tags.values()]
    .filter(({ tag }) => !wanted || wanted.test(tag))
    .map((entry) => ({
      id: entry.tag,
      title: entry.display_name || entry.tag,
      cards: visibleRuns.value
        .filter((run) => entry.counts[run.id] !== undefined)
        .map((run): MediaCard => ({ id: `${run.id}\n${entry.tag}`, run, tag: entry.tag })),
    }));
  const isAny = sections.some(({ cards }) => cards.length > 0);
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
        <Toggle
          label={t("link")}
          tip={t("linkTip")}
          isOn={isLinked.value}
          onChange={(isOn) => {
            isLinked.value = isOn;
          }}
        />
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
        {controls}
      </div>
      {tags.size === 0 && <Notice title={t("empty")}>{t("emptyText")}</Notice>}
      {tags.size > 0 && sections.length === 0 && (
        <Notice title={t("noMatch")}>{t("noMatchText", { text: tagFilter.value, n: tags.size })}</Notice>
      )}
      {sections.length > 0 && !isAny && <Notice title={t("noRuns")}>{t("noRunsText")}</Notice>}
      {isAny && (
        <CardGrid
          size={sizes[size.value]}
          closed={closed}
          sections={sections}
          render={(card) => (
            <Card key={card.id} panel={panel} card={card} tools={tools}>
              {children}
            </Card>
          )}
        />
      )}
    </div>
  );
}

interface CardProps {
  panel: string;
  card: MediaCard;
  tools: Props["tools"];
  children: Props["children"];
}

function Card({ panel, card, tools, children }: CardProps) {
  const { items, isLoading, error } = useItems(panel, card.run.id, card.tag);
  const [index, move] = useStep(card.id, items);
  const item: MediaItem | undefined = items[index];
  const name = label(card.run);
  return (
    <article class="card media-card" aria-label={`${card.tag}, ${name}`}>
      <header class="card-head">
        <span class="run-dot" style={{ background: colorOf(card.run) }} />
        <h3 class="card-title" data-tip={name}>
          {name}
        </h3>
        <div class="card-tools">{tools?.(item, card)}</div>
      </header>
      <div class="media-body">
        {item ? (
          children(item, card)
        ) : (
          <p class="media-note">{isLoading ? t("loading") : error || t("nothing")}</p>
        )}
      </div>
      <StepSlider name={`${card.tag}, ${name}`} items={items} index={index} onMove={move} />
    </article>
  );
}
