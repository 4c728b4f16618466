/** Which tags share a card, and which cards a section. */

import { naturally } from "../../state/order";

export interface Card {
  /** The same for the same tags, so that it can be pinned and linked to. */
  id: string;
  title: string;
  section: string;
  tags: readonly string[];
  /** Tags drawn dashed: those of validation. */
  validation: ReadonlySet<string>;
  isCombined: boolean;
  /** Ids of the runs to draw, where they are not those that are visible. */
  runs?: readonly string[];
  /** Lines with bands around them; all their tags are in `tags`. */
  margins?: readonly Margin[];
}

/** The tags of a line and of the edges of its band. */
export interface Margin {
  value: string;
  lower: string;
  upper: string;
}

export interface Section {
  id: string;
  /** "" for tags without a prefix. */
  name: string;
  isPinned: boolean;
  cards: Card[];
}

const TRAINING = "train|training";
const VALIDATION = "val|valid|validation|eval|evaluation|test";
const LEADING = new RegExp(`^(?:(${TRAINING})|(?:${VALIDATION}))([/_.-])(.+)$`, "i");
const TRAILING = new RegExp(`^(.+)([/_.-])(?:(${TRAINING})|(?:${VALIDATION}))$`, "i");

interface Part {
  /** The same for the tags of one pair. */
  family: string;
  title: string;
  section: string;
  isTraining: boolean;
}

/** What a tag measures and on what: `train/loss`, `val_loss`, `Loss/test`. */
function part(tag: string): Part | null {
  const leading = LEADING.exec(tag);
  if (leading) {
    const title = leading[3];
    return {
      family: `<${leading[2]}${title}`,
      title,
      section: prefix(title),
      isTraining: leading[1] !== undefined,
    };
  }
  const trailing = TRAILING.exec(tag);
  if (trailing) {
    const title = trailing[1];
    const section = trailing[2] === "/" ? tag.split("/", 1)[0] : prefix(title);
    return { family: `>${trailing[2]}${title}`, title, section, isTraining: trailing[3] !== undefined };
  }
  return null;
}

function prefix(tag: string): string {
  const slash = tag.indexOf("/");
  return slash > 0 ? tag.slice(0, slash) : "";
}

/** One card a tag; combined tags and, if `isPaired`, training and validation of one measure share one. */
export function makeCards(tags: readonly string[], combined: readonly string[][], isPaired: boolean): Card[] {
  const made: Card[] = [];
  for (const chosen of combined) {
    const there = chosen.filter((tag) => tags.includes(tag));
    if (there.length < 2) continue;
    const title = there.join(" · ");
    const sections = new Set(there.map(prefix));
    const section = sections.size === 1 ? [...sections][0] : "";
    made.push({ id: there.join("|"), title, section, tags: there, validation: new Set(), isCombined: true });
  }
  const families = new Map<string, { tag: string; part: Part }[]>();
  const single: Card[] = [];
  for (const tag of tags) {
    const found = isPaired ? part(tag) : null;
    if (found) families.set(found.family, [...(families.get(found.family) ?? []), { tag, part: found }]);
    else single.push(lone(tag));
  }
  for (const members of families.values()) {
    const isPair =
      members.some(({ part }) => part.isTraining) && members.some(({ part }) => !part.isTraining);
    if (!isPair) single.push(...members.map(({ tag }) => lone(tag)));
    else single.push(pair(members));
  }
  single.sort((a, b) => naturally(a.title, b.title));
  return [...made, ...single];
}

function lone(tag: string): Card {
  return { id: tag, title: tag, section: prefix(tag), tags: [tag], validation: new Set(), isCombined: false };
}

function pair(members: readonly { tag: string; part: Part }[]): Card {
  const ordered = [...members].sort((a, b) => Number(b.part.isTraining) - Number(a.part.isTraining));
  const tags = ordered.map(({ tag }) => tag);
  const { title, section } = ordered[0].part;
  const validation = new Set(ordered.filter(({ part }) => !part.isTraining).map(({ tag }) => tag));
  return { id: tags.join("|"), title, section, tags, validation, isCombined: false };
}

/** Cards by prefix; pinned ones come first, all together. */
export function sections(cards: readonly Card[], pinned: readonly string[]): Section[] {
  const byName = new Map<string, Section>();
  const top: Section = { id: "*pinned", name: "", isPinned: true, cards: [] };
  for (const card of cards) {
    if (pinned.includes(card.id)) {
      top.cards.push(card);
      continue;
    }
    const section = byName.get(card.section) ?? {
      id: card.section,
      name: card.section,
      isPinned: false,
      cards: [],
    };
    section.cards.push(card);
    byName.set(card.section, section);
  }
  const rest = [...byName.values()].sort((a, b) => naturally(a.name, b.name));
  return top.cards.length ? [top, ...rest] : rest;
}
