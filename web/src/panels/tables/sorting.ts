/** The order of a table's rows: numbers by value, texts naturally. */

import { naturally } from "../../state/order";

export function sortedRows(rows: readonly string[][], column: number, isDown: boolean): string[][] {
  const compare = (a: string[], b: string[]) => {
    const [x, y] = [a[column] ?? "", b[column] ?? ""];
    const [p, q] = [Number(x), Number(y)];
    const areNumbers = x !== "" && y !== "" && !Number.isNaN(p) && !Number.isNaN(q);
    return areNumbers ? p - q : naturally(x, y);
  };
  const sorted = [...rows].sort(compare);
  return isDown ? sorted.reverse() : sorted;
}
