/** A row of the list: a run, or a folder or group of runs. */

import type { Run } from "../api/schema";
import { formatCount, formatTime } from "../chart/format";
import { alertText, worstLevel } from "../state/alerts";
import { settings } from "../state/board";
import { runMessage } from "../state/notes";
import * as state from "../state/runs";
import { panel } from "../state/url";
import { Menu } from "../ui/controls";
import { Icon } from "../ui/icon";
import { Name } from "../ui/name";
import { idsOf, OnlyItem, RunMenu } from "./run_menu";
import type { Folder, Leaf, Row } from "./tree";
import { t } from "./words";

const INDENT = 14;

/** A check box in the colour of the run. */
function ColorBox({
  color,
  label,
  isOn,
  isMixed,
  isDashed,
  onChange,
}: {
  color: string;
  label: string;
  isOn: boolean;
  isMixed?: boolean;
  isDashed?: boolean;
  onChange: (isOn: boolean) => void;
}) {
  return (
    <input
      type="checkbox"
      class={isDashed ? "color-box is-dashed" : "color-box"}
      style={{ "--run": color }}
      checked={isOn}
      aria-label={label}
      data-tip={label}
      ref={(box) => {
        if (box) box.indeterminate = isMixed ?? false;
      }}
      onChange={(event) => onChange(event.currentTarget.checked)}
    />
  );
}

export function FolderRow({
  row,
  columns,
  onToggle,
}: {
  row: Folder;
  columns: readonly string[];
  onToggle: () => void;
}) {
  const on = row.runs.filter((run) => state.isChecked(run.id)).length;
  const name = row.text;
  return (
    <div
      class={`run-row ${row.own ? stateClass(row.own) : "is-folder"}`}
      role="listitem"
      style={{ paddingLeft: `${row.depth * INDENT}px` }}
    >
      <button
        type="button"
        class="fold"
        aria-expanded={row.isOpen}
        aria-label={t("folder", { name })}
        data-tip={t("folder", { name })}
        onClick={onToggle}
      >
        <Icon name="chevron" />
      </button>
      <ColorBox
        color={folderColor(row) || "var(--text-3)"}
        label={t("toggle", { name })}
        isOn={on === row.runs.length}
        isMixed={on > 0 && on < row.runs.length}
        onChange={(isOn) => state.setChecked(idsOf(row.runs), isOn)}
      />
      {row.own ? (
        <RunName run={row.own} row={row} />
      ) : (
        <span class="run-name" data-tip={name}>
          <Name text={name} kept={row.kept} />
        </span>
      )}
      {!row.isOpen && !row.own && <AlertMark runs={row.runs} />}
      {row.runs.some((run) => run.live) && !row.isOpen && !row.own && <LiveMark />}
      <span class="run-count">{row.runs.length}</span>
      <Values runs={row.runs} columns={columns} />
      {row.own ? (
        <RunMenu run={row.own} text={name} all={row.runs} />
      ) : (
        <Menu icon="more" tip={t("more", { name })} class="run-more">
          {(close) => <OnlyItem runs={row.runs} close={close} />}
        </Menu>
      )}
    </div>
  );
}

function folderColor({ own, text, runs }: Folder): string {
  if (own) return state.colorOf(own);
  if (state.groupBy.value) return state.colorOfGroup(text);
  return new Set(runs.map(state.family)).size === 1 ? state.colorOf(runs[0]) : "";
}

function LiveMark() {
  return <span class="live-mark" role="img" aria-label={t("live")} data-tip={t("live")} />;
}

/** That something is wrong with runs; a click shows what. */
function AlertMark({ runs }: { runs: readonly Run[] }) {
  const worst = worstLevel(runs);
  if (!worst) return null;
  const all = runs.flatMap((run) => run.alerts);
  const text = t(all.length > 1 ? "alerts" : "alert", { n: all.length, text: alertText(all[0]) });
  return (
    <button
      type="button"
      class={`alert-mark is-${worst}`}
      aria-label={text}
      data-tip={text}
      onClick={() => {
        panel.value = "alerts";
      }}
    >
      !
    </button>
  );
}

export function RunRow({ row, columns }: { row: Leaf; columns: readonly string[] }) {
  const { run } = row;
  return (
    <div
      class={`run-row ${stateClass(run)}`}
      role="listitem"
      style={{ paddingLeft: `${row.depth * INDENT + 20}px` }}
    >
      <ColorBox
        color={state.colorOf(run)}
        label={t("toggle", { name: row.text })}
        isOn={state.isChecked(run.id)}
        isDashed={state.isValidation(run)}
        onChange={(isOn) => state.setChecked([run.id], isOn)}
      />
      <RunName run={run} row={row} />
      <Values runs={[run]} columns={columns} />
      <RunMenu run={run} text={row.text} all={[run]} />
    </div>
  );
}

function stateClass(run: Run): string {
  const isHidden = settings.value.runs[run.id]?.hidden;
  return `${isHidden ? "is-hidden" : ""} ${run.state === "broken" ? "is-broken" : ""}`;
}

/** What a run is called, and its marks. */
function RunName({ run, row }: { run: Run; row: Row }) {
  const note = settings.value.runs[run.id]?.note;
  const isBase = state.baseline.value === run.id;
  return (
    <>
      <span class={`run-name ${isBase ? "is-baseline" : ""}`} data-tip={describe(run, note)}>
        <Name text={row.text} kept={row.kept} />
      </span>
      {isBase && <Icon name="pin" />}
      {note && <Icon name="note" />}
      <AlertMark runs={[run]} />
      <RunMark run={run} />
    </>
  );
}

/** The hparams that are columns of the list. */
function Values({ runs, columns }: { runs: readonly Run[]; columns: readonly string[] }) {
  return (
    <>
      {columns.map((name) => {
        const text = settingText(runs, name);
        return (
          <span key={name} class="run-value" data-tip={`${name} = ${text || "–"}`}>
            {text}
          </span>
        );
      })}
    </>
  );
}

/** The value all of these runs have, if they have one. */
function settingText(runs: readonly Run[], name: string): string {
  const values = new Set(runs.map((run) => state.hparamsOf(run)[name]));
  const [value] = values;
  if (values.size !== 1 || value === undefined) return "";
  return typeof value === "number" ? String(Number(value.toPrecision(4))) : String(value);
}

/** How it is with a run, if that is worth a mark. */
function RunMark({ run }: { run: Run }) {
  if (run.state === "broken" || run.bad_bytes > 0) {
    return (
      <span class="bad-mark" role="img" aria-label={runMessage(run)} data-tip={runMessage(run)}>
        !
      </span>
    );
  }
  if (run.state === "loading" || run.state === "waiting") {
    const percent = Math.floor((100 * run.bytes_read) / Math.max(1, run.bytes_total));
    const text = run.state === "waiting" ? t("waiting") : t("loading", { percent });
    return (
      <span class="loading-mark" role="img" aria-label={text} data-tip={text}>
        {run.state === "loading" && `${percent}%`}
      </span>
    );
  }
  return run.live ? <LiveMark /> : null;
}

function describe(run: Run, note: string | undefined): string {
  const facts = [run.name, t("points", { n: formatCount(run.points) })];
  if (run.start_time !== null) facts.push(t("started", { time: formatTime(run.start_time) }));
  if (note) facts.push(note);
  if (run.notes.length > 0) facts.push(runMessage(run));
  return facts.join(" · ");
}
