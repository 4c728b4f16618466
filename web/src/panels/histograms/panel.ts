import { messages } from "../../i18n/messages";
import type { Panel } from "../registry";

const t = messages({ title: ["Histograms", "直方图"] });

export const panel: Panel = {
  id: "histograms",
  title: () => t("title"),
  order: 22,
  load: () => import("./view"),
};
