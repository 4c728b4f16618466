import { alerts } from "../../state/alerts";
import type { Panel } from "../registry";
import { t } from "./words";

export const panel: Panel = {
  id: "alerts",
  title: () => t("title"),
  order: 15,
  load: () => import("./view"),
  hasContent: () => alerts.value.length > 0,
};
