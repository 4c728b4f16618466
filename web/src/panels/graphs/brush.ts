/** What a drawing is made with: a canvas, or the text of an SVG. */

import { escapeXml } from "../../chart/svg";

export interface Brush {
  box(
    x: number,
    y: number,
    width: number,
    height: number,
    radius: number,
    fill: string,
    stroke: string,
    line: number,
  ): void;
  /** A soft curve through points, upright at its ends. */
  curve(points: readonly number[], color: string, line: number, isDashed: boolean): void;
  head(x: number, y: number, isDown: boolean, color: string): void;
  text(
    text: string,
    x: number,
    y: number,
    size: number,
    color: string,
    weight: number,
    align: "start" | "middle",
    halo: string,
  ): void;
}

export const FONT =
  'system-ui, -apple-system, "Segoe UI", Roboto, "Liberation Sans", "Noto Sans CJK SC", sans-serif';
const HEAD = 5;

export class CanvasBrush implements Brush {
  constructor(private readonly context: CanvasRenderingContext2D) {}

  box(
    x: number,
    y: number,
    width: number,
    height: number,
    radius: number,
    fill: string,
    stroke: string,
    line: number,
  ): void {
    const { context } = this;
    context.beginPath();
    context.roundRect(x, y, width, height, radius);
    if (fill) {
      context.fillStyle = fill;
      context.fill();
    }
    if (stroke) {
      context.strokeStyle = stroke;
      context.lineWidth = line;
      context.stroke();
    }
  }

  curve(points: readonly number[], color: string, line: number, isDashed: boolean): void {
    const { context } = this;
    context.beginPath();
    context.moveTo(points[0], points[1]);
    for (let i = 2; i < points.length; i += 2) {
      const middle = (points[i - 1] + points[i + 1]) / 2;
      if (points[i] === points[i - 2]) context.lineTo(points[i], points[i + 1]);
      else context.bezierCurveTo(points[i - 2], middle, points[i], middle, points[i], points[i + 1]);
    }
    context.strokeStyle = color;
    context.lineWidth = line;
    context.setLineDash(isDashed ? [4, 4] : []);
    context.stroke();
    if (isDashed) context.setLineDash([]);
  }

  head(x: number, y: number, isDown: boolean, color: string): void {
    const { context } = this;
    const back = isDown ? y - 1.6 * HEAD : y + 1.6 * HEAD;
    context.beginPath();
    context.moveTo(x, y);
    context.lineTo(x - HEAD * 0.7, back);
    context.lineTo(x + HEAD * 0.7, back);
    context.closePath();
    context.fillStyle = color;
    context.fill();
  }

  text(
    text: string,
    x: number,
    y: number,
    size: number,
    color: string,
    weight: number,
    align: "start" | "middle",
    halo: string,
  ): void {
    const { context } = this;
    context.font = `${weight} ${size}px ${FONT}`;
    context.textAlign = align === "middle" ? "center" : "start";
    if (halo) {
      context.strokeStyle = halo;
      context.lineWidth = 3;
      context.lineJoin = "round";
      context.strokeText(text, x, y);
    }
    context.fillStyle = color;
    context.fillText(text, x, y);
  }
}

export class SvgBrush implements Brush {
  private readonly parts: string[] = [];

  box(
    x: number,
    y: number,
    width: number,
    height: number,
    radius: number,
    fill: string,
    stroke: string,
    line: number,
  ): void {
    const edge = stroke ? ` stroke="${stroke}" stroke-width="${line}"` : "";
    this.parts.push(
      `<rect x="${n(x)}" y="${n(y)}" width="${n(width)}" height="${n(height)}" rx="${radius}" fill="${fill || "none"}"${edge}/>`,
    );
  }

  curve(points: readonly number[], color: string, line: number, isDashed: boolean): void {
    let path = `M${n(points[0])} ${n(points[1])}`;
    for (let i = 2; i < points.length; i += 2) {
      const middle = n((points[i - 1] + points[i + 1]) / 2);
      const [x, y] = [n(points[i]), n(points[i + 1])];
      path +=
        points[i] === points[i - 2]
          ? `L${x} ${y}`
          : `C${n(points[i - 2])} ${middle} ${x} ${middle} ${x} ${y}`;
    }
    const dash = isDashed ? ` stroke-dasharray="4 4"` : "";
    this.parts.push(`<path d="${path}" fill="none" stroke="${color}" stroke-width="${line}"${dash}/>`);
  }

  head(x: number, y: number, isDown: boolean, color: string): void {
    const back = isDown ? -1.6 * HEAD : 1.6 * HEAD;
    const half = HEAD * 0.7;
    this.parts.push(`<path d="M${n(x)} ${n(y)}l${n(-half)} ${n(back)}h${n(2 * half)}z" fill="${color}"/>`);
  }

  text(
    text: string,
    x: number,
    y: number,
    size: number,
    color: string,
    weight: number,
    align: "start" | "middle",
    halo: string,
  ): void {
    const around = halo
      ? ` stroke="${halo}" stroke-width="3" paint-order="stroke" stroke-linejoin="round"`
      : "";
    this.parts.push(
      `<text x="${n(x)}" y="${n(y)}" font-size="${size}" font-weight="${weight}" fill="${color}" text-anchor="${align}"${around}>${escapeXml(text)}</text>`,
    );
  }

  /** The whole drawing, on a ground of one colour. */
  finish(width: number, height: number, margin: number, ground: string): string {
    const [w, h] = [Math.ceil(width + 2 * margin), Math.ceil(height + 2 * margin)];
    return [
      `<svg xmlns="http://www.w3.org/2000/svg" width="${w}" height="${h}" viewBox="${-margin} ${-margin} ${w} ${h}" font-family="${escapeXml(FONT)}">`,
      `<rect x="${-margin}" y="${-margin}" width="${w}" height="${h}" fill="${ground}"/>`,
      ...this.parts,
      `</svg>`,
    ].join("\n");
  }
}

function n(value: number): string {
  return String(Math.round(value * 10) / 10);
}
