import { messages } from "../../i18n/messages";
import type { Panel } from "../registry";

const t = messages({ title: ["Audio", "音频"] });

export const panel: Panel = { id: "audio", title: () => t("title"), order: 30, load: () => import("./view") };
