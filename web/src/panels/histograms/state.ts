/** How histograms and distributions are shown; all of it is in the address. */

import type { Axis } from "../../api/schema";
import type { Range } from "../../chart/line";
import type { AxisKind } from "../../chart/ticks";
import { choiceCodec, flagCodec, maybeNumberCodec, rangeCodec, textCodec, urlSignal } from "../../state/url";

export const mode = urlSignal<"offset" | "overlay">("hmode", "offset", choiceCodec("offset", "overlay"));
export const axis = urlSignal<Axis>("hx", "step", choiceCodec("step", "relative", "wall"));
/** How each axis is marked. */
export const AXES: Record<Axis, AxisKind> = { step: "step", relative: "duration", wall: "time" };
export const isLog = urlSignal("hlog", false, flagCodec);
/** The part of the axis all cards show, null for all. It is of one axis: another axis begins whole again. */
export const zoom = urlSignal<Range | null>("hzoom", null, rangeCodec);
/** The step that is marked in every card, to compare others with; null for none. */
export const pinned = urlSignal<number | null>("hpin", null, maybeNumberCodec);
/** The card that fills the screen, by id. */
export const openCard = urlSignal("hcard", "", textCodec);

export function setAxis(next: Axis): void {
  axis.value = next;
  zoom.value = null;
}
