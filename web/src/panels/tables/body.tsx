/** A table of one step, sorted by a click on a column. */

import { useState } from "preact/hooks";
import type { MediaItem, TableBlob } from "../../api/schema";
import { messages } from "../../i18n/messages";
import { useBlob } from "../../media/items";
import { t as shared } from "../../media/words";
import { sortedRows } from "./sorting";
import "./tables.css";

const t = messages({
  sort: ["Sort by {name}", "按 {name} 排序"],
  more: [
    "{n} of {total} rows; the download has all that were sent",
    "{total} 行中的 {n} 行;下载包含全部已传输的行",
  ],
});

/** As many rows as a card draws; more would make it slow and nobody scrolls so far. */
const MOST_ROWS = 500;

export function TableBody({ item }: { item: MediaItem }) {
  const { value, error } = useBlob<TableBlob>(item.samples[0]?.url);
  const [sort, setSort] = useState<{ column: number; isDown: boolean } | null>(null);
  if (error) return <p class="media-note">{shared("broken", { error })}</p>;
  if (!value) return <p class="media-note">{shared("loading")}</p>;
  const rows = sort ? sortedRows(value.rows, sort.column, sort.isDown) : value.rows;
  const next = (column: number) =>
    setSort(
      sort?.column !== column ? { column, isDown: false } : sort.isDown ? null : { column, isDown: true },
    );
  const numeric = value.columns.map((_, i) => value.rows.every((row) => isNumber(row[i] ?? "")));
  return (
    <div class="table-box" tabIndex={0} role="region" aria-label={`${shared("step")} ${item.step}`}>
      <table class="data-table">
        <thead>
          <tr>
            {value.columns.map((name, i) => (
              <th
                key={i}
                class={numeric[i] ? "is-number" : undefined}
                aria-sort={sort?.column === i ? (sort.isDown ? "descending" : "ascending") : undefined}
              >
                <button type="button" data-tip={t("sort", { name })} onClick={() => next(i)}>
                  {name}
                  {sort?.column === i && <span aria-hidden="true">{sort.isDown ? " ↓" : " ↑"}</span>}
                </button>
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {rows.slice(0, MOST_ROWS).map((row, i) => (
            <tr key={i}>
              {row.map((cell, j) => (
                <td key={j} class={numeric[j] ? "is-number" : undefined}>
                  {cell}
                </td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
      {value.row_total > Math.min(rows.length, MOST_ROWS) && (
        <p class="media-note">{t("more", { n: Math.min(rows.length, MOST_ROWS), total: value.row_total })}</p>
      )}
    </div>
  );
}

/** Numbers, and shares such as 85.7%, stand below each other by their ends. */
function isNumber(text: string): boolean {
  return text !== "" && !Number.isNaN(Number(text.replace(/\s?%$/, "")));
}
