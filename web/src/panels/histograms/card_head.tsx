/** The head of a card of one tag and run. */

import type { ComponentChildren } from "preact";
import { CardName } from "../../media/card_name";
import type { RunCard } from "../../media/run_cards";
import { tagsOf } from "../../state/board";
import { IconButton } from "../../ui/controls";
import { openCard } from "./state";
import { t } from "./words";

interface Props {
  card: RunCard;
  isOpen: boolean;
  children: ComponentChildren;
}

export function CardHead({ card, isOpen, children }: Props) {
  return (
    <header class="card-head">
      <CardName card={card} tip={tagsOf("histograms").get(card.tag)?.description} />
      <div class="card-tools">
        {children}
        <IconButton
          icon={isOpen ? "close" : "expand"}
          tip={isOpen ? t("shrink") : t("expand")}
          onClick={() => {
            openCard.value = isOpen ? "" : card.id;
          }}
        />
      </div>
    </header>
  );
}
