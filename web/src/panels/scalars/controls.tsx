/** How charts of scalars are drawn: the settings that panels which draw them share. */

import { Segmented, Slider, Toggle } from "../../ui/controls";
import { Icon } from "../../ui/icon";
import * as state from "./state";
import { t } from "./words";

export function ChartControls() {
  return (
    <>
      <Slider
        label={t("smoothing")}
        tip={t("smoothingTip")}
        value={state.smoothing.value}
        min={0}
        max={0.99}
        step={0.01}
        text={state.smoothing.value.toFixed(2)}
        onChange={(value) => (state.smoothing.value = value)}
      />
      <Segmented
        label={t("axis")}
        tip={t("axisTip")}
        value={state.axis.value}
        options={[
          ["step", t("step")],
          ["relative", t("relative")],
          ["wall", t("wall")],
        ]}
        onChange={(value) => {
          state.axis.value = value;
          state.zoom.value = null;
        }}
      />
      <Toggle
        label={t("logX")}
        tip={t("logXTip")}
        isOn={state.isLogX.value}
        onChange={(isOn) => (state.isLogX.value = isOn)}
      />
      <Toggle
        label={t("logY")}
        tip={t("logYTip")}
        isOn={state.isLogY.value}
        onChange={(isOn) => (state.isLogY.value = isOn)}
      />
      <Toggle
        label={t("clip")}
        tip={t("clipTip")}
        isOn={state.isClipped.value}
        onChange={(isOn) => (state.isClipped.value = isOn)}
      />
    </>
  );
}

export function ResetZoom() {
  if (!state.zoom.value) return null;
  return (
    <button
      type="button"
      class="text-button is-accent"
      data-tip={t("resetZoomTip")}
      onClick={() => (state.zoom.value = null)}
    >
      <Icon name="reset" />
      {t("resetZoom")}
    </button>
  );
}
