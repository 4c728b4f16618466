/** The columns of the table of sessions: hparams and metrics alike, as numbers to draw and as texts to read. */

import type { HParamsAnswer, SessionGroup, Setting } from "../../api/schema";
import { formatDuration, formatTime, formatValue } from "../../chart/format";
import { naturally } from "../../state/order";

export interface Column {
  /** In the address: `h:` and the name, or `m:`, the group and the tag, or `s:` and a fact about the session. */
  key: string;
  title: string;
  /** What is said about it: its whole name, the words of whoever logged it. */
  tip: string;
  role: "hparam" | "metric" | "fact";
  isNumber: boolean;
  /** Whether it is shown unless the user says otherwise. */
  isUsual: boolean;
  /** A value for each session: the number itself, or the place of its category; NaN where there is none. */
  numbers: Float64Array;
  /** The values of what is no number, in order. */
  categories: readonly string[];
  /** What a session has, as text; "" where it has nothing. */
  text: (row: number) => string;
}

const MOST_USUAL_METRICS = 12;
const MOST_USUAL_HPARAMS = 30;

export function metricKey(tag: string, group: string): string {
  return `m:${encodeURIComponent(group)}:${tag}`;
}

export function makeColumns(answer: HParamsAnswer): Column[] {
  const anyDiffers = answer.hparams.some(({ differs }) => differs);
  const hparams = answer.hparams.map((found, i): Column => {
    const isUsual = (found.differs || !anyDiffers) && i < MOST_USUAL_HPARAMS;
    const title = found.display_name || found.name;
    const base = { key: `h:${found.name}`, title, tip: described(found.name, found.description) };
    const shared = { ...base, role: "hparam" as const, isUsual };
    return found.kind === "number" ? numeric(shared, found.values) : categorical(shared, found.values);
  });
  const anyDeclared = answer.metrics.some(({ is_declared }) => is_declared);
  const metrics = answer.metrics.map((found, i): Column => {
    const name = found.group ? `${found.group}/${found.tag}` : found.tag;
    const isUsual = (found.is_declared || !anyDeclared) && i < MOST_USUAL_METRICS;
    const base = { key: metricKey(found.tag, found.group), title: found.display_name || name };
    const shared = { ...base, tip: described(name, found.description), role: "metric" as const, isUsual };
    return numeric(shared, found.values, formatValue);
  });
  return [...hparams, ...metrics, ...facts(answer.groups)];
}

export const NAME = "s:name";
export const STATUS = "s:status";

/** What is known of sessions besides: the names of these columns are for the view to give. */
function facts(groups: readonly SessionGroup[]): Column[] {
  const fact = (key: string, isUsual: boolean) => ({
    key,
    title: "",
    tip: "",
    role: "fact" as const,
    isUsual,
  });
  return [
    categorical(
      fact(NAME, false),
      groups.map((group) => group.sessions[0]),
    ),
    categorical(
      fact(STATUS, true),
      groups.map((group) => group.status),
    ),
    numeric(
      fact("s:duration", true),
      groups.map((group) => group.duration_s),
      formatDuration,
    ),
    numeric(
      fact("s:started", false),
      groups.map((group) => group.start_time),
      formatTime,
    ),
  ];
}

function described(name: string, description: string): string {
  return description ? `${name} · ${description}` : name;
}

type Shared = Omit<Column, "isNumber" | "numbers" | "categories" | "text">;

function numeric(shared: Shared, values: readonly (Setting | null)[], show = plain): Column {
  // What is missing and what is NaN are both NaN here; only the text tells them apart.
  const numbers = Float64Array.from(values, (value) => (value === null ? NaN : Number(value)));
  const text = (row: number) => {
    return values[row] === null || values[row] === undefined ? "" : show(numbers[row]);
  };
  return { ...shared, isNumber: true, numbers, categories: [], text };
}

/** Digits enough to tell hparams apart, without those that arithmetic leaves behind. */
function plain(value: number): string {
  const size = Math.abs(value);
  if (!Number.isFinite(value) || value === 0) return formatValue(value);
  if (Number.isInteger(value) && size < 1e9) return String(value);
  if (size >= 1e6 || size < 1e-3)
    return String(Number(value.toPrecision(4)).toExponential()).replace("e+", "e");
  return String(Number(value.toPrecision(5)));
}

function categorical(shared: Shared, values: readonly (Setting | null)[]): Column {
  const texts = values.map((value) => (value === null ? null : String(value)));
  const categories = [...new Set(texts.filter((text) => text !== null))].sort(naturally);
  const places = new Map(categories.map((text, i) => [text, i]));
  const numbers = Float64Array.from(texts, (text) => (text === null ? NaN : places.get(text)!));
  return { ...shared, isNumber: false, numbers, categories, text: (row) => texts[row] ?? "" };
}

/** Rows by a column, those without a value always last. */
export function sortedBy(column: Column, rows: readonly number[], isDown: boolean): number[] {
  const { numbers } = column;
  const sign = isDown ? -1 : 1;
  return [...rows].sort((a, b) => {
    const [x, y] = [numbers[a], numbers[b]];
    if (Number.isNaN(x) || Number.isNaN(y)) return Number(Number.isNaN(x)) - Number(Number.isNaN(y)) || a - b;
    return x === y ? a - b : (x < y ? -1 : 1) * sign;
  });
}
