/** The one tooltip of all charts: a row for each line, the nearest first. */

import { formatDuration, formatTime, formatValue } from "./format";
import type { Reading } from "./line_chart";
import { keptLetters, nameElement } from "./names";
import "./tooltip.css";

export interface TooltipWords {
  run: string;
  smoothed: string;
  value: string;
  step: string;
  time: string;
  difference: string;
  more: (count: number) => string;
}

/** As many lines as a tooltip tells of. */
export const MOST_ROWS = 14;

let sheet: HTMLElement | null = null;

export function hideTooltip(): void {
  if (sheet) sheet.hidden = true;
}

function element<K extends keyof HTMLElementTagNameMap>(
  tag: K,
  text = "",
  className = "",
): HTMLElementTagNameMap[K] {
  const made = document.createElement(tag);
  made.textContent = text;
  made.className = className;
  return made;
}

/** Shows `readings` beside the pointer. `baseline` is the id that differences are taken to, if any. */
export function showTooltip(
  readings: readonly Reading[],
  place: { left: number; top: number },
  words: TooltipWords,
  baseline: string,
): void {
  hideTooltip();
  if (readings.length === 0) return;
  const content = [table(readings, words, baseline)];
  if (readings.length > MOST_ROWS) content.push(element("p", words.more(readings.length - MOST_ROWS)));
  showBeside(content, place);
}

/** A table of names and values, as `showBeside` takes it. */
export function facts(rows: readonly (readonly [name: string, value: string])[]): HTMLElement {
  const made = element("table", "", "chart-facts");
  for (const [name, value] of rows) made.insertRow().append(element("th", name), element("td", value));
  return made;
}

/** Shows anything beside the pointer. */
export function showBeside(content: readonly Node[], place: { left: number; top: number }): void {
  sheet ??= element("div", "", "chart-tooltip");
  const host = document.querySelector("dialog[open]") ?? document.body;
  if (sheet.parentElement !== host) host.append(sheet);
  sheet.replaceChildren(...content);
  sheet.hidden = false;
  const { width, height } = sheet.getBoundingClientRect();
  const isLeft = place.left + 20 + width > innerWidth - 8;
  sheet.style.left = `${Math.max(8, isLeft ? place.left - 16 - width : place.left + 16)}px`;
  sheet.style.top = `${Math.max(8, Math.min(place.top + 16, innerHeight - height - 8))}px`;
}

function table(readings: readonly Reading[], words: TooltipWords, baseline: string): HTMLElement {
  const hasRaw = readings.some(({ line }) => line.raw);
  const hasWalls = readings.some(({ line }) => line.walls.length > 0);
  const base = readings.find(({ line }) => line.id.startsWith(`${baseline}\n`));
  const titles = [words.run, ...(hasRaw ? [words.smoothed] : []), words.value, words.step];
  if (hasWalls) titles.push(words.time);
  if (base) titles.push(words.difference);
  return lineTable(titles, readings, ({ line, index }) => {
    const cells = [line.label];
    if (hasRaw) cells.push(formatValue(line.y[index]));
    cells.push(valueText(line, index), formatStep(line.steps[index]));
    if (hasWalls) cells.push(timeText(line, index));
    if (base) cells.push(base.line === line ? "–" : signed(line.y[index] - base.line.y[base.index]));
    return cells;
  });
}

/** A row for each line, the first in bold; the first cell is its name. */
export function lineTable(
  titles: readonly string[],
  readings: readonly Reading[],
  cells: (reading: Reading) => readonly string[],
): HTMLElement {
  const made = element("table");
  const head = made.createTHead().insertRow();
  for (const title of ["", ...titles]) head.append(element("th", title));
  const body = made.createTBody();
  const rows = readings.slice(0, MOST_ROWS).map((reading) => ({ reading, texts: cells(reading) }));
  const kept = keptLetters(rows.map(({ texts }) => texts[0]));
  rows.forEach(({ reading, texts: [name, ...values] }, i) => {
    const row = body.insertRow();
    if (i === 0) row.className = "is-nearest";
    const swatch = element("span", "", reading.line.isDashed ? "swatch is-dashed" : "swatch");
    swatch.style.color = reading.line.color;
    row.insertCell().append(swatch);
    row.insertCell().append(nameElement(name, kept[i]));
    row.append(...values.map((text) => element("td", text)));
  });
  return made;
}

function valueText(line: Reading["line"], index: number): string {
  const text = formatValue((line.raw ?? line.y)[index]);
  if (!line.band) return text;
  const [low, high] = [line.band.low[index], line.band.high[index]];
  const [down, up] = [line.y[index] - low, high - line.y[index]];
  const isEven = Math.abs(up - down) <= 1e-6 * Math.abs(high);
  return isEven ? `${text} ± ${formatValue(up, 2)}` : `${text} (${formatValue(low)} … ${formatValue(high)})`;
}

function formatStep(step: number): string {
  return Number.isInteger(step) ? String(step) : formatValue(step, 6);
}

function signed(value: number): string {
  return value > 0 ? `+${formatValue(value, 3)}` : formatValue(value, 3);
}

function timeText(line: Reading["line"], index: number): string {
  if (line.walls.length === 0) return "";
  const clock = formatTime(line.walls[index]).split(" ")[1];
  return `${clock} (${formatDuration(line.walls[index] - line.walls[0])})`;
}

/** The nearest reading in words, for screen readers. */
export function readingText({ line, index }: Reading): string {
  return `${line.label}: ${formatValue(line.y[index])}, ${formatStep(line.steps[index])}`;
}
