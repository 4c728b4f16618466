/** What its user says of a run. */

import { useState } from "preact/hooks";
import { tagsIn } from "../../runs/run_menu";
import { changeRun, settings } from "../../state/board";
import { LiveMarkdown } from "../reports/live_markdown";
import { Card } from "./sections";
import { t } from "./words";

/** Notes in Markdown and tags, kept with the board. */
export function Notes({ id }: { id: string }) {
  const own = settings.value.runs[id] ?? {};
  const [draft, setDraft] = useState<string | null>(null);
  const [tags, setTags] = useState<string | null>(null);
  const keepNote = () => {
    if (draft !== null && draft.trim() !== (own.note ?? "")) changeRun(id, { note: draft.trim() || null });
    setDraft(null);
  };
  const keepTags = () => {
    if (tags !== null) changeRun(id, { tags: tagsIn(tags) });
    setTags(null);
  };
  return (
    <Card title={t("notes")}>
      {draft !== null ? (
        <textarea
          class="text-input rp-notes"
          rows={8}
          maxLength={20_000}
          value={draft}
          aria-label={t("notesTip")}
          placeholder={t("notesPlaceholder")}
          ref={(field) => field?.focus()}
          onInput={(event) => setDraft(event.currentTarget.value)}
          onBlur={keepNote}
        />
      ) : own.note ? (
        <LiveMarkdown text={own.note} />
      ) : (
        <p class="rp-hint">{t("notesPlaceholder")}</p>
      )}
      <button
        type="button"
        class="text-button is-accent"
        data-tip={t("notesTip")}
        onClick={() => (draft === null ? setDraft(own.note ?? "") : keepNote())}
      >
        {draft === null ? t("edit") : t("done")}
      </button>
      <label class="run-field" data-tip={t("tagsTip")}>
        {t("tags")}
        <input
          class="text-input"
          type="text"
          value={tags ?? (own.tags ?? []).join(", ")}
          onInput={(event) => setTags(event.currentTarget.value)}
          onBlur={keepTags}
          onKeyDown={(event) => {
            if (event.key === "Enter") keepTags();
          }}
        />
      </label>
    </Card>
  );
}
