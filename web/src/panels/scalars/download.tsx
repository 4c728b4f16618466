/** Saves a chart, as a picture or as its points. */

import type { RefObject } from "preact";
import type { Run } from "../../api/schema";
import { source } from "../../api/source";
import type { LineChart } from "../../chart/line_chart";
import { chartSvg, fileName, saveBlob, svgToPng } from "../../chart/svg";
import { SaveMenu } from "../../ui/save_menu";
import type { Card } from "./cards";
import { axis } from "./state";
import { t } from "./words";

interface Props {
  card: Card;
  title: string;
  chart: RefObject<LineChart | null>;
  runs: () => Run[];
}

const PNG_SCALE = 3;

export function DownloadMenu({ card, title, chart, runs }: Props) {
  const svg = () => chartSvg({ title, xLabel: t(axis.value), ...chart.current!.shown });
  const points = (format: "csv" | "json") => {
    const query = new URLSearchParams({ format });
    for (const run of runs()) query.append("run", run.id);
    for (const tag of card.tags) query.append("tag", tag);
    const link = document.createElement("a");
    link.href = new URL(`api/v1/scalars/download?${query}`, document.baseURI).href;
    link.download = fileName(title, format);
    link.click();
  };
  return (
    <SaveMenu
      tip={t("downloadTip")}
      ways={[
        [t("svg"), () => saveBlob(new Blob([svg()], { type: "image/svg+xml" }), fileName(title, "svg"))],
        [t("png"), async () => saveBlob(await svgToPng(svg(), PNG_SCALE), fileName(title, "png"))],
        source.isLive && [t("csv"), () => points("csv")],
        source.isLive && [t("json"), () => points("json")],
      ]}
    />
  );
}
