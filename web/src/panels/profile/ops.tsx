/** Time by op: shares of all in a ring, and a table to sort and search. */

import { useMemo } from "preact/hooks";
import type { ProfileOp, ProfileOverview } from "../../api/schema";
import { formatCount } from "../../chart/format";
import { fileName, saveBlob } from "../../chart/svg";
import { pattern } from "../../state/order";
import { IconButton, Notice, Search, Segmented, Toggle } from "../../ui/controls";
import { toCsv } from "../tables/csv";
import { placeColor } from "./colors";
import { formatSeconds, formatShare } from "./format";
import { type Column, isOfKind, type OpRow, rowsOf, slices, sorted } from "./op_rows";
import { isGrouped, opKind, opSearch, opSort, traceSearch, view } from "./state";
import { t } from "./words";

const MOST_ROWS = 300;
const MOST_SLICES = 9;
const KINDS = ["ops", "xla", "framework", "input", "python", "runtime", "all"] as const;

export function OpsView({ overview, other }: { overview: ProfileOverview; other: ProfileOverview | null }) {
  const kind = opKind.value;
  const chosen = useMemo(() => overview.ops.filter((op) => isOfKind(op, kind)), [overview, kind]);
  const others = useMemo(() => other?.ops.filter((op) => isOfKind(op, kind)) ?? null, [other, kind]);
  const grouped = isGrouped.value;
  const rows = useMemo(
    () => rowsOf(chosen, others, pattern(opSearch.value), grouped),
    [chosen, others, opSearch.value, grouped],
  );
  const present = KINDS.filter(
    (one) => one === "ops" || one === "all" || one === kind || overview.ops.some((op) => op.kind === one),
  );
  return (
    <div class="profile-page">
      <div class="profile-bar">
        <Search
          label={t("searchOps")}
          tip={t("searchOpsTip")}
          value={opSearch.value}
          shortcut="/"
          onChange={(text) => {
            opSearch.value = text;
          }}
        />
        <Segmented
          label={t("kind")}
          tip={t("kindTip")}
          value={kind}
          options={present.map((one) => [one, t(`kind${one}`)] as const)}
          onChange={(value) => {
            opKind.value = value;
          }}
        />
        <Toggle
          label={t("group")}
          tip={t("groupTip")}
          isOn={grouped}
          onChange={(isOn) => {
            isGrouped.value = isOn;
          }}
        />
        <IconButton icon="download" tip={t("opsCsv")} onClick={() => save(chosen)} />
      </div>
      {chosen.length === 0 ? (
        <Notice title={t("noOps")}>{t("noOpsText")}</Notice>
      ) : (
        <>
          <Ring rows={rows} />
          <Table rows={rows} hasOther={others !== null} total={overview.op_total} isAll={kind === "all"} />
        </>
      )}
    </div>
  );
}

function save(ops: readonly ProfileOp[]): void {
  const head = ["name", "kind", "type", "module", "computes", "count", "total_s", "self_s"];
  const rows = ops.map((op) =>
    [op.name, op.kind, op.type, op.module, op.detail, op.count, op.total, op.own].map(String),
  );
  saveBlob(new Blob([toCsv([head, ...rows])], { type: "text/csv" }), fileName("ops", "csv"));
}

function title(row: OpRow): string {
  return row.isGradient ? `${row.name} (${t("gradient")})` : row.name;
}

function Ring({ rows }: { rows: readonly OpRow[] }) {
  const { rows: largest, rest, restCount } = slices(rows, MOST_SLICES);
  const parts = largest.map((row, i) => ({
    key: row.key,
    name: title(row),
    share: row.share,
    color: placeColor(i),
  }));
  if (restCount > 0)
    parts.push({ key: "", name: t("others", { n: restCount }), share: rest, color: "var(--line-strong)" });
  const whole = parts.reduce((sum, { share }) => sum + share, 0) || 1;
  let at = 0;
  const arcs = parts.map((part) => {
    const from = at;
    at += part.share / whole;
    return { ...part, d: arc(from, at) };
  });
  const text = parts.map(({ name, share }) => `${name} ${formatShare(share)}`).join(", ");
  return (
    <div class="ring-box">
      <svg class="ring" viewBox="-50 -50 100 100" role="img" aria-label={t("opsChart", { text })}>
        {arcs.map(({ key, d, color, name, share }) => (
          <path key={key} d={d} style={{ fill: color }} data-tip={`${name}: ${formatShare(share)}`} />
        ))}
      </svg>
      <ol class="ring-legend">
        {parts.map(({ key, name, share, color }) => (
          <li key={key}>
            <span class="phase-mark" style={{ background: color }} />
            <span class="ring-name" data-tip={name}>
              {name}
            </span>
            <strong>{formatShare(share)}</strong>
          </li>
        ))}
      </ol>
    </div>
  );
}

/** A piece of a ring between two shares of a turn. */
function arc(from: number, to: number): string {
  const end = Math.min(to, from + 0.99999);
  const point = (share: number, radius: number) => {
    const angle = 2 * Math.PI * share - Math.PI / 2;
    return `${(radius * Math.cos(angle)).toFixed(3)} ${(radius * Math.sin(angle)).toFixed(3)}`;
  };
  const large = end - from > 0.5 ? 1 : 0;
  return `M${point(from, 48)}A48 48 0 ${large} 1 ${point(end, 48)}L${point(end, 28)}A28 28 0 ${large} 0 ${point(from, 28)}Z`;
}

interface TableProps {
  rows: readonly OpRow[];
  hasOther: boolean;
  total: number;
  isAll: boolean;
}

function Table({ rows, hasOther, total, isAll }: TableProps) {
  const by = opSort.value;
  const ordered = useMemo(() => sorted(rows, by), [rows, by]);
  const columns: [Column, string, boolean][] = [
    ["name", t("name"), false],
    ...(isGrouped.value ? [] : ([["type", t("type"), false]] as [Column, string, boolean][])),
    ["own", t("own"), true],
    ["share", t("share"), true],
    ["total", t("totalTime"), true],
    ["count", t("count"), true],
    ["each", t("each"), true],
    ...(hasOther ? ([["other", t("otherOwn"), true]] as [Column, string, boolean][]) : []),
    ["detail", t("detail"), false],
  ];
  const next = (column: Column, isNumber: boolean) => {
    const first = isNumber ? `-${column}` : column;
    opSort.value = by === first ? (isNumber ? column : `-${column}`) : first;
  };
  return (
    <div class="profile-scroll" tabIndex={0} role="region" aria-label={t("ops")}>
      <table class="profile-table ops-table">
        <thead>
          <tr>
            {columns.map(([column, name, isNumber]) => {
              const direction = by === column ? "ascending" : by === `-${column}` ? "descending" : undefined;
              return (
                <th key={column} class={isNumber ? "is-number" : ""} aria-sort={direction}>
                  <button type="button" data-tip={t("sort", { name })} onClick={() => next(column, isNumber)}>
                    {name}
                    <span aria-hidden="true">
                      {direction === "ascending" ? " ↑" : direction === "descending" ? " ↓" : ""}
                    </span>
                  </button>
                </th>
              );
            })}
          </tr>
        </thead>
        <tbody>
          {ordered.slice(0, MOST_ROWS).map((row) => (
            <Row key={row.key} row={row} hasOther={hasOther} />
          ))}
        </tbody>
      </table>
      {(ordered.length > MOST_ROWS || (isAll && total > ordered.length)) && (
        <p class="profile-note">
          {t("moreOps", {
            n: Math.min(MOST_ROWS, ordered.length),
            total: Math.max(ordered.length, isAll ? total : 0),
          })}
        </p>
      )}
    </div>
  );
}

function Row({ row, hasOther }: { row: OpRow; hasOther: boolean }) {
  const show = () => {
    traceSearch.value = isGrouped.value ? row.type : row.name;
    view.value = "trace";
  };
  return (
    <tr>
      <td class="is-long">
        {isGrouped.value ? (
          <span data-tip={title(row)}>
            {title(row)} {row.members > 1 && <em>{t("types", { n: row.members })}</em>}
          </span>
        ) : (
          <button type="button" class="link-button" data-tip={t("open")} onClick={show}>
            {title(row)}
          </button>
        )}
      </td>
      {!isGrouped.value && <td class="is-faint">{row.type}</td>}
      <td class="is-number">{formatSeconds(row.own)}</td>
      <td>
        <div class="share-cell">
          <span class="share-bar">
            <span style={{ width: `${Math.min(100, row.share * 100)}%` }} />
          </span>
          <span class="share-text">{formatShare(row.share)}</span>
        </div>
      </td>
      <td class="is-number">{formatSeconds(row.total)}</td>
      <td class="is-number">{formatCount(row.count)}</td>
      <td class="is-number">{formatSeconds(row.total / row.count)}</td>
      {hasOther && <td class="is-number">{Number.isNaN(row.other) ? "–" : formatSeconds(row.other)}</td>}
      <td class="is-faint">{row.members === 1 ? row.detail : ""}</td>
    </tr>
  );
}
