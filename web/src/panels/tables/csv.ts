/** Rows as CSV (RFC 4180). */

export function toCsv(rows: readonly (readonly string[])[]): string {
  return rows.map((row) => `${row.map(cell).join(",")}\r\n`).join("");
}

function cell(text: string): string {
  // A spreadsheet would run a cell that begins like a formula, even if a number comes first: -1+cmd|...
  const safe = /^[=@\t\r\n]|^[+-](?!(\d+\.?\d*|\.\d+)(e[+-]?\d+)?$|Infinity$)/i.test(text)
    ? `'${text}`
    : text;
  return /[",\r\n]/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe;
}
