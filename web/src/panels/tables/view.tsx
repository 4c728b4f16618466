/** The tables panel: every step of every table, sorted by a click on a column, saved as CSV. */

import { useState } from "preact/hooks";
import type { MediaItem, TableBlob } from "../../api/schema";
import { fileName, saveBlob } from "../../chart/svg";
import { messages } from "../../i18n/messages";
import { fetchBlob, useBlob } from "../../media/items";
import { type MediaCard, MediaPanel } from "../../media/panel";
import { t as shared } from "../../media/words";
import { IconButton } from "../../ui/controls";
import { toCsv } from "./csv";
import { sortedRows } from "./sorting";
import "./tables.css";

const t = messages({
  sort: ["Sort by {name}", "按 {name} 排序"],
  more: [
    "{n} of {total} rows; the download has all that were sent",
    "{total} 行中的 {n} 行;下载包含全部已传输的行",
  ],
  save: ["Download as CSV", "下载为 CSV"],
});

const SIZES = {
  small: { width: 300, height: 220 },
  medium: { width: 520, height: 440 },
  large: { width: 900, height: 720 },
};
/** As many rows as a card draws; more would make it slow and nobody scrolls so far. */
const MOST_ROWS = 500;

export default function Tables() {
  return (
    <MediaPanel
      panel="tables"
      sizes={SIZES}
      hint={shared("logWith", {
        code: 'tf.summary.table("scores", {"name": names, "score": scores}, step=step)',
      })}
      tools={(item, card) => item && <Save item={item} card={card} />}
    >
      {(item) => <Body item={item} />}
    </MediaPanel>
  );
}

function Save({ item, card }: { item: MediaItem; card: MediaCard }) {
  const save = async () => {
    const table = await fetchBlob<TableBlob>(item.samples[0].url);
    saveBlob(
      new Blob([toCsv([table.columns, ...table.rows])], { type: "text/csv" }),
      fileName(`${card.tag}-${item.step}`, "csv"),
    );
  };
  return <IconButton icon="download" tip={t("save")} onClick={() => void save()} />;
}

function Body({ item }: { item: MediaItem }) {
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
