/** The scalars panel: a bar of settings above sections of cards. */

import { useState } from "preact/hooks";
import { progress, tagsOf } from "../../state/board";
import { progressMessage } from "../../state/notes";
import { CardGrid } from "../../ui/card_grid";
import { Check, Item, Menu, Notice, Search, Select } from "../../ui/controls";
import { Sheet } from "../../ui/dialog";
import { ScalarCard } from "./card";
import { ChartControls, ResetZoom } from "./controls";
import * as state from "./state";
import { t } from "./words";

const CARD = {
  small: { width: 220, height: 208 },
  medium: { width: 300, height: 264 },
  large: { width: 560, height: 360 },
} as const;

export default function Scalars() {
  const open = state.cards.value.find((card) => card.id === state.openCard.value);
  return (
    <div class="panel">
      <Toolbar />
      <Cards />
      {open && (
        <Sheet title={open.title} onClose={() => (state.openCard.value = "")}>
          <ScalarCard card={open} isOpen />
        </Sheet>
      )}
    </div>
  );
}

function Toolbar() {
  return (
    <div class="toolbar" role="toolbar" aria-label={t("options")}>
      <Search
        label={t("searchTags")}
        tip={t("searchTagsTip")}
        value={state.tagFilter.value}
        shortcut="/"
        onChange={(text) => (state.tagFilter.value = text)}
      />
      <ChartControls />
      <Combine />
      <Menu icon="sliders" tip={t("options")}>
        {() => (
          <>
            <Check
              label={t("pair")}
              tip={t("pairTip")}
              isOn={state.isPaired.value}
              onChange={(isOn) => (state.isPaired.value = isOn)}
            />
            <Check
              label={t("spread")}
              tip={t("spreadTip")}
              isOn={state.showsSpread.value}
              onChange={(isOn) => (state.showsSpread.value = isOn)}
            />
            <Select
              label={t("size")}
              tip={t("sizeTip")}
              value={state.cardSize.value}
              options={[
                ["small", t("small")],
                ["medium", t("medium")],
                ["large", t("large")],
              ]}
              onChange={(value) => (state.cardSize.value = value as keyof typeof CARD)}
            />
          </>
        )}
      </Menu>
      <ResetZoom />
    </div>
  );
}

/** Chooses tags to be drawn in one chart. */
function Combine() {
  const [chosen, setChosen] = useState<readonly string[]>([]);
  const [filter, setFilter] = useState("");
  const fits = [...tagsOf("scalars").keys()].filter((tag) =>
    tag.toLowerCase().includes(filter.toLowerCase()),
  );
  return (
    <Menu icon="layers" tip={t("combineTip")}>
      {(close) => (
        <>
          <p class="sheet-title">{t("combineHint")}</p>
          <Search label={t("searchTags")} tip={t("searchTagsTip")} value={filter} onChange={setFilter} />
          <div class="sheet-list">
            {fits.slice(0, 100).map((tag) => (
              <Check
                key={tag}
                label={tag}
                tip={tag}
                isOn={chosen.includes(tag)}
                onChange={(isOn) =>
                  setChosen(isOn ? [...chosen, tag] : chosen.filter((other) => other !== tag))
                }
              />
            ))}
          </div>
          {chosen.length > 1 && (
            <Item
              icon="check"
              tip={t("combineTip")}
              onClick={() => {
                state.combine([...chosen]);
                setChosen([]);
                close();
              }}
            >
              {t("combineDo")}
            </Item>
          )}
        </>
      )}
    </Menu>
  );
}

function Cards() {
  const sections = state.shownSections.value;
  const total = tagsOf("scalars").size;
  if (total === 0) {
    const isLoading = progress.value !== null && !progress.value.is_done;
    return (
      <Notice title={isLoading ? t("loading") : t("none")} isBusy={isLoading}>
        {isLoading ? progressMessage.value : t("noneText")}
      </Notice>
    );
  }
  if (sections.length === 0 && state.tagFilter.value === "") {
    return <Notice title={t("noRuns")}>{t("noRunsText")}</Notice>;
  }
  if (sections.length === 0) {
    return (
      <Notice title={t("noMatch")}>{t("noMatchText", { text: state.tagFilter.value, n: total })}</Notice>
    );
  }
  return (
    <CardGrid
      size={CARD[state.cardSize.value]}
      closed={state.closedSections}
      sections={sections.map((section) => ({
        id: section.id,
        title: section.isPinned ? t("pinned") : section.name || t("general"),
        cards: section.cards,
      }))}
      render={(card) => <ScalarCard card={card} />}
    />
  );
}
