/** How the projector is looked at: all of it in the address, so that a link shows the same view. */

import { computed, type Signal, signal } from "@preact/signals";
import { source } from "../../api/source";
import { choiceCodec, flagCodec, numberCodec, textCodec, urlSignal } from "../../state/url";
import { type Camera, MOST_ZOOM, START } from "./camera";

export type Method = "pca" | "tsne" | "umap" | "axes";
export type Metric = "cosine" | "euclidean";

/** `run:name`; "" is the first there is. */
export const chosenSet = urlSignal("pset", "", textCodec);
/** A step; "" is the newest. */
export const chosenStep = urlSignal("pstep", "", textCodec);
/** A saved page carries principal components: all else takes the vectors, which only the server has. */
export const method: Signal<Method> = source.isLive
  ? urlSignal<Method>("pmethod", "pca", choiceCodec("pca", "tsne", "umap", "axes"))
  : signal("pca");
export const dimensions = urlSignal<"2" | "3">("pdim", "3", choiceCodec("2", "3"));
export const components = urlSignal<readonly number[]>("ppc", [0, 1, 2], {
  parse: (text) => {
    const found = text.split(",").map(Number);
    return found.length === 3 && found.every((n) => Number.isInteger(n) && n >= 0 && n < 10)
      ? found
      : undefined;
  },
  format: (value) => value.join(","),
});
export const perplexity = urlSignal("pperp", 30, numberCodec(1, 500));
export const neighborCount = urlSignal("pnn", 15, numberCodec(2, 500));
export const minDistance = urlSignal("pmind", 0.1, numberCodec(0, 1));
export const iterations = urlSignal("piter", 500, numberCodec(50, 10_000));
export const layoutMetric = urlSignal<Metric>("pspace", "euclidean", choiceCodec("cosine", "euclidean"));
/** The labels at the ends of axes of the user's own: left, right, down, up. */
export const ends = urlSignal<readonly string[]>("paxes", ["", "", "", ""], {
  parse: (text) => {
    const found = text.split(",").map(decodeURIComponent);
    return found.length === 4 ? found : undefined;
  },
  format: (value) => value.map(encodeURIComponent).join(","),
});

/** Names of columns; "" is the first. */
export const colorBy = urlSignal("pcolor", "", textCodec);
export const labelBy = urlSignal("plabel", "", textCodec);
export const pointSize = urlSignal("psize", 5, numberCodec(1, 40));
export const showsPictures = urlSignal("ppics", false, flagCodec);
export const showsLabels = urlSignal("plabels", false, flagCodec);

export const searchText = urlSignal("pq", "", textCodec);
/** Points that were clicked or drawn a box around. */
export const selected = urlSignal<readonly number[]>("psel", [], {
  parse: (text) => text.split(",").map(Number).filter(Number.isInteger),
  // A box around half the points is no part of an address.
  format: (value) => (value.length > 200 ? "" : value.join(",")),
});
export const isIsolated = urlSignal("ponly", false, flagCodec);
export const nearCount = urlSignal("pk", 20, numberCodec(1, 1000));
export const nearMetric = urlSignal<Metric>("pdist", "cosine", choiceCodec("cosine", "euclidean"));

export const camera = urlSignal<Camera>("pcam", START, {
  parse: (text) => {
    const [yaw, pitch, zoom, x, y, z] = text.split(",").map(Number);
    const found = { yaw, pitch, zoom, x, y, z };
    const isGood = Object.values(found).every(Number.isFinite) && zoom > 0 && zoom <= MOST_ZOOM;
    return isGood ? found : undefined;
  },
  format: ({ yaw, pitch, zoom, x, y, z }) =>
    [yaw, pitch, zoom, x, y, z].map((n) => Number(n.toFixed(3))).join(","),
});

/** The point under the pointer, or that a list points at; -1 for none. */
export const hovered = signal(-1);

/** Dragging draws a box. */
export const isBoxing = signal(false);

export const is3d = computed(() => dimensions.value === "3" && method.value !== "axes");
