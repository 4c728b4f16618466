/** What a matrix says, in words. */

import { formatCount } from "../../chart/format";
import { formatShare, type Matrix, type Pair } from "./matrix";
import { t } from "./words";

/** How much is right, and what is most often wrong. */
export function summaryOf(matrix: Matrix): string {
  if (matrix.total === 0) return t("nothing");
  const facts = { accuracy: formatShare(matrix.accuracy), total: formatCount(matrix.total) };
  if (!matrix.worst) return t("faultless", facts);
  const { row, column } = matrix.worst;
  const count = matrix.at(matrix.worst);
  return t("summary", { ...facts, row: matrix.names[row], column: matrix.names[column], count });
}

/** One cell; "" if the matrix has no such cell. */
export function pairText(matrix: Matrix, pair: Pair): string {
  if (pair.row >= matrix.size || pair.column >= matrix.size) return "";
  return t("pinned", {
    row: matrix.names[pair.row],
    column: matrix.names[pair.column],
    count: matrix.at(pair),
    ofRow: formatShare(matrix.shareOfRow(pair)),
    ofColumn: formatShare(matrix.shareOfColumn(pair)),
  });
}
