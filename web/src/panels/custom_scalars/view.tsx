/** The custom scalars panel: charts as a logged layout puts them together, drawn as scalars are. */

import { useEffect } from "preact/hooks";
import { tagsOf } from "../../state/board";
import { pattern } from "../../state/order";
import { CardGrid } from "../../ui/card_grid";
import { Notice, Search } from "../../ui/controls";
import { Sheet } from "../../ui/dialog";
import { ScalarCard } from "../scalars/card";
import { ChartControls, ResetZoom } from "../scalars/controls";
import "./custom_scalars.css";
import { joined } from "../../i18n/notes";
import { type Chart, categories, failure, folded, followLayout, layout, opened, tagFilter } from "./layout";
import { say, t } from "./words";

const CARD = { width: 420, height: 300 };

export default function CustomScalars() {
  useEffect(followLayout, []);
  if (tagsOf("custom_scalars").size === 0) return <Notice title={t("empty")}>{t("emptyText")}</Notice>;
  const open = categories.value.flatMap(({ cards }) => cards).find(({ id }) => id === opened.value);
  return (
    <div class="panel">
      <div class="toolbar" role="toolbar" aria-label={t("options")}>
        <Search
          label={t("search")}
          tip={t("searchTip")}
          value={tagFilter.value}
          shortcut="/"
          onChange={(text) => (tagFilter.value = text)}
        />
        <ChartControls />
        <ResetZoom />
      </div>
      {layout.value?.problem && <p class="custom-problem">{joined(layout.value.notes, say)}</p>}
      <Cards />
      {open && (
        <Sheet title={open.title} onClose={() => (opened.value = "")}>
          <ChartCard card={open} isOpen />
        </Sheet>
      )}
    </div>
  );
}

function ChartCard({ card, isOpen = false }: { card: Chart; isOpen?: boolean }) {
  return (
    <div class="custom-card">
      <ScalarCard card={card} isOpen={isOpen} opened={opened} isFixed />
      {card.problem && (
        <p class="custom-problem" data-tip={say(card.problem)}>
          {t("problem", { problem: say(card.problem) })}
        </p>
      )}
    </div>
  );
}

function Cards() {
  const wanted = pattern(tagFilter.value);
  const fits = ({ title, tags }: Chart) =>
    !wanted || wanted.test(title) || tags.some((tag) => wanted.test(tag));
  const all = categories.value;
  const sections = all
    .map((category) => ({ ...category, cards: category.cards.filter(fits) }))
    .filter(({ cards }) => cards.length > 0);
  if (!layout.value) {
    return <Notice title={failure.value || t("loading")} isBusy={!failure.value} />;
  }
  if (sections.length === 0) {
    const n = all.reduce((sum, { cards }) => sum + cards.length, 0);
    return <Notice title={t("noMatch")}>{t("noMatchText", { text: tagFilter.value, n })}</Notice>;
  }
  return (
    <CardGrid
      size={CARD}
      closed={folded}
      sections={sections}
      render={(card) => <ChartCard key={`${card.id}\n${card.tags.join("\n")}`} card={card} />}
    />
  );
}
