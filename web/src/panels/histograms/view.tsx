/** The histograms panel: a card for each tag and run, all with one order, one zoom and one pinned step. */

import { Segmented, Toggle } from "../../ui/controls";
import { Icon } from "../../ui/icon";
import { HistogramCard } from "./card";
import { PanelView } from "./panel_view";
import * as state from "./state";
import { AxisControls } from "./toolbar";
import { t } from "./words";

export default function Histograms() {
  return (
    <PanelView
      controls={<Controls />}
      render={(card, isOpen) => <HistogramCard card={card} isOpen={isOpen} />}
    />
  );
}

function Controls() {
  return (
    <>
      <Segmented
        label={t("mode")}
        tip={t("modeTip")}
        value={state.mode.value}
        options={[
          ["offset", t("offset")],
          ["overlay", t("overlay")],
        ]}
        onChange={(value) => {
          state.mode.value = value;
        }}
      />
      <AxisControls isHorizontal={false} />
      <Toggle
        label={t("log")}
        tip={t("logTip")}
        isOn={state.isLog.value}
        onChange={(isOn) => {
          state.isLog.value = isOn;
        }}
      />
      {state.pinned.value !== null && (
        <button
          type="button"
          class="text-button is-accent"
          data-tip={t("unpinTip")}
          onClick={() => {
            state.pinned.value = null;
          }}
        >
          <Icon name="pin" />
          {t("pinnedStep", { step: state.pinned.value })}
        </button>
      )}
    </>
  );
}
