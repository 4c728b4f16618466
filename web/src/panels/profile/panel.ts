import { messages } from "../../i18n/messages";
import { runs } from "../../state/board";
import type { Panel } from "../registry";

const t = messages({ title: ["Profile", "性能剖析"] });

export const panel: Panel = {
  id: "profile",
  title: () => t("title"),
  order: 90,
  load: () => import("./view"),
  hasContent: () => [...runs.value.values()].some((run) => Object.keys(run.profiles).length > 0),
};
