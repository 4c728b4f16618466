/** Panels are folders: each has a `panel.ts`, found here at build time. Nothing else is edited to add one. */

import type { ComponentType } from "preact";
import { tagsOf } from "../state/board";

export interface Panel {
  /** The folder's name, the server's name for it, and its name in the address. */
  id: string;
  title: () => string;
  /** Panels are shown by ascending order. */
  order: number;
  /** The view, with its libraries, is fetched when it is first shown. */
  load: () => Promise<{ default: ComponentType }>;
  /** Whether there is something to show; by default, whether the panel has tags. */
  hasContent?: () => boolean;
}

const found = import.meta.glob<{ panel: Panel }>("./*/panel.ts", { eager: true });

export const panels: readonly Panel[] = Object.values(found)
  .map(({ panel }) => panel)
  .sort((a, b) => a.order - b.order);

export function hasContent(panel: Panel): boolean {
  return panel.hasContent ? panel.hasContent() : tagsOf(panel.id).size > 0;
}
