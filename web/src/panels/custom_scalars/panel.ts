import { messages } from "../../i18n/messages";
import type { Panel } from "../registry";

const t = messages({ title: ["Custom scalars", "自定义标量"] });

export const panel: Panel = {
  id: "custom_scalars",
  title: () => t("title"),
  order: 78,
  load: () => import("./view"),
};
