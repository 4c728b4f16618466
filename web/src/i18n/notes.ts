/** What the server says, in the language of the page: it sends English, and a code with values to say it otherwise. */

import type { Note } from "../api/schema";
import { locale } from "../state/appearance";
import { filled, typeset } from "./messages";

/** A function from a note to its text; `chinese` has one for each code of the same `Phrases` on the server. */
export function notes(chinese: Record<string, string>): (note: Note) => string {
  return (note) => {
    if (locale.value !== "zh" || !Object.hasOwn(chinese, note.code)) return note.text;
    const values = Object.entries(note.values).map(([name, value]) => [name, shown(value)]);
    const text = filled(typeset(chinese[note.code]), Object.fromEntries(values));
    return note.run ? `${note.run}：${text}` : text;
  };
}

/** Several as one text. */
export function joined(all: readonly Note[], say: (note: Note) => string): string {
  return all.map(say).join(locale.value === "zh" ? "；" : "; ");
}

function shown(value: string | number): string {
  return typeof value === "number" ? value.toLocaleString("en") : (REASONS[value] ?? value);
}

/** Why bytes are bad, as the reader of event files has it. */
const REASONS: Record<string, string> = {
  "not a record": "不是记录",
  "not an event": "不是事件",
  "Permission denied": "权限不足",
  "No such file or directory": "文件不存在",
  "Input/output error": "读写错误",
};
