import { messages } from "../../i18n/messages";
import type { Panel } from "../registry";

const t = messages({ title: ["Mesh", "网格"] });

export const panel: Panel = {
  id: "mesh",
  title: () => t("title"),
  order: 85,
  load: () => import("./view"),
};
