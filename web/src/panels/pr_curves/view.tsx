/** The PR curves panel: a chart for each tag, with the curve of every visible run. */

import { Playable } from "../../media/play";
import { isLinked } from "../../media/steps";
import { t as shared } from "../../media/words";
import { tagsOf } from "../../state/board";
import { pattern } from "../../state/order";
import { choiceCodec, setCodec, textCodec, urlSignal } from "../../state/url";
import { CardGrid } from "../../ui/card_grid";
import { Notice, Search, Segmented, Toggle } from "../../ui/controls";
import { Sheet } from "../../ui/dialog";
import "../../media/media.css";
import { CurveCard, runsWith, titleOf } from "./card";
import "./pr_curves.css";
import { t } from "./words";

type Size = "small" | "medium" | "large";

const SIZES: Record<Size, { width: number; height: number }> = {
  small: { width: 280, height: 280 },
  medium: { width: 380, height: 380 },
  large: { width: 560, height: 540 },
};

const tagFilter = urlSignal("prtags", "", textCodec);
const size = urlSignal<Size>("prsize", "medium", choiceCodec("small", "medium", "large"));
const closed = urlSignal<ReadonlySet<string>>("prclosed", new Set(), setCodec);
const opened = urlSignal("prcard", "", textCodec);

export default function PrCurves() {
  const all = tagsOf("pr_curves");
  if (all.size === 0) return <Notice title={t("empty")}>{t("emptyText")}</Notice>;
  const open = all.get(opened.value);
  return (
    <Playable.Provider value>
      <div class="panel">
        <Toolbar />
        <Cards />
        {open && (
          <Sheet title={titleOf(open)} onClose={() => (opened.value = "")}>
            <CurveCard entry={open} opened={opened} isOpen />
          </Sheet>
        )}
      </div>
    </Playable.Provider>
  );
}

function Toolbar() {
  return (
    <div class="toolbar" role="toolbar" aria-label={shared("toolbar")}>
      <Search
        label={shared("searchTags")}
        tip={shared("searchTagsTip")}
        value={tagFilter.value}
        shortcut="/"
        onChange={(text) => (tagFilter.value = text)}
      />
      <Toggle
        label={shared("link")}
        tip={shared("linkTip")}
        isOn={isLinked.value}
        onChange={(isOn) => (isLinked.value = isOn)}
      />
      <Segmented
        label={shared("size")}
        tip={shared("sizeTip")}
        value={size.value}
        options={[
          ["small", shared("small")],
          ["medium", shared("medium")],
          ["large", shared("large")],
        ]}
        onChange={(value) => (size.value = value)}
      />
    </div>
  );
}

function Cards() {
  const wanted = pattern(tagFilter.value);
  const entries = [...tagsOf("pr_curves").values()];
  const fits = entries.filter((entry) => !wanted || wanted.test(entry.tag) || wanted.test(titleOf(entry)));
  const sections = new Map<
    string,
    { id: string; title: string; cards: { id: string; entry: (typeof fits)[0] }[] }
  >();
  for (const entry of fits) {
    if (runsWith(entry).length === 0) continue;
    const parts = titleOf(entry).split("/");
    const id = parts.length > 1 ? parts[0] : "";
    const section = sections.get(id) ?? { id, title: id || t("curves"), cards: [] };
    section.cards.push({ id: entry.tag, entry });
    sections.set(id, section);
  }
  if (fits.length === 0) {
    const text = shared("noMatchText", { text: tagFilter.value, n: entries.length });
    return <Notice title={shared("noMatch")}>{text}</Notice>;
  }
  if (sections.size === 0) return <Notice title={shared("noRuns")}>{shared("noRunsText")}</Notice>;
  return (
    <CardGrid
      size={SIZES[size.value]}
      closed={closed}
      sections={[...sections.values()]}
      render={({ entry }) => <CurveCard key={entry.tag} entry={entry} opened={opened} />}
    />
  );
}
