/** The point that is pointed at: a ring around it, and what it is. */

import type { Screen } from "./camera";
import { textAt } from "./columns";
import { hovered, pointSize } from "./state";
import { colorColumn, labelColumn } from "./store";

export function drawRing(pen: CanvasRenderingContext2D, screen: Screen, ink: string): void {
  const index = hovered.peek();
  if (Number.isNaN(screen.x[index])) return;
  pen.beginPath();
  pen.arc(screen.x[index], screen.y[index], Math.max(6, pointSize.peek()), 0, 7);
  pen.strokeStyle = ink;
  pen.lineWidth = 1.5;
  pen.stroke();
}

const EDGE = 8;

export function showTip(tip: HTMLElement, seen: () => Screen, stage: HTMLElement): void {
  const index = hovered.value;
  tip.hidden = index < 0;
  if (index < 0) return;
  const lines = [textAt(labelColumn.value.value, index)];
  const color = colorColumn.value.value;
  if (color && color.name !== labelColumn.value.value?.name)
    lines.push(`${color.name}: ${textAt(color, index)}`);
  tip.textContent = lines.join("\n");
  const { x, y } = { x: seen().x[index], y: seen().y[index] };
  const { offsetWidth: width, offsetHeight: height } = tip;
  const isLeft = x + 12 + width > stage.clientWidth - EDGE;
  tip.style.left = `${Math.max(EDGE, isLeft ? x - 12 - width : x + 12)}px`;
  tip.style.top = `${Math.max(EDGE, Math.min(y - 10, stage.clientHeight - height - EDGE))}px`;
}
