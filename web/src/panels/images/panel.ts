import { messages } from "../../i18n/messages";
import type { Panel } from "../registry";
import { imageTags } from "./tags";

const t = messages({ title: ["Images", "图像"] });

export const panel: Panel = {
  id: "images",
  title: () => t("title"),
  order: 20,
  load: () => import("./view"),
  hasContent: () => imageTags.value.size > 0,
};
