/** The session under the pointer: a row of the table, a line, a dot. All of them show it. */

import { signal } from "@preact/signals";
import { formatCount } from "../../chart/format";
import "../../chart/tooltip.css";
import { label } from "../../state/runs";
import { groups, runOf } from "./sessions";
import { axes, titleOf } from "./state";
import { t } from "./words";

export const hovered = signal<number | null>(null);

const MOST_LINES = 18;

let sheet: HTMLElement | null = null;

function hideSession(): void {
  if (sheet) sheet.hidden = true;
}

/** Makes a session the one under the pointer, or none. */
export function hoverAt(row: number | null, left: number, top: number): void {
  hovered.value = row;
  if (row === null) hideSession();
  else showSession(row, left, top);
}

/** Shows what a session has in the columns shown, beside the pointer. */
function showSession(row: number, left: number, top: number): void {
  const group = groups.peek()[row];
  if (!group) return;
  sheet ??= document.createElement("div");
  sheet.className = "chart-tooltip hp-tooltip";
  if (!sheet.isConnected) document.body.append(sheet);
  const run = runOf(group);
  const title = document.createElement("p");
  title.className = "hp-tooltip-title";
  title.textContent = run ? label(run) : group.sessions[0];
  const table = document.createElement("table");
  const all = axes.peek();
  for (const column of all.slice(0, MOST_LINES)) {
    const line = table.insertRow();
    line.insertCell().textContent = titleOf(column);
    line.insertCell().textContent = column.text(row) || t("missing");
  }
  sheet.replaceChildren(title, table);
  if (all.length > MOST_LINES) {
    const more = document.createElement("p");
    more.textContent = `+ ${formatCount(all.length - MOST_LINES)}`;
    sheet.append(more);
  }
  sheet.hidden = false;
  const { width, height } = sheet.getBoundingClientRect();
  const isLeft = left + 20 + width > innerWidth - 8;
  sheet.style.left = `${Math.max(8, isLeft ? left - 16 - width : left + 16)}px`;
  sheet.style.top = `${Math.max(8, Math.min(top + 16, innerHeight - height - 8))}px`;
}
