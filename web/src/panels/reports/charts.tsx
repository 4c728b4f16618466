/** The charts of a view of scalars in a text: one card, or those of the tags that it searches for. */

import { useComputed, useSignal } from "@preact/signals";
import { runs, settings } from "../../state/board";
import { Sheet } from "../../ui/dialog";
import { ScalarCard } from "../scalars/card";
import type { Card } from "../scalars/cards";
import { cards } from "../scalars/state";
import { expression, runTest, type View } from "./address";
import { Cut, Nothing } from "./nothing";

const MOST_CHARTS = 8;

/** Ids of the runs that a view is of; undefined for those that are visible. */
export function runsOf(view: View): readonly string[] | undefined {
  const test = runTest(view);
  if (!test) return undefined;
  const names = (id: string, name: string) => [settings.value.runs[id]?.label ?? name, name];
  return [...runs.value.values()].filter(({ id, name }) => test(id, names(id, name))).map(({ id }) => id);
}

function cardsOf({ query }: View): readonly Card[] {
  const id = query.get("card");
  if (id) return cards.value.filter((card) => card.id === id || card.tags.includes(id));
  const wanted = expression(query.get("tags") ?? "");
  return wanted ? cards.value.filter((card) => card.tags.some((tag) => wanted.test(tag))) : cards.value;
}

export function Charts({ view }: { view: View }) {
  const opened = useSignal("");
  const found = useComputed(() => cardsOf(view)).value;
  const of = runsOf(view);
  if (found.length === 0) return <Nothing view={view} />;
  const shown = found.slice(0, MOST_CHARTS).map((card) => ({ ...card, runs: of }));
  const open = shown.find(({ id }) => id === opened.value);
  return (
    <>
      <div class={shown.length === 1 ? "embed-charts is-one" : "embed-charts"}>
        {shown.map((card) => (
          <div key={`${card.id}\n${of}`} class="embed-chart">
            <ScalarCard card={card} opened={opened} isFixed />
          </div>
        ))}
      </div>
      <Cut shown={shown.length} total={found.length} />
      {open && (
        <Sheet title={open.title} onClose={() => (opened.value = "")}>
          <ScalarCard card={open} isOpen opened={opened} isFixed />
        </Sheet>
      )}
    </>
  );
}
