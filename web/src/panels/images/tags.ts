/** The tags of images, in the order they are shown: without those that belong to a confusion matrix, weights last. */

import { computed } from "@preact/signals";
import { withoutTwins } from "../../media/twins";
import { tagsOf } from "../../state/board";
import type { Tag } from "../../state/tags";

/** What Keras calls pictures of weights with `write_images`: `dense/kernel_0/image`, `model/dense/bias/image`. */
const WEIGHT = /\/[^/]+\/image$/;
const STRIP = /\/(bias|beta|gamma|moving_mean|moving_variance)(_\d+)?\/image$/;

function rank({ tag }: Tag): number {
  return STRIP.test(tag) ? 2 : WEIGHT.test(tag) ? 1 : 0;
}

/** Pictures somebody chose to log come first, then those of kernels, and last those of biases, a pixel wide. */
export function inOrder(tags: ReadonlyMap<string, Tag>): ReadonlyMap<string, Tag> {
  return new Map([...tags].sort(([, a], [, b]) => rank(a) - rank(b)));
}

/** A matrix `confusion` is logged as the picture `confusion/image`, too: here its own panel draws it. */
export const imageTags = computed(() =>
  inOrder(withoutTwins(tagsOf("images"), tagsOf("confusion"), "/image")),
);
