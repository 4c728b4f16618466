/**
 * The runs panel: a table of all runs, the page of one, or a few compared.
 *
 * `data` fetches the table, `columns` makes it columns, `expression` is the language of the filter and `narrowing` what
 * that does to the runs of every panel; it is loaded without the rest when an address has a filter. `state` is how the
 * table is shown, `actions` what can be done with several runs, `page` and `compare` the other two views.
 */

import { useEffect, useId, useState } from "preact/hooks";
import { fileName, saveBlob } from "../../chart/svg";
import { joined } from "../../i18n/notes";
import { progress, runs } from "../../state/board";
import { comparedRuns, openedRun } from "../../state/opened";
import { groupBy, hparamNames } from "../../state/runs";
import { ColumnsMenu } from "../../ui/columns_menu";
import { IconButton, Notice, Select, Toggle } from "../../ui/controls";
import { SaveMenu } from "../../ui/save_menu";
import { Actions, canDelete, Outcome, TrashSheet } from "./actions";
import type { Stat } from "./columns";
import { Compare } from "./compare";
import { problem, rows, table, use } from "./data";
import { FUNCTION_NAMES } from "./expression";
import { csvOf, latexOf, markdownOf, type Sheet } from "./files";
import { columns, filter, kept, nameOf, offered, stat } from "./narrowing";
import { RunPageView } from "./page";
import { filterText } from "./panel";
import "./runs.css";
import * as state from "./state";
import { RunsTable } from "./table";
import { say, t } from "./words";

export default function RunsPanel() {
  useEffect(() => use(), []);
  if (comparedRuns.value.size > 0) return <Compare />;
  if (openedRun.value) return <RunPageView key={openedRun.value} id={openedRun.value} />;
  return (
    <div class="panel">
      <Toolbar />
      <Outcome />
      <Body />
    </div>
  );
}

function Body() {
  if (!table.value) {
    if (problem.value) return <Notice title={t("failed")}>{problem.value}</Notice>;
    return <Notice title={t("loading")} isBusy />;
  }
  if (rows.value.length === 0) {
    const isReading = progress.value !== null && !progress.value.is_done && runs.value.size > 0;
    return isReading ? (
      <Notice title={t("loading")} isBusy />
    ) : (
      <Notice title={t("none")}>{t("noneText")}</Notice>
    );
  }
  const left = joined(table.value.notes, say);
  return (
    <div class="rt-body">
      {left && <p class="rt-note">{t("leftOut", { text: left })}</p>}
      <RunsTable />
    </div>
  );
}

function Toolbar() {
  const [showsTrash, setShowsTrash] = useState(false);
  return (
    <div class="toolbar rt-tools" role="toolbar" aria-label={t("options")}>
      <FilterField />
      <Select
        label={t("value")}
        tip={t("valueTip")}
        value={stat.value}
        options={(["last", "best", "min", "max"] as const).map((one) => [one, t(one)])}
        onChange={(value) => (stat.value = value as Stat)}
      />
      <GroupSelect />
      <Columns />
      <Toggle
        label={t("shade")}
        tip={t("shadeTip")}
        isOn={state.isShaded.value}
        onChange={(isOn) => (state.isShaded.value = isOn)}
      />
      <Downloads />
      {canDelete() && (
        <button
          type="button"
          class="text-button"
          data-tip={t("trashTip")}
          onClick={() => setShowsTrash(true)}
        >
          {t("trash")}
        </button>
      )}
      <span class="rt-count" role="status" data-tip={t("countTip")}>
        {t("count", { n: kept.value.length, total: offered.value.length })}
      </span>
      <Actions />
      {showsTrash && <TrashSheet onClose={() => setShowsTrash(false)} />}
    </div>
  );
}

/** What is wrong with the expression, in words; "" if nothing is. */
function problemText(): string {
  const found = filter.value;
  if (!("problem" in found) || !table.value) return "";
  const { code, text, at } = found.problem;
  const says =
    code === "name"
      ? t("nameUnknown", { text })
      : code === "call"
        ? t("call", { text, names: FUNCTION_NAMES.join(", ") })
        : t(code, { text });
  return t("problemAt", { at: at + 1, text: says });
}

/** The expression. What is wrong with it is said below, with its place marked. */
function FilterField() {
  const [draft, setDraft] = useState<string | null>(null);
  const id = useId();
  const text = draft ?? filterText.value;
  const says = problemText();
  const found = filter.value;
  useEffect(() => {
    if (draft === null) return;
    // While it is typed, the runs of every panel need not follow each letter.
    const timer = setTimeout(() => {
      filterText.value = draft;
      setDraft(null);
    }, 150);
    return () => clearTimeout(timer);
  }, [draft]);
  return (
    <div class={`rt-filter ${says ? "is-wrong" : ""}`}>
      <div class="search" data-tip={t("filterTip")}>
        <input
          type="text"
          value={text}
          placeholder={t("filterPlaceholder")}
          aria-label={t("filter")}
          aria-invalid={says !== ""}
          aria-describedby={says ? id : undefined}
          spellcheck={false}
          autocomplete="off"
          autocapitalize="off"
          data-shortcut="/"
          onInput={(event) => setDraft(event.currentTarget.value)}
          onKeyDown={(event) => {
            if (event.key !== "Escape") return;
            setDraft(null);
            filterText.value = "";
          }}
        />
        {text ? (
          <IconButton
            icon="close"
            tip={t("dismiss")}
            onClick={() => {
              setDraft(null);
              filterText.value = "";
            }}
          />
        ) : (
          <kbd>/</kbd>
        )}
      </div>
      {says && "problem" in found && (
        <p class="rt-wrong" id={id} role="alert">
          <code>
            {text.slice(0, found.problem.at)}
            <mark>{text.slice(found.problem.at, found.problem.at + found.problem.length) || "␣"}</mark>
            {text.slice(found.problem.at + found.problem.length)}
          </code>{" "}
          {says}
        </p>
      )}
    </div>
  );
}

function GroupSelect() {
  const by = groupBy.value;
  const isPattern = by.startsWith("name:");
  return (
    <>
      <Select
        label={t("group")}
        tip={t("groupTip")}
        value={isPattern ? "name:" : by}
        options={[
          ["", t("noGroup")],
          ["name:", t("byPattern")],
          ...hparamNames.value.map((name) => [`hparam:${name}`, name] as const),
        ]}
        onChange={(value) => (groupBy.value = value === "name:" ? "name:^([^/]+)" : value)}
      />
      {isPattern && (
        <input
          class="text-input rt-pattern"
          type="text"
          spellcheck={false}
          value={by.slice("name:".length)}
          aria-label={t("pattern")}
          data-tip={t("pattern")}
          onInput={(event) => (groupBy.value = `name:${event.currentTarget.value}`)}
        />
      )}
    </>
  );
}

const ROLES = ["scalar", "hparam", "fact"] as const;

function Columns() {
  const titles = { scalar: t("scalars"), hparam: t("hparams"), fact: t("facts") };
  const choosable = columns.value
    .filter(({ key }) => key !== state.NAME)
    .sort((a, b) => ROLES.indexOf(a.role) - ROLES.indexOf(b.role));
  return (
    <ColumnsMenu
      tip={t("columnsTip")}
      choices={choosable.map((column) => ({
        key: column.key,
        title: state.fullTitleOf(column),
        tip: column.name,
        isShown: state.isShown(column),
        section: titles[column.role],
      }))}
      isChanged={state.toggled.value.size > 0 || state.order.value.size > 0}
      onToggle={state.toggle}
      onReset={() => {
        state.toggled.value = new Set();
        state.order.value = new Set();
      }}
    />
  );
}

function currentSheet(): Sheet {
  return {
    columns: state.shown.value.map((column) => ({ title: state.fullTitleOf(column), column })),
    head: t("name"),
    names: (row) => nameOf(rows.value[row]),
    rows: state.listed.value,
  };
}

function Downloads() {
  const save = (text: string, mime: string, ending: string) =>
    saveBlob(new Blob([text], { type: mime }), fileName("runs", ending));
  return (
    <SaveMenu
      tip={t("download")}
      ways={[
        [t("csv"), () => save(csvOf(currentSheet()), "text/csv", "csv")],
        [t("latex"), () => save(latexOf(currentSheet()), "application/x-latex", "tex")],
        [t("markdown"), () => save(markdownOf(currentSheet()), "text/markdown", "md")],
      ]}
    />
  );
}
