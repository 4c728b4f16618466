import { messages } from "../../i18n/messages";
import type { Panel } from "../registry";
import { textTags } from "./tags";

const t = messages({ title: ["Text", "文本"] });

export const panel: Panel = {
  id: "text",
  title: () => t("title"),
  order: 50,
  load: () => import("./view"),
  hasContent: () => textTags.value.size > 0,
};
