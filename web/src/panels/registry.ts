/** Panels are folders: each has a `panel.ts`, found here at build time. Nothing else is edited to add one. */

import { computed } from "@preact/signals";
import type { ComponentType } from "preact";
import { tagsOf } from "../state/board";

export interface Panel {
  /** The folder's name, the server's name for it, and its name in the address. */
  id: string;
  title: () => string;
  /** Panels are shown by ascending order; a function where that depends on the runs. */
  order: number | (() => number);
  /** The view, with its libraries, is fetched when it is first shown. */
  load: () => Promise<{ default: ComponentType }>;
  /** Whether the page may open with it, unless the address names another; by default, yes. */
  opens?: () => boolean;
  /** Whether there is something to show; by default, whether the panel has tags. */
  hasContent?: () => boolean;
}

const found = import.meta.glob<{ panel: Panel }>("./*/panel.ts", { eager: true });

const all = Object.values(found).map(({ panel }) => panel);

function orderOf({ order }: Panel): number {
  return typeof order === "number" ? order : order();
}

/** All panels, in their order. */
export const panels = computed<readonly Panel[]>(() => [...all].sort((a, b) => orderOf(a) - orderOf(b)));

/** Those that have something to show. */
export const fullPanels = computed<readonly Panel[]>(() => panels.value.filter(hasContent));

function opens(panel: Panel): boolean {
  return panel.opens ? panel.opens() : true;
}

/** The panel that is shown where the address names none. */
export const firstPanel = computed<Panel>(
  () => fullPanels.value.find(opens) ?? panels.value.find(opens) ?? panels.value[0],
);

function hasContent(panel: Panel): boolean {
  return panel.hasContent ? panel.hasContent() : tagsOf(panel.id).size > 0;
}
