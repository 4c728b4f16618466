/** Keys that work everywhere but in a field. */

import { signal } from "@preact/signals";
import { fullPanels } from "../panels/registry";
import { theme, themeChoice } from "../state/appearance";
import { storedSignal } from "../state/stored";
import { panel } from "../state/url";

export const showsHelp = signal(false);
export const showsRuns = storedSignal("showsRuns", true);

export function watchShortcuts(): void {
  document.addEventListener("keydown", (event) => {
    const target = event.target as HTMLElement;
    if (
      event.ctrlKey ||
      event.metaKey ||
      event.altKey ||
      target.matches("input, textarea, select, [contenteditable]")
    )
      return;
    const field = document.querySelector<HTMLElement>(`[data-shortcut="${CSS.escape(event.key)}"]`);
    if (field) field.focus();
    else if (event.key === "?") showsHelp.value = !showsHelp.value;
    else if (event.key === "[") showsRuns.value = !showsRuns.value;
    else if (event.key === "t") themeChoice.value = theme.value === "dark" ? "light" : "dark";
    else if (/^[1-9]$/.test(event.key)) {
      const chosen = fullPanels.value[Number(event.key) - 1];
      if (!chosen) return;
      panel.value = chosen.id;
    } else return;
    event.preventDefault();
  });
}
