/** The tags of texts, without those that belong to a table. */

import { computed } from "@preact/signals";
import { withoutTwins } from "../../media/twins";
import { tagsOf } from "../../state/board";

/** A table `scores` is logged as the text `scores/text`, too, for TensorBoard: here the tables' panel shows it. */
export const textTags = computed(() => withoutTwins(tagsOf("text"), tagsOf("tables"), "/text"));
