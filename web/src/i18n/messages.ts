/** The words of the page, kept beside the code that shows them: `messages({ close: ["Close", "关闭"] })`. */

import { locale } from "../state/appearance";

type Words<K extends string> = Record<K, readonly [en: string, zh: string]>;

/** A function from a key to its text in the language of the day; `{n}` in it becomes `values.n`. */
export function messages<K extends string>(
  words: Words<K>,
): (key: K, values?: Record<string, string | number>) => string {
  return (key, values = {}) => {
    const [english, chinese] = words[key];
    return filled(locale.value === "zh" ? typeset(chinese) : english, values);
  };
}

/** A text with `{n}` in it replaced by `values.n`. */
export function filled(text: string, values: Record<string, string | number>): string {
  return text.replace(/\{(\w+)\}/g, (whole, name: string) => (name in values ? String(values[name]) : whole));
}

const WIDE: Record<string, string> = { ",": "，", ";": "；", ":": "：", "?": "？", "!": "！" };
const known = new Map<string, string>();

/** Chinese with the marks of its own width: words are typed with those of every keyboard. Code in them stays as it is. */
export function typeset(text: string): string {
  let found = known.get(text);
  if (found === undefined) {
    found = text
      .replace(/(?<=\p{sc=Han})\(([^()]*)\)|\(([^()]*\p{sc=Han}[^()]*)\)/gu, (_, a, b) => `（${a ?? b}）`)
      .replace(/(?<=[\p{sc=Han}”）])[,;:?!]|[,;:?!](?=[\p{sc=Han}“])/gu, (mark) => WIDE[mark]);
    known.set(text, found);
  }
  return found;
}
