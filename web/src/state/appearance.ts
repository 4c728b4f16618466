/** Theme and language: as the system says, unless the user chose. */

import { computed, effect, signal } from "@preact/signals";
import { storedSignal } from "./stored";

export type Theme = "light" | "dark";
export type Locale = "en" | "zh";

export const themeChoice = storedSignal<Theme | "system">("theme", "system");
export const localeChoice = storedSignal<Locale | "system">("locale", "system");

const dark = matchMedia("(prefers-color-scheme: dark)");
const systemIsDark = signal(dark.matches);
dark.addEventListener("change", (event) => {
  systemIsDark.value = event.matches;
});

export const theme = computed<Theme>(() =>
  themeChoice.value === "system" ? (systemIsDark.value ? "dark" : "light") : themeChoice.value,
);

export const locale = computed<Locale>(() =>
  localeChoice.value === "system" ? (navigator.language.startsWith("zh") ? "zh" : "en") : localeChoice.value,
);

effect(() => {
  document.documentElement.dataset.theme = theme.value;
});

effect(() => {
  document.documentElement.lang = locale.value;
});

/** A colour of the theme, by its variable; canvases cannot ask the style sheet themselves. */
export function themeColor(name: string): string {
  theme.value;
  return getComputedStyle(document.documentElement).getPropertyValue(name).trim();
}
