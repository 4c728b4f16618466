/** The distributions panel: the histograms' series as percentiles over their steps. */

import { PanelView } from "../histograms/panel_view";
import { AxisControls } from "../histograms/toolbar";
import { DistributionCard } from "./card";

export default function Distributions() {
  return (
    <PanelView
      controls={<AxisControls isHorizontal />}
      render={(card, isOpen) => <DistributionCard card={card} isOpen={isOpen} />}
    />
  );
}
