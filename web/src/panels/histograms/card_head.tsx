/** The head of a card of one tag and run. */

import type { ComponentChildren } from "preact";
import type { RunCard } from "../../media/run_cards";
import { tagsOf } from "../../state/board";
import { colorOf, label } from "../../state/runs";
import { IconButton } from "../../ui/controls";
import { openCard } from "./state";
import { t } from "./words";

interface Props {
  card: RunCard;
  isOpen: boolean;
  children: ComponentChildren;
}

export function CardHead({ card, isOpen, children }: Props) {
  const name = label(card.run);
  return (
    <header class="card-head">
      <span class="run-dot" style={{ background: colorOf(card.run) }} />
      <h3
        class="card-title card-tag"
        data-tip={tagsOf("histograms").get(card.tag)?.description || card.title}
      >
        <bdi>{card.title}</bdi>
      </h3>
      <span class="card-run" data-tip={name}>
        {name}
      </span>
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
