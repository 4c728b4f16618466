/** What a drawing is made of, and the two ways to draw it: on a canvas, and as an SVG. */

import { escapeXml } from "../../chart/svg";

export interface Shape {
  kind: "shape";
  /** x and y in turn. */
  points: Float32Array;
  fill?: string;
  stroke?: string;
  width?: number;
}

export interface Label {
  kind: "label";
  x: number;
  y: number;
  text: string;
  color: string;
  align: "left" | "center" | "right";
}

export type Mark = Shape | Label;

const FONT_SIZE = 11;
const FONT = 'system-ui, -apple-system, "Segoe UI", Roboto, "Liberation Sans", sans-serif';
const PAPER_FONT = "Helvetica, Arial, 'Liberation Sans', sans-serif";

export function line(x0: number, y0: number, x1: number, y1: number, stroke: string, width = 1): Shape {
  return { kind: "shape", points: Float32Array.of(x0, y0, x1, y1), stroke, width };
}

export function paint(ctx: CanvasRenderingContext2D, marks: readonly Mark[]): void {
  ctx.font = `${FONT_SIZE}px ${FONT}`;
  ctx.textBaseline = "middle";
  ctx.lineJoin = "round";
  for (const mark of marks) {
    if (mark.kind === "label") {
      ctx.fillStyle = mark.color;
      ctx.textAlign = mark.align;
      ctx.fillText(mark.text, mark.x, mark.y);
      continue;
    }
    const { points, fill, stroke, width = 1 } = mark;
    ctx.beginPath();
    for (let i = 0; i < points.length; i += 2) ctx.lineTo(points[i], points[i + 1]);
    if (fill) {
      ctx.fillStyle = fill;
      ctx.fill();
    }
    if (stroke) {
      ctx.strokeStyle = stroke;
      ctx.lineWidth = width;
      ctx.stroke();
    }
  }
}

const ANCHOR = { left: "start", center: "middle", right: "end" };
const TITLE_HEIGHT = 32;

/** The same as a picture for a paper, with a title above it. */
export function marksSvg(title: string, marks: readonly Mark[], width: number, height: number): string {
  const total = height + TITLE_HEIGHT;
  const out = [
    `<svg xmlns="http://www.w3.org/2000/svg" width="${width}" height="${total}" viewBox="0 0 ${width} ${total}" font-family="${PAPER_FONT}" font-size="${FONT_SIZE}">`,
    `<rect width="100%" height="100%" fill="#fff"/>`,
    `<text x="12" y="21" font-size="14" font-weight="600" fill="#222">${escapeXml(title)}</text>`,
    `<g transform="translate(0 ${TITLE_HEIGHT})" stroke-linejoin="round">`,
  ];
  for (const mark of marks) {
    if (mark.kind === "label") {
      const place = `x="${mark.x.toFixed(1)}" y="${mark.y.toFixed(1)}" dy="4" text-anchor="${ANCHOR[mark.align]}"`;
      out.push(`<text ${place} fill="${escapeXml(mark.color)}">${escapeXml(mark.text)}</text>`);
      continue;
    }
    const parts: string[] = [];
    for (let i = 0; i < mark.points.length; i += 2)
      parts.push(`${mark.points[i].toFixed(1)},${mark.points[i + 1].toFixed(1)}`);
    const stroke = mark.stroke
      ? ` stroke="${escapeXml(mark.stroke)}" stroke-width="${(mark.width ?? 1).toFixed(2)}"`
      : "";
    out.push(`<polyline points="${parts.join(" ")}" fill="${escapeXml(mark.fill ?? "none")}"${stroke}/>`);
  }
  return [...out, "</g>", "</svg>"].join("\n");
}

/** A colour between two, both as #rrggbb or #rgb: `share` of the second. What is no such colour is taken as it is. */
export function mix(first: string, second: string, share: number): string {
  const [a, b] = [channels(first), channels(second)];
  if (!a || !b) return second;
  const mixed = a.map((value, i) => Math.round(value * (1 - share) + b[i] * share));
  return `#${mixed.map((value) => value.toString(16).padStart(2, "0")).join("")}`;
}

function channels(color: string): number[] | null {
  const digits = /^\s*#([0-9a-f]{3}|[0-9a-f]{6})\s*$/i.exec(color)?.[1];
  if (!digits) return null;
  const size = digits.length / 3;
  return [0, 1, 2].map((i) => Number.parseInt(digits.slice(i * size, (i + 1) * size).repeat(2 / size), 16));
}
