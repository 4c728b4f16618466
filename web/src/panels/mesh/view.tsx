/** The mesh panel: every step of every mesh, to be turned around. */

import { MediaPanel } from "../../media/panel";
import { IconButton, Menu, Segmented, Slider, Toggle } from "../../ui/controls";
import { MeshBody } from "./body";
import "./mesh.css";
import { meshTags } from "./parts";
import * as state from "./state";
import { t } from "./words";

const SIZES = {
  small: { width: 280, height: 280 },
  medium: { width: 420, height: 400 },
  large: { width: 800, height: 680 },
};

export default function Meshes() {
  return (
    <MediaPanel panel="mesh" tags={meshTags()} sizes={SIZES} hint={t("hint")} controls={<Controls />}>
      {(item, card) => <MeshBody item={item} card={card} />}
    </MediaPanel>
  );
}

function Controls() {
  return (
    <>
      <Segmented
        label={t("drawing")}
        tip={t("drawingTip")}
        value={state.drawing.value}
        options={[
          ["surface", t("surface")],
          ["wires", t("wires")],
          ["points", t("points")],
        ]}
        onChange={(value) => {
          state.drawing.value = value;
        }}
      />
      <Toggle
        label={t("light")}
        tip={t("lightTip")}
        isOn={state.isLit.value}
        onChange={(isOn) => {
          state.isLit.value = isOn;
        }}
      />
      <Toggle
        label={t("together")}
        tip={t("togetherTip")}
        isOn={state.isTogether.value}
        onChange={(isOn) => {
          state.isTogether.value = isOn;
        }}
      />
      <Menu icon="sliders" tip={t("options")}>
        {() => (
          <Slider
            label={t("pointSize")}
            tip={t("pointSizeTip")}
            value={state.pointSize.value}
            min={0}
            max={12}
            step={1}
            text={state.pointSize.value ? String(state.pointSize.value) : t("auto")}
            onChange={(value) => {
              state.pointSize.value = value;
            }}
          />
        )}
      </Menu>
      <IconButton
        icon="reset"
        tip={t("reset")}
        onClick={() => {
          state.cameras.value = new Map();
        }}
      />
    </>
  );
}
