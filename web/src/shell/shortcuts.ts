/** Keys that work everywhere but in a field. */

import { computed, signal } from "@preact/signals";
import { fullPanels } from "../panels/registry";
import { theme, themeChoice } from "../state/appearance";
import { storedSignal } from "../state/stored";
import { panel } from "../state/url";

export const showsHelp = signal(false);
/** Whether the list of runs is shown beside the panel; on a narrow page it is a drawer over it, closed at first. */
const showsSidebar = storedSignal("showsRuns", true);
const showsDrawer = signal(false);
const narrow = matchMedia("(max-width: 700px)");
export const isNarrow = signal(narrow.matches);
narrow.addEventListener("change", (event) => {
  isNarrow.value = event.matches;
  showsDrawer.value = false;
});

export const showsRuns = computed(() => (isNarrow.value ? showsDrawer.value : showsSidebar.value));

export function toggleRuns(): void {
  const shown = isNarrow.value ? showsDrawer : showsSidebar;
  shown.value = !shown.value;
}

/** The panel that a digit stands for: 1 to 9, 0 for the tenth, with Shift from the eleventh on. */
function placeOf(event: KeyboardEvent): number {
  const digit = /^Digit(\d)$/.exec(event.code)?.[1];
  if (digit === undefined || (!event.shiftKey && event.key !== digit)) return -1;
  return ((Number(digit) + 9) % 10) + (event.shiftKey ? 10 : 0);
}

export function watchShortcuts(): void {
  document.addEventListener("keydown", (event) => {
    const target = event.target as HTMLElement;
    if (
      event.defaultPrevented ||
      event.ctrlKey ||
      event.metaKey ||
      event.altKey ||
      target.matches("input, textarea, select, [contenteditable]")
    )
      return;
    const field = document.querySelector<HTMLElement>(`[data-shortcut="${CSS.escape(event.key)}"]`);
    if (field) field.focus();
    else if (event.key === "?") showsHelp.value = !showsHelp.value;
    else if (event.key === "[") toggleRuns();
    else if (event.key === "t") themeChoice.value = theme.value === "dark" ? "light" : "dark";
    else if (event.key === "Escape" && isNarrow.value && showsRuns.value) toggleRuns();
    else if (placeOf(event) >= 0) {
      const chosen = fullPanels.value[placeOf(event)];
      if (!chosen) return;
      panel.value = chosen.id;
    } else return;
    event.preventDefault();
  });
}
