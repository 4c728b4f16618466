import { messages } from "../../i18n/messages";
import { tagsOf } from "../../state/board";
import type { Panel } from "../registry";

const t = messages({ title: ["Distributions", "分布"] });

/** The series of the histograms, seen as percentiles: the server has one panel for both. */
export const panel: Panel = {
  id: "distributions",
  title: () => t("title"),
  order: 23,
  load: () => import("./view"),
  hasContent: () => tagsOf("histograms").size > 0,
};
