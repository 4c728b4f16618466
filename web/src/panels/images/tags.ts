/** The tags of images, without those that belong to a confusion matrix. */

import { computed } from "@preact/signals";
import { withoutTwins } from "../../media/twins";
import { tagsOf } from "../../state/board";

/** A matrix `confusion` is logged as the picture `confusion/image`, too: here its own panel draws it. */
export const imageTags = computed(() => withoutTwins(tagsOf("images"), tagsOf("confusion"), "/image"));
