/** The text panel: texts of every step, as Markdown or as they are. */

import type { MediaItem, TextBlob } from "../../api/schema";
import { messages } from "../../i18n/messages";
import { useBlob } from "../../media/items";
import { MediaPanel } from "../../media/panel";
import { t as shared } from "../../media/words";
import { flagCodec, urlSignal } from "../../state/url";
import { Toggle } from "../../ui/controls";
import { Markdown } from "./markdown";
import { textTags } from "./tags";
import "./text.css";

const t = messages({
  markdown: ["Markdown", "Markdown"],
  markdownTip: ["Render Markdown, or show the characters as logged", "渲染 Markdown 或显示原始字符"],
  cut: ["The text is longer than 1 MB; this is its beginning.", "文本超过 1 MB,仅显示开头。"],
});

const isRendered = urlSignal("markdown", true, flagCodec);

const SIZES = {
  small: { width: 300, height: 260 },
  medium: { width: 480, height: 440 },
  large: { width: 900, height: 720 },
};

export default function Text() {
  const toggle = (
    <Toggle
      label={t("markdown")}
      tip={t("markdownTip")}
      isOn={isRendered.value}
      onChange={(isOn) => {
        isRendered.value = isOn;
      }}
    />
  );
  return (
    <MediaPanel
      panel="text"
      tags={textTags.value}
      sizes={SIZES}
      fits
      hint={shared("logWith", { code: 'tf.summary.text("notes", "**bold** words", step=step)' })}
      controls={toggle}
    >
      {(item) => <Body item={item} />}
    </MediaPanel>
  );
}

function Body({ item }: { item: MediaItem }) {
  const { value, error } = useBlob<TextBlob>(item.samples[0]?.url);
  if (error) return <p class="media-note">{shared("broken", { error })}</p>;
  if (!value) return <p class="media-note">{shared("loading")}</p>;
  return (
    <div class="texts" tabIndex={0} role="region" aria-label={`${shared("step")} ${item.step}`}>
      <Texts blob={value} />
      {value.is_cut && <p class="media-note">{t("cut")}</p>}
    </div>
  );
}

/** One text, a list of them, or an array of rank 2 as a table. */
function Texts({ blob }: { blob: TextBlob }) {
  const columns = blob.shape.length > 1 ? blob.shape[blob.shape.length - 1] : 1;
  const show = (text: string) =>
    isRendered.value ? <Markdown text={text} /> : <pre class="plain">{text}</pre>;
  if (columns < 2) return blob.texts.map((text, i) => <div key={i}>{show(text)}</div>);
  const rows = Array.from({ length: Math.ceil(blob.texts.length / columns) }, (_, i) =>
    blob.texts.slice(i * columns, (i + 1) * columns),
  );
  return (
    <table class="text-table">
      <tbody>
        {rows.map((row, i) => (
          <tr key={i}>
            {row.map((text, j) => (
              <td key={j}>{show(text)}</td>
            ))}
          </tr>
        ))}
      </tbody>
    </table>
  );
}
