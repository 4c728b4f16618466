/** Sections of equal cards, as many in a row as there is room for; only those in view exist. */

import type { ComponentChildren } from "preact";
import { useLayoutEffect, useRef, useState } from "preact/hooks";
import { messages } from "../i18n/messages";
import { Icon } from "./icon";
import { Virtual, type VirtualRow } from "./virtual";

const t = messages({ section: ["Show or hide this section", "展开或折叠此部分"] });

export interface CardSection<C> {
  id: string;
  title: string;
  cards: readonly C[];
}

interface Props<C> {
  sections: readonly CardSection<C>[];
  /** The least width and the height of a card. */
  size: { width: number; height: number };
  /** Ids of sections that are folded: a signal, or what reads and writes like one. */
  closed: { value: ReadonlySet<string> };
  /** The height of a row of cards, where it depends on what is in them. */
  heightOf?: (cards: readonly C[]) => number;
  render: (card: C) => ComponentChildren;
}

const HEAD_HEIGHT = 40;

export function CardGrid<C extends { id: string }>({ sections, size, closed, heightOf, render }: Props<C>) {
  const box = useRef<HTMLDivElement>(null);
  const [width, setWidth] = useState(0);
  useLayoutEffect(() => {
    const measure = () => setWidth(box.current?.clientWidth ?? 0);
    const observer = new ResizeObserver(measure);
    observer.observe(box.current!);
    measure();
    return () => observer.disconnect();
  }, []);

  const perRow = Math.max(1, Math.floor((width - 16) / size.width));
  const columns = `repeat(${perRow}, minmax(0, 1fr))`;
  const rows: VirtualRow[] = [];
  for (const section of sections) {
    rows.push({
      key: `#${section.id}`,
      height: HEAD_HEIGHT,
      render: () => (
        <Head id={section.id} title={section.title} count={section.cards.length} closed={closed} />
      ),
    });
    if (closed.value.has(section.id)) continue;
    for (let i = 0; i < section.cards.length; i += perRow) {
      const cards = section.cards.slice(i, i + perRow);
      rows.push({
        key: `${section.id}\n${cards[0].id}`,
        height: heightOf ? heightOf(cards) : size.height,
        render: () => (
          <div class="card-row" style={{ gridTemplateColumns: columns }}>
            {cards.map((card) => (
              <div key={card.id} class="card-place">
                {render(card)}
              </div>
            ))}
          </div>
        ),
      });
    }
  }
  return (
    <div ref={box} class="panel-body" style={{ "--card-height": `${size.height}px` }}>
      {width > 0 && <Virtual rows={rows} class="cards" margin={250} />}
    </div>
  );
}

interface HeadProps {
  id: string;
  title: string;
  count: number;
  closed: { value: ReadonlySet<string> };
}

function Head({ id, title, count, closed }: HeadProps) {
  const toggle = () => {
    const next = new Set(closed.value);
    if (!next.delete(id)) next.add(id);
    closed.value = next;
  };
  return (
    <h2 class="section-head">
      <button type="button" aria-expanded={!closed.value.has(id)} data-tip={t("section")} onClick={toggle}>
        <Icon name="chevron" />
        <span class="section-title">{title}</span>
        <span class="section-count">{count}</span>
      </button>
    </h2>
  );
}
