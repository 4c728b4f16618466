/** A chart as an SVG fit for a paper: white, with a title, named axes, every line and a legend. */

import type { Line, Range } from "./line";
import { projection } from "./line";
import type { ChartView } from "./line_chart";
import { onPaper } from "./palette";
import { oddities, type Path, trace } from "./pen";
import { ticks } from "./ticks";

export interface Drawing {
  title: string;
  xLabel: string;
  lines: readonly Line[];
  x: Range;
  y: Range;
  view: ChartView;
}

const WIDTH = 640;
const PLOT = { left: 64, top: 40, width: 552, height: 300 };
const LEGEND_ROW = 18;
const MOST_NAMED = 40;
const FONT = "Helvetica, Arial, 'Liberation Sans', sans-serif";

class PathText implements Path {
  private readonly parts: string[] = [];
  moveTo(x: number, y: number): void {
    this.parts.push(`M${x.toFixed(2)} ${y.toFixed(2)}`);
  }
  lineTo(x: number, y: number): void {
    this.parts.push(`L${x.toFixed(2)} ${y.toFixed(2)}`);
  }
  toString(): string {
    return this.parts.join("");
  }
}

export function escapeXml(text: string): string {
  // Control characters are not allowed in XML, even escaped.
  const clean = [...text].filter((letter) => letter >= " " || letter === "\t").join("");
  return clean.replace(/[&<>"']/g, (letter) => `&#${letter.charCodeAt(0)};`);
}

export function chartSvg({ title, xLabel, lines: shown, x, y, view }: Drawing): string {
  const lines = shown.map((line) => ({ ...line, color: onPaper(line.color) }));
  const { left, top, width, height } = PLOT;
  const toX = projection(x, view.isLogX, left, width);
  const toY = projection(y, view.isLogY, top + height, -height);
  const named = [...lines].reverse().slice(0, MOST_NAMED);
  const legendTop = top + height + 52;
  const total = legendTop + Math.ceil(named.length / 2) * LEGEND_ROW + 8;
  const out: string[] = [
    `<svg xmlns="http://www.w3.org/2000/svg" width="${WIDTH}" height="${total}" viewBox="0 0 ${WIDTH} ${total}" font-family="${FONT}" font-size="12" fill="#222">`,
    `<rect width="100%" height="100%" fill="#fff"/>`,
    `<text x="${left}" y="24" font-size="15" font-weight="600">${escapeXml(title)}</text>`,
  ];
  for (const tick of ticks(y.min, y.max, 7, view.isLogY ? "log" : "linear")) {
    const at = toY(tick.at).toFixed(2);
    out.push(`<path d="M${left} ${at}h${width}" stroke="#e4e4e4"/>`);
    out.push(`<text x="${left - 8}" y="${at}" dy="4" text-anchor="end">${escapeXml(tick.label)}</text>`);
  }
  for (const tick of ticks(x.min, x.max, 7, view.xKind)) {
    const at = toX(tick.at).toFixed(2);
    out.push(`<path d="M${at} ${top}v${height}" stroke="#f0f0f0"/>`);
    out.push(`<text x="${at}" y="${top + height + 18}" text-anchor="middle">${escapeXml(tick.label)}</text>`);
  }
  out.push(
    `<text x="${left + width / 2}" y="${top + height + 36}" text-anchor="middle" fill="#555">${escapeXml(xLabel)}</text>`,
  );
  out.push(
    `<clipPath id="plot"><rect x="${left}" y="${top}" width="${width}" height="${height}"/></clipPath>`,
  );
  out.push(`<g clip-path="url(#plot)" fill="none" stroke-linejoin="round">`);
  for (const line of lines) if (line.band) out.push(bandPath(line, toX, toY));
  for (const line of lines) if (line.raw) out.push(linePath(line, line.raw, x, toX, toY, 1, 0.25));
  for (const line of lines) out.push(linePath(line, line.y, x, toX, toY, line.isStrong ? 2.5 : 1.5, 1));
  out.push(`</g>`);
  for (const line of lines) {
    for (const { x: at, kind } of oddities(line, x, toX)) {
      const mark = kind === "nan" ? "×" : kind === "inf" ? "▲" : "▼";
      const place = kind === "inf" ? top + 10 : top + height - 3;
      out.push(
        `<text x="${at.toFixed(2)}" y="${place}" text-anchor="middle" fill="${escapeXml(line.color)}">${mark}</text>`,
      );
    }
  }
  out.push(`<path d="M${left} ${top}v${height}h${width}" fill="none" stroke="#888"/>`);
  named.forEach((line, i) => {
    const at = left + (i % 2) * (width / 2);
    const row = legendTop + Math.floor(i / 2) * LEGEND_ROW;
    const dash = line.isDashed ? ` stroke-dasharray="6 4"` : "";
    out.push(`<path d="M${at} ${row}h22" stroke="${escapeXml(line.color)}" stroke-width="2"${dash}/>`);
    out.push(`<text x="${at + 28}" y="${row}" dy="4">${escapeXml(shortened(line.label))}</text>`);
  });
  out.push(`</svg>`);
  return out.join("\n");
}

function shortened(text: string): string {
  return text.length > 40 ? `${text.slice(0, 18)}…${text.slice(-20)}` : text;
}

type Place = (value: number) => number;

function linePath(
  line: Line,
  ys: Float64Array,
  window: Range,
  toX: Place,
  toY: Place,
  width: number,
  opacity: number,
): string {
  const path = new PathText();
  const lonely = trace(path, line, ys, window, toX, toY);
  const color = escapeXml(line.color);
  const dash = line.isDashed ? ` stroke-dasharray="${width * 4} ${width * 2.5}"` : "";
  const dots = lonely.map(
    ([x, y]) => `<circle cx="${x.toFixed(2)}" cy="${y.toFixed(2)}" r="2.5" fill="${color}"/>`,
  );
  return `<path d="${path}" stroke="${color}" stroke-width="${width}" opacity="${opacity}"${dash}/>${dots.join("")}`;
}

function bandPath(line: Line, toX: Place, toY: Place): string {
  const edge = (column: Float64Array) =>
    Array.from(line.x, (x, i) => [toX(x), toY(column[i])] as const).filter(([, y]) => Number.isFinite(y));
  const points = [...edge(line.band!.high), ...edge(line.band!.low).reverse()];
  const text = points.map(([x, y]) => `${x.toFixed(2)},${y.toFixed(2)}`).join(" ");
  return `<polygon points="${text}" fill="${escapeXml(line.color)}" opacity="0.16"/>`;
}

/** The SVG as pixels. */
export async function svgToPng(svg: string, scale: number): Promise<Blob> {
  const image = new Image();
  const url = URL.createObjectURL(new Blob([svg], { type: "image/svg+xml" }));
  try {
    image.src = url;
    await image.decode();
    const canvas = document.createElement("canvas");
    canvas.width = image.naturalWidth * scale;
    canvas.height = image.naturalHeight * scale;
    canvas.getContext("2d")!.drawImage(image, 0, 0, canvas.width, canvas.height);
    return await new Promise((done, fail) =>
      canvas.toBlob(
        (blob) => (blob ? done(blob) : fail(new Error("The picture could not be made."))),
        "image/png",
      ),
    );
  } finally {
    URL.revokeObjectURL(url);
  }
}

export function saveBlob(blob: Blob, name: string): void {
  const link = document.createElement("a");
  link.href = URL.createObjectURL(blob);
  link.download = name;
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 10_000);
}

/** A file name that every system takes. */
export function fileName(title: string, ending: string): string {
  return `${title.replace(/[^\p{L}\p{N}._-]+/gu, "_").slice(0, 80) || "chart"}.${ending}`;
}
