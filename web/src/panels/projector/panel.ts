import { messages } from "../../i18n/messages";
import type { Panel } from "../registry";
import { sets } from "./sets";

const t = messages({ title: ["Projector", "投影"] });

export const panel: Panel = {
  id: "projector",
  title: () => t("title"),
  order: 80,
  load: () => import("./view"),
  // Embeddings are files of their own: no event tells of them.
  hasContent: () => sets.value.sets.length > 0 || sets.value.problems.length > 0,
};
