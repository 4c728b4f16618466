/** Saves a card: as a picture, or as its numbers. */

import { fileName, saveBlob, svgToPng } from "../../chart/svg";
import { SaveMenu } from "../../ui/save_menu";
import { BASIS_POINTS, type Histograms } from "./series";
import { t } from "./words";

interface Props {
  title: string;
  svg: () => string;
  data: Histograms;
  /** Whether the numbers are the percentiles. */
  isPercentiles?: boolean;
}

const PNG_SCALE = 3;

export function DownloadMenu({ title, svg, data, isPercentiles = false }: Props) {
  const save = (text: string, type: string, ending: string) =>
    saveBlob(new Blob([text], { type }), fileName(title, ending));
  const csv = isPercentiles ? percentilesCsv : bucketsCsv;
  return (
    <SaveMenu
      tip={t("downloadTip")}
      ways={[
        [t("svg"), () => save(svg(), "image/svg+xml", "svg")],
        [t("png"), async () => saveBlob(await svgToPng(svg(), PNG_SCALE), fileName(title, "png"))],
        [t("csv"), () => save(csv(data), "text/csv", "csv")],
        [t("json"), () => save(JSON.stringify(asRows(data)), "application/json", "json")],
      ]}
    />
  );
}

/** A row a bucket. */
export function bucketsCsv(data: Histograms): string {
  const out = ["step,wall_time,left,right,count"];
  data.steps.forEach((step, i) => {
    for (let b = data.starts[i]; b < data.starts[i + 1]; b++)
      out.push([step, data.walls[i], data.lefts[b], data.rights[b], data.counts[b]].join(","));
  });
  return `${out.join("\r\n")}\r\n`;
}

/** A row a step. */
export function percentilesCsv(data: Histograms): string {
  const out = [["step", "wall_time", ...BASIS_POINTS.map((point) => `p${point / 100}`)].join(",")];
  data.steps.forEach((step, i) => {
    out.push([step, data.walls[i], ...percentilesOf(data, i)].join(","));
  });
  return `${out.join("\r\n")}\r\n`;
}

export function percentilesOf(data: Histograms, row: number): Float64Array {
  return data.percentiles.subarray(row * BASIS_POINTS.length, (row + 1) * BASIS_POINTS.length);
}

function asRows(data: Histograms): object[] {
  return Array.from(data.steps, (step, i) => ({
    step,
    wall_time: data.walls[i],
    buckets: Array.from({ length: data.starts[i + 1] - data.starts[i] }, (_, k) => {
      const b = data.starts[i] + k;
      return [data.lefts[b], data.rights[b], data.counts[b]];
    }),
    percentiles: Object.fromEntries(BASIS_POINTS.map((point, k) => [point / 100, percentilesOf(data, i)[k]])),
  }));
}
