/** Rows as CSV (RFC 4180). */

export function toCsv(rows: readonly (readonly string[])[]): string {
  return rows.map((row) => `${row.map(cell).join(",")}\r\n`).join("");
}

function cell(text: string): string {
  // A spreadsheet would run a cell that begins like a formula.
  const safe = /^[=@\t\r]|^[+-](?!\d|\.\d)/.test(text) ? `'${text}` : text;
  return /[",\r\n]/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe;
}
