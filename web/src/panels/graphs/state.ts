/** What of the graphs panel is in the address. */

import { choiceCodec, setCodec, textCodec, urlSignal } from "../../state/url";

export type ColorBy = "structure" | "op" | "device" | "time" | "memory";

export const chosenRun = urlSignal("grun", "", textCodec);
export const chosenTag = urlSignal("gtag", "", textCodec);
/** The place among the graphs of a tag; "" for the last. */
export const chosenStep = urlSignal("gstep", "", textCodec);
export const selected = urlSignal("gnode", "", textCodec);
export const query = urlSignal("gfind", "", textCodec);
export const colorBy = urlSignal<ColorBy>(
  "gcolor",
  "structure",
  choiceCodec("structure", "op", "device", "time", "memory"),
);

/** Open scopes; null while the user has opened and closed none: then those that are alone in their scope are. */
export const opened = urlSignal<ReadonlySet<string> | null>("gopen", null, {
  parse: (text) => (text === "-" ? new Set() : setCodec.parse(text)),
  format: (value) => (value === null ? "" : value.size === 0 ? "-" : setCodec.format(value)),
});
