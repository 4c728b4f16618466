import type { Panel } from "../registry";
import { reports } from "./state";
import { t } from "./words";

export const panel: Panel = {
  id: "reports",
  title: () => t("title"),
  order: 16,
  load: () => import("./view"),
  opens: () => false,
  hasContent: () => reports.value.length > 0,
};
