import { effect } from "@preact/signals";
import { messages } from "../../i18n/messages";
import { textCodec, urlSignal } from "../../state/url";
import type { Panel } from "../registry";

const t = messages({ title: ["HParams", "超参数"] });

/** Conditions on sessions, as text; `narrowing` takes it apart. */
export const filterText = urlSignal("hp", "", textCodec);

export const panel: Panel = {
  id: "hparams",
  title: () => t("title"),
  order: 15,
  load: () => import("./view"),
};

// A link to another panel may carry conditions; what they need is fetched only then.
effect(() => {
  if (filterText.value !== "") void import("./narrowing");
});
