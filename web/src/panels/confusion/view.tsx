/** The confusion panel: a matrix for each tag and visible run, side by side; large, with every class, when opened. */

import { useState } from "preact/hooks";
import type { MediaItem } from "../../api/schema";
import { type MediaCard, MediaPanel } from "../../media/panel";
import { Playable } from "../../media/play";
import { t as shared } from "../../media/words";
import { runs, tagsOf } from "../../state/board";
import { label } from "../../state/runs";
import { IconButton, Notice } from "../../ui/controls";
import { MatrixChart } from "./chart";
import "./confusion.css";
import { Details } from "./details";
import { SaveMenu } from "./download";
import type { Window } from "./drawing";
import { MatrixControls, useMatrix, useOrder } from "./shown";
import { mode, opened, part, pinned, togglePin } from "./state";
import { pairText, summaryOf } from "./summary";
import { t } from "./words";

const SIZES = {
  small: { width: 300, height: 360 },
  medium: { width: 440, height: 500 },
  large: { width: 720, height: 780 },
};

export default function Confusion() {
  const run = runs.value.get(opened.value?.run ?? "");
  if (tagsOf("confusion").size === 0) return <Notice title={t("empty")}>{t("emptyText")}</Notice>;
  return (
    <Playable.Provider value>
      <MediaPanel
        panel="confusion"
        sizes={SIZES}
        controls={<MatrixControls />}
        tools={(item, card) => item && <Tools item={item} card={card} />}
      >
        {(item, card) => <Body item={item} card={card} />}
      </MediaPanel>
      {opened.value && run && <Details key={opened.value.tag} run={run} tag={opened.value.tag} />}
    </Playable.Provider>
  );
}

function Tools({ item, card }: { item: MediaItem; card: MediaCard }) {
  return (
    <>
      <SaveMenu item={item} title={`${card.tag} · ${label(card.run)}`} />
      <IconButton
        icon="expand"
        tip={t("open")}
        onClick={() => {
          part.value = null;
          opened.value = { run: card.run.id, tag: card.tag };
        }}
      />
    </>
  );
}

function Body({ item, card }: { item: MediaItem; card: MediaCard }) {
  const { matrix, error } = useMatrix(item);
  const order = useOrder(matrix);
  const [window, setWindow] = useState<Window | null>(null);
  if (error) return <p class="media-note">{t("broken", { error })}</p>;
  if (!matrix) return <p class="media-note">{shared("loading")}</p>;
  const pair = pinned.value?.tag === card.tag ? pinned.value : null;
  return (
    <div class="matrix-body">
      <MatrixChart
        title={`${card.tag}, ${label(card.run)}`}
        matrix={matrix}
        order={order}
        mode={mode.value}
        window={window}
        onWindow={setWindow}
        pinned={pair}
        onPin={(next) => togglePin(card.tag, next)}
      />
      <p class="matrix-summary">{pair ? pairText(matrix, pair) || summaryOf(matrix) : summaryOf(matrix)}</p>
    </div>
  );
}
