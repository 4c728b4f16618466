/** A small table beside the pointer. */

import "../../chart/tooltip.css";

let sheet: HTMLElement | null = null;

export function hideFloating(): void {
  if (sheet) sheet.hidden = true;
}

export function showFloating(
  title: string,
  rows: readonly (readonly [name: string, value: string, color?: string])[],
  place: { left: number; top: number },
): void {
  if (!sheet) {
    sheet = document.createElement("div");
    sheet.className = "chart-tooltip profile-tooltip";
    document.body.append(sheet);
  }
  const head = document.createElement("strong");
  head.textContent = title;
  const table = document.createElement("table");
  for (const [name, value, color] of rows) {
    const row = table.insertRow();
    const swatch = row.insertCell();
    if (color) {
      const mark = document.createElement("span");
      mark.className = "phase-mark";
      mark.style.background = color;
      swatch.append(mark);
    }
    const label = row.insertCell();
    label.className = "name";
    label.textContent = name;
    row.insertCell().textContent = value;
  }
  sheet.replaceChildren(head, table);
  sheet.hidden = false;
  const { width, height } = sheet.getBoundingClientRect();
  const isLeft = place.left + 20 + width > innerWidth - 8;
  sheet.style.left = `${Math.max(8, isLeft ? place.left - 16 - width : place.left + 16)}px`;
  sheet.style.top = `${Math.max(8, Math.min(place.top + 16, innerHeight - height - 8))}px`;
}
