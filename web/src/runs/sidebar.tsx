/** The list of runs: what is in the charts, and how it is called, coloured, ordered and grouped. */

import { computed } from "@preact/signals";
import { runs, settings } from "../state/board";
import { progressMessage } from "../state/notes";
import * as state from "../state/runs";
import { setCodec, urlSignal } from "../state/url";
import { IconButton, Notice, Search } from "../ui/controls";
import { Icon } from "../ui/icon";
import { Virtual, type VirtualRow } from "../ui/virtual";
import { ListOptions } from "./options";
import { FolderRow, RunRow } from "./rows";
import "./runs.css";
import { groupRows, type Row, treeRows } from "./tree";
import { t } from "./words";

const ROW_HEIGHT = 28;

const closedFolders = urlSignal<ReadonlySet<string>>("folded", new Set(), setCodec);

const rows = computed<Row[]>(() => {
  const listed = state.listedRuns.value;
  const closed = closedFolders.value;
  if (state.groupBy.value) return groupRows(listed, state.groupOf, closed, state.label);
  return treeRows(listed, closed, (run) => settings.value.runs[run.id]?.label);
});

function toggleFolder(key: string): void {
  const next = new Set(closedFolders.value);
  if (!next.delete(key)) next.add(key);
  closedFolders.value = next;
}

export function Runs() {
  const columns = [...state.runColumns.value];
  const list: VirtualRow[] = rows.value.map((row) => ({
    key: row.key,
    height: ROW_HEIGHT,
    render: () =>
      row.kind === "folder" ? (
        <FolderRow row={row} columns={columns} onToggle={() => toggleFolder(row.key)} />
      ) : (
        <RunRow row={row} columns={columns} />
      ),
  }));
  return (
    <section class="runs" aria-label={t("runs")}>
      <div class="runs-bar">
        <Search
          label={t("search")}
          tip={t("searchTip")}
          value={state.runFilter.value}
          shortcut="f"
          onChange={(text) => (state.runFilter.value = text)}
        />
        <ListOptions />
      </div>
      {[...state.runConditions.value].map(([owner, condition]) => (
        <ConditionChip key={owner} condition={condition} />
      ))}
      <RunsHead columns={columns} />
      {list.length > 0 ? (
        <Virtual rows={list} class="runs-list" listLabel={t("runs")} margin={200} />
      ) : (
        <Notice title={runs.value.size ? t("noMatch") : t("empty")}>
          {runs.value.size === 0 && progressMessage.value}
        </Notice>
      )}
    </section>
  );
}

/** Says that a panel narrows the runs everywhere, and takes that back. */
function ConditionChip({ condition }: { condition: state.RunCondition }) {
  const all = [...runs.value.values()];
  const values = { n: all.filter(condition.holds).length, total: all.length, title: condition.title() };
  return (
    <div class="runs-chip" role="status">
      <Icon name="sliders" />
      <span class="runs-chip-text" data-tip={t("conditionTip", values)}>
        {t("condition", values)}
      </span>
      <IconButton icon="close" tip={t("clearCondition", values)} onClick={condition.clear} />
    </div>
  );
}

/** All or none, how many, and the columns' names, which sort by them. */
function RunsHead({ columns }: { columns: readonly string[] }) {
  const visible = state.visibleRuns.value.length;
  const listed = state.listedRuns.value;
  const checked = listed.filter((run) => state.isChecked(run.id)).length;
  const isAll = checked === listed.length && listed.length > 0;
  return (
    <div class="runs-head">
      <input
        type="checkbox"
        aria-label={isAll ? t("none") : t("all")}
        data-tip={isAll ? t("none") : t("all")}
        checked={isAll}
        ref={(box) => {
          if (box) box.indeterminate = checked > 0 && !isAll;
        }}
        onChange={() => {
          if (state.runFilter.value === "") state.checkAll(!isAll);
          else
            state.setChecked(
              listed.map((run) => run.id),
              !isAll,
            );
        }}
      />
      <span class="runs-count" data-tip={t("countTip", { visible, total: runs.value.size })}>
        {t("count", { visible, total: runs.value.size })}
      </span>
      {columns.map((name) => (
        <button
          key={name}
          type="button"
          class="runs-column"
          aria-pressed={state.runSort.value === `hparam:${name}`}
          data-tip={`${t("sort")} ${name}`}
          onClick={() =>
            (state.runSort.value = state.runSort.value === `hparam:${name}` ? "name" : `hparam:${name}`)
          }
        >
          {name}
        </button>
      ))}
      <span class="runs-gap" />
    </div>
  );
}
