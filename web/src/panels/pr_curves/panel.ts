import { messages } from "../../i18n/messages";
import type { Panel } from "../registry";

const t = messages({ title: ["PR curves", "PR 曲线"] });

export const panel: Panel = {
  id: "pr_curves",
  title: () => t("title"),
  order: 75,
  load: () => import("./view"),
};
