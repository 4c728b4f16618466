/** The controls that histograms and distributions share: the axis, and what there is to take back. */

import { Segmented } from "../../ui/controls";
import { Icon } from "../../ui/icon";
import * as state from "./state";
import { t } from "./words";

export function AxisControls({ isHorizontal }: { isHorizontal: boolean }) {
  return (
    <>
      <Segmented
        label={isHorizontal ? t("axisOver") : t("axis")}
        tip={isHorizontal ? t("axisOverTip") : t("axisTip")}
        value={state.axis.value}
        options={[
          ["step", t("step")],
          ["relative", t("relative")],
          ["wall", t("wall")],
        ]}
        onChange={state.setAxis}
      />
      {state.zoom.value && (
        <button
          type="button"
          class="text-button is-accent"
          data-tip={t("resetZoomTip")}
          onClick={() => {
            state.zoom.value = null;
          }}
        >
          <Icon name="reset" />
          {t("resetZoom")}
        </button>
      )}
    </>
  );
}
