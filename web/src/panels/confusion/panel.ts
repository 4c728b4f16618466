import { messages } from "../../i18n/messages";
import type { Panel } from "../registry";

const t = messages({ title: ["Confusion", "混淆矩阵"] });

export const panel: Panel = {
  id: "confusion",
  title: () => t("title"),
  order: 25,
  load: () => import("./view"),
};
