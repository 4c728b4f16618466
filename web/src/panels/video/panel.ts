import { messages } from "../../i18n/messages";
import type { Panel } from "../registry";

const t = messages({ title: ["Video", "视频"] });

export const panel: Panel = { id: "video", title: () => t("title"), order: 40, load: () => import("./view") };
