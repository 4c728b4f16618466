/** The view and the points as files. */

import { fileName, saveBlob } from "../../chart/svg";
import { Item, Menu } from "../../ui/controls";
import { toCsv } from "../tables/csv";
import { textAt } from "./columns";
import { picture } from "./stage";
import { colorColumn, current, facts, labelColumn, layout, lit } from "./store";
import { t } from "./words";

function name(ending: string): string {
  return fileName(`${current.value?.name ?? "points"}`, ending);
}

async function savePng(): Promise<void> {
  if (picture.take) saveBlob(await picture.take(), name("png"));
}

function rows(indices: Iterable<number>) {
  const { places } = layout.value!;
  const [labels, colors] = [labelColumn.value.value, colorColumn.value.value];
  return [...indices].map((i) => ({
    index: i,
    x: places[3 * i],
    y: places[3 * i + 1],
    z: places[3 * i + 2],
    label: textAt(labels, i),
    ...(colors && colors.name !== labels?.name ? { [colors.name]: textAt(colors, i) } : {}),
  }));
}

function saveCsv(): void {
  const all = rows(Array(facts.value.value?.points ?? 0).keys());
  if (all.length === 0) return;
  const cells = all.map((one) => Object.values(one).map(String));
  saveBlob(new Blob([toCsv([Object.keys(all[0]), ...cells])], { type: "text/csv" }), name("csv"));
}

function saveJson(): void {
  saveBlob(new Blob([JSON.stringify(rows(lit.value), null, 1)], { type: "application/json" }), name("json"));
}

export function Download() {
  if (!layout.value) return null;
  return (
    <Menu icon="download" tip={t("saveTip")}>
      {(close) =>
        (
          [
            ["savePng", savePng],
            ["saveCsv", saveCsv],
            ["saveJson", saveJson],
          ] as const
        ).map(([word, save]) => (
          <Item
            key={word}
            icon="download"
            tip={t("saveTip")}
            onClick={() => {
              void save();
              close();
            }}
          >
            {t(word)}
          </Item>
        ))
      }
    </Menu>
  );
}
