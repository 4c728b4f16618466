import { messages } from "../../i18n/messages";
import type { Panel } from "../registry";

const t = messages({ title: ["Tables", "表格"] });

export const panel: Panel = {
  id: "tables",
  title: () => t("title"),
  order: 60,
  load: () => import("./view"),
};
