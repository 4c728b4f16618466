/** What the panels of histograms and distributions have in common: their cards, one of which may fill the screen. */

import type { ComponentChildren } from "preact";
import { type RunCard, RunCards, runCard } from "../../media/run_cards";
import { runs, tagsOf } from "../../state/board";
import { Sheet } from "../../ui/dialog";
import "./histograms.css";
import type { Tag } from "../../state/tags";
import { openCard } from "./state";
import { t } from "./words";

const SIZES = {
  small: { width: 280, height: 228 },
  medium: { width: 380, height: 300 },
  large: { width: 560, height: 420 },
};

interface Props {
  controls: ComponentChildren;
  render: (card: RunCard, isOpen: boolean) => ComponentChildren;
}

export function PanelView({ controls, render }: Props) {
  const open = openedCard();
  return (
    <>
      <RunCards
        tags={tagsOf("histograms")}
        sizes={SIZES}
        sectionOf={sectionOf}
        hint={t("hint")}
        controls={controls}
        render={(card) => render(card, false)}
      />
      {open && (
        <Sheet title={open.title} onClose={() => (openCard.value = "")}>
          {render(open, true)}
        </Sheet>
      )}
    </>
  );
}

/** Tags go by the part before the first slash, as scalars do. */
function sectionOf({ tag }: Tag): string {
  const slash = tag.indexOf("/");
  return slash > 0 ? tag.slice(0, slash) : t("general");
}

function openedCard(): RunCard | null {
  const [id, tag] = openCard.value.split("\n", 2);
  const [run, entry] = [runs.value.get(id), tagsOf("histograms").get(tag)];
  return run && entry ? runCard(entry, run) : null;
}
