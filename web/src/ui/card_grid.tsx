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
  /** The height of a row of cards, where it depends on what is in them; `most` is that of cards of this width. */
  heightOf?: (cards: readonly C[], most: number) => number;
  /** How much wider cards may become where a section has fewer of them than fit in a row. */
  stretch?: number;
  render: (card: C, box: Box) => ComponentChildren;
}

/** How much larger than usual a card is. */
export interface Box {
  wider: number;
  higher: number;
}

const HEAD_HEIGHT = 40;
// Wide cards that were as much higher would leave no room for the next section.
const MOST_HIGHER = 1.5;

/** How many cards of a section stand in a row, and how much larger than usual they are. */
export function layoutOf(count: number, perRow: number, stretch: number): Box & { columns: number } {
  const columns = stretch > 1 && count > 0 ? Math.min(count, perRow) : perRow;
  const wider = Math.min(stretch, perRow / columns);
  return { columns, wider, higher: Math.min(wider, MOST_HIGHER) };
}

export function CardGrid<C extends { id: string }>({
  sections,
  size,
  closed,
  heightOf,
  stretch = 1,
  render,
}: Props<C>) {
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
    const { columns, ...box } = layoutOf(section.cards.length, perRow, stretch);
    const height = size.height * box.higher;
    const style = {
      gridTemplateColumns: `repeat(${columns}, minmax(0, 1fr))`,
      maxWidth: `${(100 * columns * box.wider) / perRow}%`,
      "--card-height": `${height}px`,
    };
    for (let i = 0; i < section.cards.length; i += columns) {
      const cards = section.cards.slice(i, i + columns);
      rows.push({
        key: `${section.id}\n${cards[0].id}`,
        height: heightOf ? heightOf(cards, height) : height,
        render: () => (
          <div class="card-row" style={style}>
            {cards.map((card) => (
              <div key={card.id} class="card-place">
                {render(card, box)}
              </div>
            ))}
          </div>
        ),
      });
    }
  }
  return (
    <div ref={box} class="panel-body">
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
