import { messages } from "../../i18n/messages";
import type { Panel } from "../registry";

const t = messages({ title: ["Graphs", "计算图"] });

export const panel: Panel = {
  id: "graphs",
  title: () => t("title"),
  order: 70,
  load: () => import("./view"),
};
