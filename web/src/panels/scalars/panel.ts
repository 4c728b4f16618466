import { messages } from "../../i18n/messages";
import type { Panel } from "../registry";

const t = messages({ title: ["Scalars", "标量"] });

export const panel: Panel = {
  id: "scalars",
  title: () => t("title"),
  order: 10,
  load: () => import("./view"),
};
