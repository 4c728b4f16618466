/** The tags of texts, without those that belong to a table. */

import { computed } from "@preact/signals";
import type { TagEntry } from "../../api/schema";
import { tagsOf } from "../../state/board";

const SUFFIX = "/text";

/** A table `scores` is logged as the text `scores/text`, too, for TensorBoard: here the tables' panel shows it. */
export const textTags = computed<ReadonlyMap<string, TagEntry>>(() => {
  const tables = tagsOf("tables");
  const own = new Map<string, TagEntry>();
  for (const [tag, entry] of tagsOf("text")) {
    const table = tag.endsWith(SUFFIX) ? tables.get(tag.slice(0, -SUFFIX.length)) : undefined;
    const counts = Object.entries(entry.counts).filter(([run]) => table?.counts[run] === undefined);
    if (counts.length > 0) own.set(tag, { ...entry, counts: Object.fromEntries(counts) });
  }
  return own;
});
