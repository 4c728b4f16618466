/** The words of the page, kept beside the code that shows them: `messages({ close: ["Close", "关闭"] })`. */

import { locale } from "../state/appearance";

type Words<K extends string> = Record<K, readonly [en: string, zh: string]>;

/** A function from a key to its text in the language of the day; `{n}` in it becomes `values.n`. */
export function messages<K extends string>(
  words: Words<K>,
): (key: K, values?: Record<string, string | number>) => string {
  return (key, values = {}) => {
    const text = words[key][locale.value === "zh" ? 1 : 0];
    return text.replace(/\{(\w+)\}/g, (whole, name: string) =>
      name in values ? String(values[name]) : whole,
    );
  };
}
