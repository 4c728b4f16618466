/** The tables panel: every step of every table, sorted by a click on a column, saved as CSV. */

import type { MediaItem, TableBlob } from "../../api/schema";
import { fileName, saveBlob } from "../../chart/svg";
import { messages } from "../../i18n/messages";
import { fetchBlob } from "../../media/items";
import { type MediaCard, MediaPanel } from "../../media/panel";
import { t as shared } from "../../media/words";
import { IconButton } from "../../ui/controls";
import { TableBody } from "./body";
import { toCsv } from "./csv";

const t = messages({
  save: ["Download as CSV", "下载为 CSV"],
});

const SIZES = {
  small: { width: 300, height: 220 },
  medium: { width: 520, height: 440 },
  large: { width: 900, height: 720 },
};

export default function Tables() {
  return (
    <MediaPanel
      panel="tables"
      sizes={SIZES}
      fits
      hint={shared("logWith", {
        code: 'tf.summary.table("scores", {"name": names, "score": scores}, step=step)',
      })}
      tools={(item, card) => item && <Save item={item} card={card} />}
    >
      {(item) => <TableBody item={item} />}
    </MediaPanel>
  );
}

function Save({ item, card }: { item: MediaItem; card: MediaCard }) {
  const save = async () => {
    const table = await fetchBlob<TableBlob>(item.samples[0].url);
    saveBlob(
      new Blob([toCsv([table.columns, ...table.rows])], { type: "text/csv" }),
      fileName(`${card.tag}-${item.step}`, "csv"),
    );
  };
  return <IconButton icon="download" tip={t("save")} onClick={() => void save()} />;
}
