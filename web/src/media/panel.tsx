/** A panel of media: a section for each tag, a card in it for each visible run. */

import type { ComponentChildren } from "preact";
import { useContext } from "preact/hooks";
import type { MediaItem } from "../api/schema";
import { tagsOf } from "../state/board";
import { label } from "../state/runs";
import type { Tag } from "../state/tags";
import type { Box } from "../ui/card_grid";
import { Toggle } from "../ui/controls";
import { CardName } from "./card_name";
import { HeightsContext, rowHeight, useHeights, useMeasured } from "./heights";
import { useItems } from "./items";
import { type CardSize, type RunCard, RunCards } from "./run_cards";
import { isLinked, StepSlider, useStep } from "./steps";
import { t } from "./words";

export type { CardSize, RunCard as MediaCard } from "./run_cards";

interface Props {
  panel: string;
  /** The tags to show, where they are not all the panel has. */
  tags?: ReadonlyMap<string, Tag>;
  sizes: Record<CardSize, { width: number; height: number }>;
  /** How to log something of the kind, for who has none. */
  hint?: string;
  /** Whether cards are as high as what is in them, up to the height of their size, or up to `most` pixels. */
  fits?: boolean | { most: number };
  /** How much wider cards may become where there are few. */
  stretch?: number;
  /** What a card shows of a step. */
  children: (item: MediaItem, card: RunCard, box: Box) => ComponentChildren;
  /** Buttons in the head of a card. */
  tools?: (item: MediaItem | undefined, card: RunCard) => ComponentChildren;
  /** Further controls in the panel's bar. */
  controls?: ComponentChildren;
}

export function MediaPanel({ panel, tags, sizes, hint, fits, stretch, children, tools, controls }: Props) {
  const heights = useHeights();
  const grid = (
    <RunCards
      tags={tags ?? tagsOf(panel)}
      sizes={sizes}
      hint={hint}
      controls={
        <>
          <Toggle
            label={t("link")}
            tip={t("linkTip")}
            isOn={isLinked.value}
            onChange={(isOn) => {
              isLinked.value = isOn;
            }}
          />
          {controls}
        </>
      }
      heightOf={
        fits
          ? (cards, most) => {
              const ids = cards.map(({ id }) => id);
              return rowHeight(heights.value, ids, most, fits === true ? most : fits.most);
            }
          : undefined
      }
      stretch={stretch}
      render={(card, box) => (
        <Card key={card.id} panel={panel} card={card} box={box} tools={tools}>
          {children}
        </Card>
      )}
    />
  );
  return <HeightsContext.Provider value={fits ? heights : null}>{grid}</HeightsContext.Provider>;
}

interface CardProps {
  panel: string;
  card: RunCard;
  box: Box;
  tools: Props["tools"];
  children: Props["children"];
}

function Card({ panel, card, box, tools, children }: CardProps) {
  const { items, isLoading, error } = useItems(panel, card.run.id, card.tag);
  const [index, move] = useStep(card.id, items);
  const item: MediaItem | undefined = items[index];
  const name = label(card.run);
  const isFitted = useContext(HeightsContext) !== null;
  const measured = useMeasured(card.id);
  const shown = item ? (
    children(item, card, box)
  ) : (
    <p class="media-note">{isLoading ? t("loading") : error || t("nothing")}</p>
  );
  return (
    <article class="card media-card" ref={measured.card} aria-label={`${card.title}, ${name}`}>
      <header class="card-head">
        <CardName card={card} />
        <div class="card-tools">{tools?.(item, card)}</div>
      </header>
      <div class="media-body" ref={measured.body}>
        {isFitted ? (
          <div class="media-content" ref={measured.content}>
            {shown}
          </div>
        ) : (
          shown
        )}
      </div>
      <StepSlider name={`${card.title}, ${name}`} items={items} index={index} onMove={move} />
    </article>
  );
}
