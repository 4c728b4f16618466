/** The reports panel: a list of reports, and the one being read or written. */

import { useState } from "preact/hooks";
import { formatTime } from "../../chart/format";
import { fileName, saveBlob } from "../../chart/svg";
import { Notice } from "../../ui/controls";
import { Icon } from "../../ui/icon";
import { SaveMenu } from "../../ui/save_menu";
import { Editor } from "./editor";
import { LiveMarkdown } from "./live_markdown";
import "./reports.css";
import { canWrite, keep, newId, openedReport, type Report, remove, reports } from "./state";
import { t } from "./words";

export default function Reports() {
  const [editing, setEditing] = useState("");
  const [deleted, setDeleted] = useState<Report | null>(null);
  const id = openedReport.value;
  const report = reports.value.find((one) => one.id === id);
  const create = () => {
    const made = newId();
    keep(made, { title: "", text: "" });
    openedReport.value = made;
    setEditing(made);
  };
  if (report) {
    return (
      <Opened
        report={report}
        isEditing={canWrite.value && editing === report.id}
        onEdit={(isOn) => setEditing(isOn ? report.id : "")}
        onDelete={() => {
          setDeleted(report);
          remove(report.id);
          openedReport.value = "";
        }}
      />
    );
  }
  return (
    <div class="panel">
      <div class="toolbar" role="toolbar" aria-label={t("title")}>
        {canWrite.value && (
          <button type="button" class="text-button is-accent" data-tip={t("createTip")} onClick={create}>
            {t("create")}
          </button>
        )}
        {deleted && (
          <span class="report-deleted" role="status">
            {t("deleted", { title: deleted.title || t("untitled") })}{" "}
            <button
              type="button"
              class="text-button is-accent"
              data-tip={t("undoTip")}
              onClick={() => {
                keep(deleted.id, { title: deleted.title, text: deleted.text });
                setDeleted(null);
              }}
            >
              {t("undo")}
            </button>
          </span>
        )}
      </div>
      {id && <Notice title={t("gone")} />}
      {reports.value.length === 0 ? (
        <Notice title={t("none")}>{canWrite.value ? t("noneText") : t("readOnly")}</Notice>
      ) : (
        <List />
      )}
    </div>
  );
}

function List() {
  return (
    <ul class="report-list">
      {reports.value.map((report) => {
        const title = report.title || t("untitled");
        return (
          <li key={report.id}>
            <a
              class="report-link"
              href={`#reports?report=${encodeURIComponent(report.id)}`}
              data-tip={t("open", { title })}
              onClick={(event) => {
                if (event.ctrlKey || event.metaKey || event.shiftKey) return;
                event.preventDefault();
                openedReport.value = report.id;
              }}
            >
              {title}
            </a>
            <span class="report-time">{t("changed", { time: formatTime(report.changed) })}</span>
          </li>
        );
      })}
    </ul>
  );
}

interface OpenedProps {
  report: Report;
  isEditing: boolean;
  onEdit: (isOn: boolean) => void;
  onDelete: () => void;
}

function Opened({ report, isEditing, onEdit, onDelete }: OpenedProps) {
  const title = report.title || t("untitled");
  const save = () =>
    saveBlob(new Blob([`# ${title}\n\n${report.text}\n`], { type: "text/markdown" }), fileName(title, "md"));
  return (
    <div class="panel">
      <header class="toolbar">
        <button
          type="button"
          class="text-button report-back"
          data-tip={t("backTip")}
          onClick={() => {
            onEdit(false);
            openedReport.value = "";
          }}
        >
          <Icon name="chevron" />
          {t("back")}
        </button>
        {canWrite.value && (
          <>
            <button
              type="button"
              class="text-button is-accent"
              data-tip={isEditing ? t("doneTip") : t("editTip")}
              onClick={() => onEdit(!isEditing)}
            >
              {isEditing ? t("done") : t("edit")}
            </button>
            <button type="button" class="text-button" data-tip={t("deleteTip")} onClick={onDelete}>
              {t("delete")}
            </button>
          </>
        )}
        <SaveMenu tip={t("save")} ways={[[t("markdown"), save]]} />
        <span class="report-time">{t("changed", { time: formatTime(report.changed) })}</span>
      </header>
      {isEditing ? (
        <Editor key={report.id} report={report} />
      ) : (
        <article class="report" aria-label={title}>
          <h2>{title}</h2>
          <LiveMarkdown text={report.text} />
        </article>
      )}
    </div>
  );
}
