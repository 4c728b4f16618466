/** Saves a matrix: as a picture, its counts, or the measures of its classes. */

import type { ConfusionBlob, MediaItem } from "../../api/schema";
import { fileName, saveBlob } from "../../chart/svg";
import { fetchBlob } from "../../media/items";
import { Item, Menu } from "../../ui/controls";
import { toCsv } from "../tables/csv";
import { type Colors, drawMatrix, layoutOf } from "./drawing";
import { Matrix, matrixRows } from "./matrix";
import { mode, sort } from "./state";
import { summaryOf } from "./summary";
import { t } from "./words";

/** On white paper, whatever the theme. */
const PAPER: Colors = {
  background: "#ffffff",
  text: "#1a1f28",
  faint: "#555e6d",
  line: "#e2e5ea",
  right: "#0b62ad",
  wrong: "#c64f00",
};
const SCALE = 2;
const HEAD = 44;
const SMALLEST = 640;
const LARGEST = 4000;
const CELL = 26;

async function picture(matrix: Matrix, title: string): Promise<Blob> {
  const side = Math.max(SMALLEST, Math.min(LARGEST, 120 + matrix.size * CELL));
  const canvas = document.createElement("canvas");
  canvas.width = side * SCALE;
  canvas.height = (side + HEAD) * SCALE;
  const context = canvas.getContext("2d")!;
  context.scale(SCALE, SCALE);
  context.fillStyle = PAPER.background;
  context.fillRect(0, 0, side, side + HEAD);
  context.fillStyle = PAPER.text;
  context.font = "600 15px Helvetica, Arial, 'Liberation Sans', sans-serif";
  context.fillText(title, 8, 20, side - 16);
  context.font = "12px Helvetica, Arial, 'Liberation Sans', sans-serif";
  context.fillText(summaryOf(matrix), 8, 38, side - 16);
  context.translate(0, HEAD);
  const window = { x: 0, y: 0, span: matrix.size };
  const layout = layoutOf(context, matrix, window, side - 8, side - 8);
  const captions = { row: t("true"), column: t("predicted") };
  const order = matrix.order(sort.value);
  drawMatrix(context, { matrix, order, mode: mode.value, layout, colors: PAPER, captions });
  return new Promise((done, fail) =>
    canvas.toBlob(
      (blob) => (blob ? done(blob) : fail(new Error("The picture could not be made."))),
      "image/png",
    ),
  );
}

/** Every class with its measures, under the names scikit-learn gives them. */
function measureRows(matrix: Matrix): string[][] {
  const rows = Array.from(matrix.order(sort.value), (i) => [
    matrix.names[i],
    ...[matrix.precision(i), matrix.recall(i), matrix.f1(i), matrix.support[i], matrix.predicted[i]].map(
      String,
    ),
  ]);
  return [["class", "precision", "recall", "f1-score", "support", "predicted"], ...rows];
}

export function SaveMenu({ item, title }: { item: MediaItem; title: string }) {
  const name = `${title}-${item.step}`;
  const csv = (rows: string[][], part: string) =>
    saveBlob(new Blob([toCsv(rows)], { type: "text/csv" }), fileName(`${name}${part}`, "csv"));
  const save = async (kind: "png" | "csv" | "measuresCsv") => {
    const blob = await fetchBlob<ConfusionBlob>(item.samples[0].url);
    if (blob.problem) return;
    const matrix = new Matrix(blob);
    if (kind === "png") saveBlob(await picture(matrix, name), fileName(name, "png"));
    else if (kind === "csv") csv(matrixRows(matrix, matrix.order(sort.value), "true \\ predicted"), "");
    else csv(measureRows(matrix), "-classes");
  };
  return (
    <Menu icon="download" tip={t("save")}>
      {(close) =>
        (["png", "csv", "measuresCsv"] as const).map((kind) => (
          <Item
            key={kind}
            tip={t("save")}
            onClick={() => {
              void save(kind);
              close();
            }}
          >
            {t(kind)}
          </Item>
        ))
      }
    </Menu>
  );
}
