import { effect } from "@preact/signals";
import { messages } from "../../i18n/messages";
import { runs } from "../../state/board";
import { family } from "../../state/runs";
import { textCodec, urlSignal } from "../../state/url";
import type { Panel } from "../registry";

const t = messages({ title: ["Runs", "运行"] });

/** The expression that runs must pass; it narrows every panel. */
export const filterText = urlSignal("rfilter", "", textCodec);

/** A log of up to so many runs opens with its charts. */
const FEW = 5;
let leads: boolean | undefined;

/** Whether the table comes before the charts; decided once, so that a new run does not change what is shown. */
function isFirst(): boolean {
  const all = runs.value;
  if (leads === undefined && all.size > 0) leads = new Set([...all.values()].map(family)).size > FEW;
  return leads ?? false;
}

export const panel: Panel = {
  id: "runs",
  title: () => t("title"),
  order: () => (isFirst() ? 5 : 18),
  load: () => import("./view"),
  hasContent: () => runs.value.size > 0,
  opens: isFirst,
};

// A link to another panel may carry an expression; what it needs is fetched only then.
effect(() => {
  if (filterText.value !== "") void import("./narrowing");
});
