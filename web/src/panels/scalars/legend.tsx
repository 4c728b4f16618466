/** The lines of a chart that fills the screen, as a table: the best first, or by the column the user clicks. */

import { useState } from "preact/hooks";
import { formatCount, formatValue } from "../../chart/format";
import type { Line } from "../../chart/line";
import { keptLetters } from "../../chart/names";
import { naturally } from "../../state/order";
import { Name } from "../../ui/name";
import { betterOf } from "../runs/better";
import { t } from "./words";

const MOST_ROWS = 200;

interface Row {
  line: Line;
  last: number;
  smoothed: number;
  min: number;
  max: number;
  /** The largest step. */
  step: number;
}

type Column = Exclude<keyof Row, "line">;
const COLUMNS: readonly Column[] = ["last", "smoothed", "min", "max", "step"];

function rowOf(line: Line): Row {
  const values = line.raw ?? line.y;
  let [min, max] = [Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY];
  for (const value of values) {
    if (value < min && value > Number.NEGATIVE_INFINITY) min = value;
    if (value > max && value < Number.POSITIVE_INFINITY) max = value;
  }
  return {
    line,
    last: values[values.length - 1] ?? Number.NaN,
    smoothed: line.y.findLast(Number.isFinite) ?? Number.NaN,
    min: min <= max ? min : Number.NaN,
    max: min <= max ? max : Number.NaN,
    step: line.steps[line.steps.length - 1] ?? Number.NaN,
  };
}

/** What is NaN comes last, whichever way it is sorted. */
function sortedBy(rows: readonly Row[], column: Column, isDown: boolean): Row[] {
  return [...rows].sort((a, b) => {
    const [x, y] = [a[column], b[column]];
    if (Number.isNaN(x) || Number.isNaN(y)) return Number(Number.isNaN(x)) - Number(Number.isNaN(y));
    return (isDown ? y - x : x - y) || naturally(a.line.label, b.line.label);
  });
}

export function Legend({ lines, name }: { lines: readonly Line[]; name: string }) {
  const isMore = betterOf(name) === "more";
  const [sort, setSort] = useState<{ column: Column; isDown: boolean } | null>(null);
  const { column, isDown } = sort ?? { column: isMore ? "max" : "min", isDown: isMore };
  const rows = sortedBy(lines.map(rowOf), column, isDown).slice(0, MOST_ROWS);
  const kept = keptLetters(rows.map(({ line }) => line.label));
  return (
    <div class="legend" tabIndex={0} role="region" aria-label={t("legend")}>
      <table>
        <thead>
          <tr>
            <th scope="col">{t("run")}</th>
            {COLUMNS.map((one) => (
              <th
                key={one}
                scope="col"
                class="is-number"
                aria-sort={one === column ? (isDown ? "descending" : "ascending") : undefined}
              >
                <button
                  type="button"
                  class="legend-sort"
                  data-tip={t("legendSort", { name: t(one) })}
                  onClick={() => setSort({ column: one, isDown: one === column ? !isDown : isMore })}
                >
                  {t(one)}
                  {one === column && <span aria-hidden="true">{isDown ? " ↓" : " ↑"}</span>}
                </button>
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {rows.map((row, i) => (
            <tr key={row.line.id}>
              <th scope="row">
                <span class="legend-name" data-tip={row.line.label}>
                  <span
                    class={row.line.isDashed ? "swatch is-dashed" : "swatch"}
                    style={{ color: row.line.color }}
                  />
                  <Name text={row.line.label} kept={kept[i]} />
                </span>
              </th>
              {COLUMNS.map((one) => (
                <td key={one} class="is-number">
                  {one === "step" ? formatCount(row[one]) : formatValue(row[one])}
                </td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}
