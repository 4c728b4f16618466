/** The plots as SVG for a paper: white, with titles, axes and every line or dot. */

import { escapeXml } from "../../chart/svg";
import { axisX, lineY, type Plot } from "./parallel_plot";
import { shades } from "./ramp";
import { cellAt, dotAt, type Matrix, shortened, spaced } from "./scatter_plot";

const FONT = "Helvetica, Arial, 'Liberation Sans', sans-serif";

function open(width: number, height: number): string[] {
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" width="${width}" height="${height}" viewBox="0 0 ${width} ${height}" font-family="${FONT}" font-size="11" fill="#222">`,
    `<rect width="100%" height="100%" fill="#fff"/>`,
  ];
}

/** A colour on paper: of the ramp the one for light ground. */
function inks(colors: readonly string[]): readonly string[] {
  const dark = shades(true);
  return colors.length === dark.length && colors[0] === dark[0] ? shades(false) : colors;
}

/** The rows to draw, those that do not pass first, each with its colour. */
function* painted({ rows, passes, colors, shadeOf }: Plot | Matrix): Generator<[number, string, boolean]> {
  const all = inks(colors);
  for (const row of rows) if (!passes[row]) yield [row, "#dde1e7", false];
  for (const row of rows) if (passes[row]) yield [row, all[shadeOf[row]] ?? "#555", true];
}

export function parallelSvg(plot: Plot, titles: readonly string[]): string {
  const count = plot.axes.length;
  const [width, height] = [Math.max(720, 130 * count), 420];
  const out = open(width, height);
  out.push(`<g fill="none">`);
  for (const [row, color, isPassing] of painted(plot)) {
    const points = plot.axes.map(
      ({ units }, i) => `${axisX(i, count, width).toFixed(1)} ${lineY(units[row], height).toFixed(1)}`,
    );
    out.push(
      `<path d="M${points.join("L")}" stroke="${escapeXml(color)}" opacity="${isPassing ? 0.8 : 1}"/>`,
    );
  }
  out.push(`</g>`);
  plot.axes.forEach((axis, i) => {
    const x = axisX(i, count, width).toFixed(1);
    const [low, high] = [lineY(0, height), lineY(1, height)];
    out.push(`<path d="M${x} ${low}V${high}" stroke="#666" stroke-width="1.5"/>`);
    out.push(
      `<text x="${x}" y="22" text-anchor="middle" font-weight="600">${escapeXml(shortened(titles[i], 22))}</text>`,
    );
    for (const tick of axis.ticks) {
      out.push(
        `<text x="${x}" dx="-7" y="${lineY(tick.at, height).toFixed(1)}" dy="4" text-anchor="end" stroke="#fff" stroke-width="3" paint-order="stroke">${escapeXml(shortened(tick.label, 12))}</text>`,
      );
    }
    if (axis.span) {
      const [from, to] = axis.span.map((unit) => lineY(unit, height));
      out.push(
        `<rect x="${Number(x) - 6}" y="${to}" width="12" height="${from - to}" fill="#1f5fd0" opacity="0.25"/>`,
      );
    }
  });
  out.push(`</svg>`);
  return out.join("\n");
}

export function matrixSvg(matrix: Matrix): string {
  const [width, height] = [110 + 190 * matrix.xs.length, 60 + 160 * matrix.ys.length];
  const out = open(width, height);
  matrix.ys.forEach((up, line) => {
    matrix.xs.forEach((across, column) => {
      const cell = cellAt(matrix, column, line, width, height);
      out.push(
        `<rect x="${cell.left}" y="${cell.top}" width="${cell.width}" height="${cell.height}" fill="none" stroke="#ccc"/>`,
      );
      for (const [row, color] of painted(matrix)) {
        const [x, y] = dotAt(cell, across.units[row], up.units[row]);
        if (Number.isNaN(x) || Number.isNaN(y)) continue;
        out.push(
          `<circle cx="${x.toFixed(1)}" cy="${y.toFixed(1)}" r="2.2" fill="${escapeXml(color)}" opacity="0.8"/>`,
        );
      }
      if (column === 0) {
        const middle = cell.top + cell.height / 2;
        out.push(
          `<text transform="translate(14 ${middle}) rotate(-90)" text-anchor="middle" font-weight="600">${escapeXml(shortened(up.title, 24))}</text>`,
        );
        for (const { at, label } of spaced(up.ticks, 6))
          out.push(
            `<text x="${cell.left - 5}" y="${dotAt(cell, 0, at)[1].toFixed(1)}" dy="4" text-anchor="end">${escapeXml(shortened(label, 9))}</text>`,
          );
      }
      if (line === matrix.ys.length - 1) {
        const bottom = cell.top + cell.height;
        for (const { at, label } of spaced(across.ticks, 4))
          out.push(
            `<text x="${dotAt(cell, at, 0)[0].toFixed(1)}" y="${bottom + 14}" text-anchor="middle">${escapeXml(shortened(label, 8))}</text>`,
          );
        out.push(
          `<text x="${cell.left + cell.width / 2}" y="18" text-anchor="middle" font-weight="600">${escapeXml(shortened(across.title, 28))}</text>`,
        );
      }
    });
  });
  out.push(`</svg>`);
  return out.join("\n");
}
