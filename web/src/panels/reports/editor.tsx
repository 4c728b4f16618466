/** A report being written: its text beside what its readers see. Kept as it is typed. */

import { useEffect, useRef, useState } from "preact/hooks";
import { withoutBase } from "./address";
import { Insert } from "./insert";
import { LiveMarkdown } from "./live_markdown";
import { keep, MOST_LETTERS, MOST_TITLE, type Report } from "./state";
import { t } from "./words";

const PAUSE_MS = 600;

/** Calls `save` when `value` has not changed for a while, and before the editor goes away. */
function useKept(value: string, save: (value: string) => void): void {
  const kept = useRef(value);
  const latest = useRef(value);
  latest.current = value;
  const flush = () => {
    if (kept.current === latest.current) return;
    kept.current = latest.current;
    save(latest.current);
  };
  useEffect(() => {
    const timer = setTimeout(flush, PAUSE_MS);
    return () => clearTimeout(timer);
  }, [value]);
  useEffect(() => {
    window.addEventListener("pagehide", flush);
    return () => {
      window.removeEventListener("pagehide", flush);
      flush();
    };
  }, []);
}

export function Editor({ report }: { report: Report }) {
  const [title, setTitle] = useState(report.title);
  const [text, setText] = useState(report.text);
  const [shown, setShown] = useState(report.text);
  const field = useRef<HTMLTextAreaElement>(null);
  useKept(title, (value) => keep(report.id, { title: value.trim() }));
  useKept(text, (value) => keep(report.id, { text: value }));
  useEffect(() => {
    const timer = setTimeout(() => setShown(text), 300);
    return () => clearTimeout(timer);
  }, [text]);

  const insert = (address: string) => {
    const at = field.current?.selectionEnd ?? text.length;
    const [before, after] = [text.slice(0, at).trimEnd(), text.slice(at).trimStart()];
    setText([before, address, after].filter(Boolean).join("\n\n"));
    field.current?.focus();
  };
  return (
    <div class="report-editor">
      <div class="report-fields">
        <input
          class="text-input report-title"
          type="text"
          maxLength={MOST_TITLE}
          value={title}
          placeholder={t("untitled")}
          aria-label={t("name")}
          onInput={(event) => setTitle(event.currentTarget.value)}
        />
        <textarea
          ref={field}
          class="text-input report-text"
          maxLength={MOST_LETTERS}
          value={text}
          aria-label={t("text")}
          spellcheck
          onInput={(event) => setText(withoutBase(event.currentTarget.value, document.baseURI))}
        />
        <p class="report-help">
          <Insert onInsert={insert} /> {t("help")}
        </p>
      </div>
      <section class="report-preview" aria-label={t("preview")} tabIndex={0}>
        <LiveMarkdown text={shown} />
      </section>
    </div>
  );
}
