/** What can be done with several runs at once: compare, archive, delete; and the trash, to take that back. */

import { signal } from "@preact/signals";
import { useEffect, useState } from "preact/hooks";
import type { RestoreRequest, TrashAnswer, TrashedRun, TrashRequest } from "../../api/schema";
import { request, source } from "../../api/source";
import { formatTime } from "../../chart/format";
import { joined } from "../../i18n/notes";
import { changeRun, isReadOnly } from "../../state/board";
import { comparedRuns } from "../../state/opened";
import { IconButton } from "../../ui/controls";
import { Sheet } from "../../ui/dialog";
import { Icon } from "../../ui/icon";
import { withCode } from "../../ui/with_code";
import { rows } from "./data";
import { nameOf } from "./narrowing";
import { chosen } from "./state";
import { say, t } from "./words";

export const MOST_COMPARED = 5;

/** What has just been deleted, or why something was not. */
const outcome = signal<{ deleted: readonly TrashedRun[]; refused: string } | null>(null);

async function ask(route: string, body: TrashRequest | RestoreRequest): Promise<TrashAnswer> {
  const answer = await request(`api/v1/runs/${route}`, { method: "POST", body: JSON.stringify(body) });
  return answer.json();
}

function refusals(answer: TrashAnswer): string {
  return joined(answer.refused, say);
}

/** Whether files can be moved here at all. */
export function canDelete(): boolean {
  return source.isLive && !isReadOnly.value;
}

async function discard(ids: string[]): Promise<void> {
  try {
    const before = await source.get<TrashAnswer>("api/v1/runs/trash");
    const known = new Set(before.trashed.map(({ trash }) => trash));
    const answer = await ask("trash", { runs: ids });
    const deleted = answer.trashed.filter(({ trash }) => !known.has(trash));
    outcome.value = { deleted, refused: refusals(answer) };
  } catch (error) {
    outcome.value = { deleted: [], refused: (error as Error).message };
  }
}

async function undo(deleted: readonly TrashedRun[]): Promise<void> {
  try {
    const answer = await ask("trash/restore", { trashed: deleted.map(({ trash }) => trash) });
    const refused = refusals(answer);
    outcome.value = refused ? { deleted: [], refused } : null;
  } catch (error) {
    outcome.value = { deleted: [], refused: (error as Error).message };
  }
}

/** The buttons for the runs whose boxes are checked. */
export function Actions() {
  const [asks, setAsks] = useState(false);
  const selected = chosen.value;
  const few = selected.length >= 2 && selected.length <= MOST_COMPARED;
  const archive = () => {
    for (const row of selected) for (const id of rows.value[row].runs) changeRun(id, { hidden: true });
  };
  return (
    <>
      <span class="rt-selected" data-tip={t("selectedTip")}>
        {t("selected", { n: selected.length })}
      </span>
      <button
        type="button"
        class="text-button"
        disabled={!few}
        data-tip={t("compareTip")}
        onClick={() => (comparedRuns.value = new Set(selected.map((row) => rows.value[row].id)))}
      >
        <Icon name="compare" />
        {t("compare")}
      </button>
      <button
        type="button"
        class="text-button"
        disabled={selected.length === 0}
        data-tip={t("archiveTip")}
        onClick={archive}
      >
        {t("archive")}
      </button>
      {canDelete() && (
        <button
          type="button"
          class="text-button"
          disabled={selected.length === 0}
          data-tip={t("deleteTip")}
          onClick={() => setAsks(true)}
        >
          {t("delete")}
        </button>
      )}
      {asks && <Confirmation selected={selected} onClose={() => setAsks(false)} />}
    </>
  );
}

const MOST_NAMED = 12;

function Confirmation({ selected, onClose }: { selected: readonly number[]; onClose: () => void }) {
  const names = selected.map((row) => nameOf(rows.value[row]));
  const title =
    names.length === 1 ? t("deleteOne", { name: names[0] }) : t("deleteTitle", { n: names.length });
  return (
    <Sheet title={title} class="is-small" onClose={onClose}>
      <header class="sheet-head">
        <h2>{title}</h2>
        <IconButton icon="close" tip={t("close")} onClick={onClose} />
      </header>
      <div class="rt-confirm">
        {names.length > 1 && (
          <ul>
            {names.slice(0, MOST_NAMED).map((name) => (
              <li key={name}>{name}</li>
            ))}
            {names.length > MOST_NAMED && <li>{t("andMore", { n: names.length - MOST_NAMED })}</li>}
          </ul>
        )}
        <p>{withCode(t("deleteText"))}</p>
        <div class="rt-buttons">
          <button type="button" class="text-button" data-tip={t("cancel")} onClick={onClose}>
            {t("cancel")}
          </button>
          <button
            type="button"
            class="text-button is-danger"
            data-tip={t("deleteTip")}
            onClick={() => {
              void discard(selected.map((row) => rows.value[row].id));
              onClose();
            }}
          >
            {t("deleteNow")}
          </button>
        </div>
      </div>
    </Sheet>
  );
}

/** Says what has been deleted, until it is dismissed, and takes it back. */
export function Outcome() {
  const { deleted, refused } = outcome.value ?? { deleted: [], refused: "" };
  if (!outcome.value) return null;
  return (
    <div class={`rt-outcome ${refused ? "is-refused" : ""}`} role="status">
      {deleted.length > 0 && <span>{t("deleted", { n: deleted.length })}</span>}
      {deleted.length > 0 && (
        <button
          type="button"
          class="text-button is-accent"
          data-tip={t("undoTip")}
          onClick={() => void undo(deleted)}
        >
          {t("undo")}
        </button>
      )}
      {refused && <span class="rt-refused">{t("refused", { text: refused })}</span>}
      <IconButton icon="close" tip={t("dismiss")} onClick={() => (outcome.value = null)} />
    </div>
  );
}

function sizeText(bytes: number): string {
  if (bytes < 1e3) return `${bytes} B`;
  const [unit, letter] = bytes < 1e6 ? [1e3, "kB"] : bytes < 1e9 ? [1e6, "MB"] : [1e9, "GB"];
  return `${Number((bytes / unit).toPrecision(3))} ${letter}`;
}

export { sizeText };

/** What is in the trash, each to be restored or deleted for good. */
export function TrashSheet({ onClose }: { onClose: () => void }) {
  const [trashed, setTrashed] = useState<readonly TrashedRun[] | null>(null);
  const [problem, setProblem] = useState("");
  const [sure, setSure] = useState("");
  const take = (answer: TrashAnswer) => {
    setTrashed(answer.trashed);
    setProblem(refusals(answer));
    setSure("");
  };
  const fail = (error: Error) => setProblem(error.message);
  useEffect(() => {
    source.get<TrashAnswer>("api/v1/runs/trash").then(take, fail);
  }, []);
  const act = (route: string, names: string[]) => void ask(route, { trashed: names }).then(take, fail);
  /** What cannot be undone takes two clicks. */
  const erase = (key: string, names: string[]) => {
    if (sure === key) act("trash/erase", names);
    else setSure(key);
  };
  return (
    <Sheet title={t("trash")} class="is-small" onClose={onClose}>
      <header class="sheet-head">
        <h2>{t("trash")}</h2>
        <IconButton icon="close" tip={t("close")} onClick={onClose} />
      </header>
      <div class="rt-confirm">
        {problem && <p role="alert">{t("refused", { text: problem })}</p>}
        {trashed?.length === 0 && <p>{t("trashEmpty")}</p>}
        <ul class="rt-trash">
          {trashed?.map(({ trash, name, time, files, nbytes }) => (
            <li key={trash}>
              <div>
                <strong>{name}</strong>
                <p>{t("trashed", { time: formatTime(time), files, size: sizeText(nbytes) })}</p>
              </div>
              <button
                type="button"
                class="text-button is-accent"
                data-tip={t("restoreTip", { name })}
                onClick={() => act("trash/restore", [trash])}
              >
                {t("restore")}
              </button>
              <button
                type="button"
                class={`text-button ${sure === trash ? "is-danger" : ""}`}
                data-tip={t("eraseTip", { name })}
                onClick={() => erase(trash, [trash])}
              >
                {sure === trash ? t("eraseSure") : t("erase")}
              </button>
            </li>
          ))}
        </ul>
        {trashed && trashed.length > 1 && (
          <div class="rt-buttons">
            <button
              type="button"
              class={`text-button ${sure === "*" ? "is-danger" : ""}`}
              data-tip={t("eraseAllTip")}
              onClick={() =>
                erase(
                  "*",
                  trashed.map(({ trash }) => trash),
                )
              }
            >
              {sure === "*" ? t("eraseSure") : t("eraseAll")}
            </button>
          </div>
        )}
      </div>
    </Sheet>
  );
}
