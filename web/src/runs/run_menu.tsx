/** What can be done with a run: opened, alone in the charts, baseline, archived, named, noted, tagged, coloured. */

import { useState } from "preact/hooks";
import type { Run } from "../api/schema";
import { changeRun, settings } from "../state/board";
import { runMessage } from "../state/notes";
import { comparedRuns, openedRun } from "../state/opened";
import * as state from "../state/runs";
import { panel } from "../state/url";
import { Check, Item, Menu } from "../ui/controls";
import { t } from "./words";

export function idsOf(runs: readonly Run[]): string[] {
  return runs.map((run) => run.id);
}

/** Shows these runs and no others. */
export function OnlyItem({ runs, close }: { runs: readonly Run[]; close: () => void }) {
  const show = () => {
    state.checkOnly(idsOf(runs));
    close();
  };
  return (
    <Item icon="eye" tip={t("onlyTip")} onClick={show}>
      {runs.length === 1 ? t("only") : t("onlyThese", { n: runs.length })}
    </Item>
  );
}

interface RunMenuProps {
  run: Run;
  text: string;
  /** The runs its row stands for: more than one if it is a folder of others, too. */
  all: readonly Run[];
  /** Those that are archived with it. */
  archives?: readonly Run[];
}

export function RunMenu({ run, text, all, archives = [run] }: RunMenuProps) {
  const own = settings.value.runs[run.id] ?? {};
  const isBase = state.baseline.value === run.id;
  const setBaseline = () => {
    const before = state.baseline.value;
    if (before && before !== run.id) changeRun(before, { pinned: null });
    changeRun(run.id, { pinned: isBase ? null : true });
  };
  return (
    <Menu icon="more" tip={t("more", { name: text })} class="run-more">
      {(close) => {
        const then = (act: () => void) => () => {
          act();
          close();
        };
        return (
          <>
            <p class="sheet-title run-full-name">{run.name}</p>
            <Item icon="note" tip={t("pageTip")} onClick={then(() => openPage(run))}>
              {t("page")}
            </Item>
            <OnlyItem runs={[run]} close={close} />
            {all.length > 1 && (
              <>
                <OnlyItem runs={all} close={close} />
                <Check
                  label={t("alone")}
                  tip={t("aloneTip")}
                  isOn={state.isChecked(run.id)}
                  onChange={(isOn) => state.setChecked([run.id], isOn)}
                />
              </>
            )}
            <Item icon="pin" tip={t("baselineTip")} onClick={then(setBaseline)}>
              {isBase ? t("unbaseline") : t("baseline")}
            </Item>
            <Item
              icon={own.on_top ? "check" : undefined}
              tip={t("onTopTip")}
              onClick={then(() => changeRun(run.id, { on_top: own.on_top ? null : true }))}
            >
              {t("onTop")}
            </Item>
            <Item
              icon="close"
              tip={t("hideTip")}
              onClick={then(() => {
                for (const { id } of archives) changeRun(id, { hidden: own.hidden ? null : true });
              })}
            >
              {own.hidden ? t("unhide") : t("hide")}
            </Item>
            <hr />
            <Field
              label={t("rename")}
              tip={t("renameTip")}
              value={own.label ?? ""}
              placeholder={run.name}
              onCommit={(text) => changeRun(run.id, { label: text || null })}
            />
            <Field
              label={t("note")}
              tip={t("noteTip")}
              value={own.note ?? ""}
              rows={2}
              onCommit={(text) => changeRun(run.id, { note: text || null })}
            />
            <Field
              label={t("tags")}
              tip={t("tagsTip")}
              value={(own.tags ?? []).join(", ")}
              onCommit={(text) => changeRun(run.id, { tags: tagsIn(text) })}
            />
            <label class="run-field is-line" data-tip={t("colorTip")}>
              {t("color")}
              <input
                type="color"
                value={state.colorOf(run)}
                onChange={(event) => changeRun(run.id, { color: event.currentTarget.value })}
              />
              {own.color && (
                <button
                  type="button"
                  class="text-button"
                  data-tip={t("resetColor")}
                  onClick={() => changeRun(run.id, { color: null })}
                >
                  {t("resetColor")}
                </button>
              )}
            </label>
            {run.notes.length > 0 && <p class="run-message">{runMessage(run)}</p>}
          </>
        );
      }}
    </Menu>
  );
}

function openPage(run: Run): void {
  comparedRuns.value = new Set();
  openedRun.value = run.id;
  panel.value = "runs";
}

const MOST_TAGS = 50;
const LONGEST_TAG = 100;

/** Tags with commas between them; null for none. */
export function tagsIn(text: string): string[] | null {
  const found = text.split(/[,，]/).map((tag) => tag.trim().slice(0, LONGEST_TAG));
  const tags = [...new Set(found.filter(Boolean))].slice(0, MOST_TAGS);
  return tags.length > 0 ? tags : null;
}

interface FieldProps {
  label: string;
  tip: string;
  value: string;
  placeholder?: string;
  rows?: number;
  onCommit: (text: string) => void;
}

/** A text that is kept when the user leaves the field; what others write meanwhile does not touch it. */
export function Field({ label, tip, value, placeholder, rows = 1, onCommit }: FieldProps) {
  const [draft, setDraft] = useState<string | null>(null);
  const commit = () => {
    if (draft !== null && draft.trim() !== value) onCommit(draft.trim());
    setDraft(null);
  };
  return (
    <label class="run-field" data-tip={tip}>
      {label}
      <textarea
        class="text-input"
        rows={rows}
        value={draft ?? value}
        placeholder={placeholder}
        onInput={(event) => setDraft(event.currentTarget.value)}
        onBlur={commit}
        onKeyDown={(event) => {
          if (event.key !== "Enter" || event.shiftKey) return;
          event.preventDefault();
          commit();
        }}
      />
    </label>
  );
}
