/** The table of runs as a file: the rows and columns shown, as CSV, LaTeX or Markdown. */

import { escapeLatex, latexNumber } from "../hparams/files";
import { toCsv } from "../tables/csv";
import type { Column } from "./columns";

export interface Sheet {
  columns: readonly { title: string; column: Column }[];
  head: string;
  names: (row: number) => string;
  rows: readonly number[];
}

/** Every digit of numbers, and what a spreadsheet takes for one. */
function whole(column: Column, row: number): string {
  const value = column.value(row);
  return column.isNumber && value !== null ? String(value) : column.text(row);
}

export function csvOf({ columns, head, names, rows }: Sheet): string {
  return toCsv([
    [head, ...columns.map(({ title }) => title)],
    ...rows.map((row) => [names(row), ...columns.map(({ column }) => whole(column, row))]),
  ]);
}

function isPlainNumber({ isNumber, role }: Column): boolean {
  return isNumber && role !== "fact";
}

export function latexOf({ columns, head, names, rows }: Sheet): string {
  const cell = (column: Column, row: number) => {
    const value = column.value(row);
    if (value === null || column.text(row) === "") return "--";
    return isPlainNumber(column) ? latexNumber(Number(value)) : escapeLatex(column.text(row));
  };
  const line = (cells: string[]) => `${cells.join(" & ")} \\\\`;
  return [
    `\\begin{tabular}{l${columns.map(({ column }) => (column.isNumber ? "r" : "l")).join("")}}`,
    `${line([head, ...columns.map(({ title }) => title)].map(escapeLatex))} \\hline`,
    ...rows.map((row) => line([escapeLatex(names(row)), ...columns.map(({ column }) => cell(column, row))])),
    "\\end{tabular}",
    "",
  ].join("\n");
}

/** A text that stays one cell and nothing but text. */
function escapeMarkdown(text: string): string {
  return text.replace(/\s+/g, " ").replace(/[\\|*_`[\]<>~#]/g, "\\$&");
}

export function markdownOf({ columns, head, names, rows }: Sheet): string {
  const line = (cells: string[]) => `| ${cells.join(" | ")} |`;
  return [
    line([head, ...columns.map(({ title }) => title)].map(escapeMarkdown)),
    line([":--", ...columns.map(({ column }) => (column.isNumber ? "--:" : ":--"))]),
    ...rows.map((row) =>
      line([names(row), ...columns.map(({ column }) => column.text(row))].map(escapeMarkdown)),
    ),
    "",
  ].join("\n");
}
