/** The table of sessions as a file: CSV, JSON or LaTeX. */

import { toCsv } from "../tables/csv";
import type { Column } from "./columns";

export interface Sheet {
  columns: readonly { title: string; column: Column }[];
  names: readonly string[];
  rows: readonly number[];
}

export function csvOf({ columns, names, rows }: Sheet): string {
  const head = ["session", ...columns.map(({ title }) => title)];
  return toCsv([
    head,
    ...rows.map((row) => [names[row], ...columns.map(({ column }) => whole(column, row))]),
  ]);
}

/** Every digit, and what a spreadsheet takes for a number. */
function whole(column: Column, row: number): string {
  if (!column.isNumber || column.text(row) === "") return column.text(row);
  return String(column.numbers[row]);
}

export function jsonOf({ columns, names, rows }: Sheet): string {
  const plain = (column: Column, row: number) => {
    const text = column.text(row);
    if (text === "") return null;
    const value = column.numbers[row];
    // JSON has no NaN and no infinities.
    return column.isNumber ? (Number.isFinite(value) ? value : String(value)) : text;
  };
  const content = rows.map((row) => ({
    session: names[row],
    values: Object.fromEntries(columns.map(({ title, column }) => [title, plain(column, row)])),
  }));
  return `${JSON.stringify(content, null, 1)}\n`;
}

const SPECIAL: Record<string, string> = {
  "\\": "\\textbackslash{}",
  "~": "\\textasciitilde{}",
  "^": "\\textasciicircum{}",
};

export function escapeLatex(text: string): string {
  return text.replace(/[\\~^&%$#_{}]/g, (letter) => SPECIAL[letter] ?? `\\${letter}`);
}

/** A table for a paper: three digits, powers of ten as such. */
export function latexOf({ columns, names, rows }: Sheet): string {
  const cell = (column: Column, row: number) => {
    if (column.text(row) === "") return "--";
    if (!column.isNumber || column.role === "fact") return escapeLatex(column.text(row));
    return latexNumber(column.numbers[row]);
  };
  const line = (cells: string[]) => `${cells.join(" & ")} \\\\`;
  return [
    `\\begin{tabular}{l${columns.map(({ column }) => (column.isNumber ? "r" : "l")).join("")}}`,
    `${line(["session", ...columns.map(({ title }) => escapeLatex(title))])} \\hline`,
    ...rows.map((row) => line([escapeLatex(names[row]), ...columns.map(({ column }) => cell(column, row))])),
    "\\end{tabular}",
    "",
  ].join("\n");
}

export function latexNumber(value: number): string {
  if (Number.isNaN(value)) return "NaN";
  if (!Number.isFinite(value)) return value > 0 ? "$\\infty$" : "$-\\infty$";
  const [digits, power] = String(Number(value.toPrecision(4))).split("e");
  return power ? `$${digits}\\cdot 10^{${Number(power)}}$` : `$${digits}$`;
}
