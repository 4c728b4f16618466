/**
 * The HParams panel: a bar of settings over a table, a plot with the table below it, or importances.
 *
 * `sessions` fetches the table, `columns` makes it columns, `conditions` are what brushes and filters leave of it,
 * and `narrowing` does that to the runs of every panel; it is loaded without the rest when an address has conditions.
 * `state` is how it is shown. `parallel_plot` and `scatter_plot` draw on `canvas`es and know nothing of the page;
 * `brushes` is what a part of an axis means, `scale` where on it values are.
 */

import { useEffect } from "preact/hooks";
import { fileName, saveBlob, svgToPng } from "../../chart/svg";
import { joined } from "../../i18n/notes";
import { progress, tagsOf } from "../../state/board";
import { label } from "../../state/runs";
import { ColumnsMenu } from "../../ui/columns_menu";
import { Item, Menu, Notice, Segmented, Select } from "../../ui/controls";
import { Icon } from "../../ui/icon";
import { type Column, NAME } from "./columns";
import { matrixSvg, parallelSvg } from "./figure";
import { csvOf, jsonOf, latexOf, type Sheet } from "./files";
import "./hparams.css";
import { theme } from "../../state/appearance";
import { Importance } from "./importance";
import { clearConditions, conditions, kept, offered } from "./narrowing";
import { currentPlot, Parallel, plotted } from "./parallel";
import { shades } from "./ramp";
import { currentMatrix, MOST, Scatter } from "./scatter";
import { answer, columns, groups, point, problem, runOf, use } from "./sessions";
import * as state from "./state";
import { SessionTable } from "./table";
import { say, t } from "./words";

export default function HParams() {
  useEffect(() => use(), []);
  return (
    <div class="panel">
      <Toolbar />
      <Body />
    </div>
  );
}

function Body() {
  if (!answer.value) {
    const isLoading = tagsOf("hparams").size > 0 || (progress.value !== null && !progress.value.is_done);
    if (problem.value) return <Notice title={t("failed")}>{problem.value}</Notice>;
    return isLoading ? <Notice title={t("loading")} isBusy /> : <Nothing />;
  }
  if (groups.value.length === 0) return <Nothing />;
  if (offered.value.length === 0) return <Notice title={t("noRuns")}>{t("noRunsText")}</Notice>;
  const { view } = state;
  const note = noteOf();
  return (
    <div class={`hp-body is-${view.value}`}>
      {note && <p class="hp-note">{note}</p>}
      {view.value === "parallel" && <Parallel />}
      {view.value === "scatter" && <Scatter />}
      {view.value === "importance" ? <Importance /> : <SessionTable />}
    </div>
  );
}

function Nothing() {
  return <Notice title={t("none")}>{t("noneText")}</Notice>;
}

/** What is left out of the view, in words. */
function noteOf(): string {
  const left = joined(answer.value?.notes ?? [], say);
  const parts = left ? [t("leftOut", { text: left })] : [];
  const axes = state.axes.value;
  if (state.view.value === "parallel" && axes.length > plotted.value.length)
    parts.push(t("tooMany", { n: plotted.value.length, total: axes.length }));
  if (state.view.value === "scatter") {
    const hparams = axes.filter(({ role }) => role === "hparam").length;
    const n = Math.min(hparams, MOST.hparams) + Math.min(axes.length - hparams, MOST.metrics);
    if (n < axes.length) parts.push(t("tooMany", { n, total: axes.length }));
  }
  return parts.join(" ");
}

function Toolbar() {
  const { view } = state;
  const isPlot = view.value === "parallel" || view.value === "scatter";
  return (
    <div class="toolbar hp-tools" role="toolbar" aria-label={t("options")}>
      <Segmented
        label={t("view")}
        tip={t("viewTip")}
        value={view.value}
        options={[
          ["table", t("table")],
          ["parallel", t("parallel")],
          ["scatter", t("scatter")],
          ["importance", t("importance")],
        ]}
        onChange={(value) => (view.value = value)}
      />
      <Select
        label={t("value")}
        tip={t("valueTip")}
        value={point.value}
        options={[
          ["last", t("last")],
          ["min", t("min")],
          ["max", t("max")],
          ["mean", t("mean")],
        ]}
        onChange={(value) => (point.value = value as "last")}
      />
      {isPlot && <ColorBy />}
      <Columns />
      <Downloads />
      {groups.value.length > 0 && (
        <span class="hp-count" role="status">
          {t("matching", { n: kept.value.length, total: groups.value.length })}
        </span>
      )}
      {conditions.value.size > 0 && (
        <button
          type="button"
          class="text-button is-accent"
          data-tip={t("clearTip")}
          onClick={clearConditions}
        >
          <Icon name="close" />
          {t("clear")}
        </button>
      )}
    </div>
  );
}

/** What colours stand for, and from where to where they reach. */
function ColorBy() {
  const column = state.colorColumn.value;
  const choices = columns.value.filter(({ role }) => role !== "fact").filter(state.isShown);
  const ends = column ? state.scaleOf(column).ticks : [];
  return (
    <>
      <Select
        label={t("color")}
        tip={t("colorTip")}
        value={column?.key ?? "run"}
        options={[["run", t("byRun")], ...choices.map((one) => [one.key, state.titleOf(one)] as const)]}
        onChange={(key) => (state.colorBy.value = key)}
      />
      {column && ends.length > 1 && (
        <span class="hp-legend" aria-hidden="true">
          {ends[0].label.slice(0, 12)}
          <span
            class="hp-ramp"
            style={{ background: `linear-gradient(90deg, ${shades(theme.value === "dark").join(",")})` }}
          />
          {ends[ends.length - 1].label.slice(0, 12)}
        </span>
      )}
    </>
  );
}

function Columns() {
  const isHParam = ({ role }: Column) => role === "hparam";
  const choosable = columns.value
    .filter(({ key }) => key !== NAME)
    .sort((a, b) => Number(isHParam(b)) - Number(isHParam(a)));
  return (
    <ColumnsMenu
      tip={t("columnsTip")}
      choices={choosable.map((column) => ({
        key: column.key,
        title: state.titleOf(column),
        tip: column.tip || state.titleOf(column),
        isShown: state.isShown(column),
        section: isHParam(column) ? t("hparamColumns") : t("metricColumns"),
      }))}
      isChanged={state.toggled.value.size > 0}
      onToggle={state.toggle}
      onReset={() => (state.toggled.value = new Set())}
    />
  );
}

const PNG_SCALE = 2;

function currentSheet(): Sheet {
  return {
    columns: state.shown.value.map((column) => ({ title: state.titleOf(column), column })),
    names: groups.value.map((group) => {
      const run = runOf(group);
      return run ? label(run) : group.sessions[0];
    }),
    rows: state.rows.value,
  };
}

function currentSvg(): string {
  if (state.view.value === "scatter") return matrixSvg(currentMatrix());
  return parallelSvg(currentPlot(), plotted.value.map(state.titleOf));
}

function Downloads() {
  const save = (text: string, mime: string, ending: string) =>
    saveBlob(new Blob([text], { type: mime }), fileName("hparams", ending));
  const isPlot = state.view.value === "parallel" || state.view.value === "scatter";
  return (
    <Menu icon="download" tip={t("download")}>
      {(close) => {
        const item = (key: "csv" | "json" | "latex" | "svg" | "png", act: () => void) => (
          <Item
            key={key}
            tip={t("download")}
            onClick={() => {
              act();
              close();
            }}
          >
            {t(key)}
          </Item>
        );
        return [
          item("csv", () => save(csvOf(currentSheet()), "text/csv", "csv")),
          item("json", () => save(jsonOf(currentSheet()), "application/json", "json")),
          item("latex", () => save(latexOf(currentSheet()), "application/x-latex", "tex")),
          isPlot && item("svg", () => save(currentSvg(), "image/svg+xml", "svg")),
          isPlot &&
            item("png", async () =>
              saveBlob(await svgToPng(currentSvg(), PNG_SCALE), fileName("hparams", "png")),
            ),
        ];
      }}
    </Menu>
  );
}
