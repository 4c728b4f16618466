/** The table of runs of a view in a text: its filter, columns and order. */

import { useEffect, useMemo } from "preact/hooks";
import { openedRun } from "../../state/opened";
import { decoded, setCodec } from "../../state/url";
import { type Column, finder, STATS, type Stat, sortedBy } from "../runs/columns";
import { problem, rows, use } from "../runs/data";
import { compile } from "../runs/expression";
import { columnsWith, nameOf, offered } from "../runs/narrowing";
import { fullTitleOf, NAME } from "../runs/state";
import type { View } from "./address";
import { runsOf } from "./charts";
import { Cut, Nothing } from "./nothing";
import { t } from "./words";

const MOST_ROWS = 50;

interface Shown {
  columns: readonly Column[];
  rows: readonly number[];
  problem: string;
}

/** What the address says of a table, as the panel of runs writes it. */
function shownBy(view: View): Shown {
  const { query } = view;
  const stat = STATS.find((one) => one === query.get("rvalue")) ?? ("last" satisfies Stat);
  const all = columnsWith(stat);
  const named = finder(all);
  const filter = compile(query.get("rfilter") ?? "", (name) => named(name)?.value);
  const passes = "test" in filter ? filter.test : () => true;
  const ids = runsOf(view);
  const among = ids ? new Set(ids) : null;
  const one = query.get("run");
  const isMeant = (row: number) =>
    rows.value[row].runs.some((id) => (!among || among.has(id)) && (!one || id === one));
  const kept = offered.value.filter((row) => passes(row) && isMeant(row));
  const toggled = setCodec.parse(query.get("rcols") ?? "") ?? new Set();
  const places = new Map((query.get("rorder") ?? "").split(",").map((key, i) => [decoded(key), i]));
  const placeOf = ({ key }: Column) => places.get(key) ?? places.size;
  const columns = all
    .filter(({ key, isUsual }) => key !== NAME && isUsual !== toggled.has(key))
    .sort((a, b) => placeOf(a) - placeOf(b));
  const sort = query.get("rsort") ?? "";
  const by = all.find(({ key }) => key === sort.replace(/^-/, ""));
  return {
    columns,
    rows: by ? sortedBy(by, kept, sort.startsWith("-")) : kept,
    problem: "problem" in filter ? (query.get("rfilter") ?? "") : "",
  };
}

export function RunsTable({ view }: { view: View }) {
  useEffect(() => use(), []);
  const settings = String(view.query);
  const parts = [columnsWith("last"), offered.value, rows.value];
  const shown = useMemo(() => shownBy(view), [settings, ...parts]);
  if (rows.value.length === 0) return <p class="embed-nothing">{problem.value || t("loading")}</p>;
  if (shown.problem) return <p class="embed-nothing">{t("wrongFilter", { text: shown.problem })}</p>;
  if (shown.rows.length === 0) return <Nothing view={view} />;
  const listed = shown.rows.slice(0, MOST_ROWS);
  return (
    <>
      <div class="embed-table" tabIndex={0} role="region" aria-label={t("runsTable")}>
        <table>
          <thead>
            <tr>
              <th scope="col">{t("run")}</th>
              {shown.columns.map((column) => (
                <th key={column.key} scope="col" class={column.isNumber ? "is-number" : undefined}>
                  {fullTitleOf(column)}
                </th>
              ))}
            </tr>
          </thead>
          <tbody>
            {listed.map((row) => (
              <tr key={rows.value[row].id}>
                <th scope="row">
                  <a
                    href={`#runs?run=${rows.value[row].id}`}
                    onClick={(event) => {
                      if (event.ctrlKey || event.metaKey || event.shiftKey) return;
                      openedRun.value = rows.value[row].id;
                    }}
                  >
                    {nameOf(rows.value[row])}
                  </a>
                </th>
                {shown.columns.map((column) => (
                  <td key={column.key} class={column.isNumber ? "is-number" : undefined}>
                    {column.text(row) || "–"}
                  </td>
                ))}
              </tr>
            ))}
          </tbody>
        </table>
      </div>
      <Cut shown={listed.length} total={shown.rows.length} />
    </>
  );
}
