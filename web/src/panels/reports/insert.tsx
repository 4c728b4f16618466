/** A menu of what can be shown in a report; a click writes its address into the text. */

import { useState } from "preact/hooks";
import { tagsOf } from "../../state/board";
import { pattern } from "../../state/order";
import { Item, Menu, Search } from "../../ui/controls";
import { panels } from "../registry";
import { cards } from "../scalars/state";
import { embedding } from "./address";
import { t } from "./words";

const MOST_LISTED = 40;
const MEDIA = ["images", "tables", "text", "audio", "video"];

interface Choice {
  panel: string;
  title: string;
  text: string;
}

function choices(): readonly Choice[] {
  const charts = cards.value.map(({ id, title }) => ({
    panel: "scalars",
    title,
    text: embedding(title, "scalars", { card: id }),
  }));
  const media = MEDIA.flatMap((panel) =>
    [...tagsOf(panel).keys()].map((tag) => ({
      panel,
      title: tag,
      text: embedding(tag, panel, { mtags: `^${tag.replace(/[\\^$.*+?()[\]{}|]/g, "\\$&")}$` }),
    })),
  );
  const table = { panel: "runs", title: t("runsTable"), text: embedding(t("runsTable"), "runs", {}) };
  return [table, ...charts, ...media];
}

export function Insert({ onInsert }: { onInsert: (text: string) => void }) {
  const [wantedText, setWantedText] = useState("");
  const titleOf = (id: string) => panels.value.find((panel) => panel.id === id)?.title() ?? id;
  return (
    <Menu text={t("insert")} tip={t("insertTip")}>
      {(close) => {
        const wanted = pattern(wantedText);
        const fits = choices().filter(({ title }) => !wanted || wanted.test(title));
        const listed = fits.slice(0, MOST_LISTED);
        return (
          <>
            <Search label={t("search")} tip={t("searchTip")} value={wantedText} onChange={setWantedText} />
            <div class="sheet-list">
              {listed.map(({ panel, title, text }, i) => (
                <>
                  {listed[i - 1]?.panel !== panel && <p class="sheet-title">{titleOf(panel)}</p>}
                  <Item
                    key={text}
                    tip={t("insertTip")}
                    onClick={() => {
                      close();
                      onInsert(text);
                    }}
                  >
                    {title}
                  </Item>
                </>
              ))}
            </div>
            {fits.length > listed.length && (
              <p class="sheet-title">{t("more", { n: fits.length - listed.length })}</p>
            )}
          </>
        );
      }}
    </Menu>
  );
}
