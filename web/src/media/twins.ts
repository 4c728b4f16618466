/** Things that are logged twice: as what the board draws, and once more for boards that cannot. */

import type { TagEntry } from "../api/schema";

/** The tags without those which, in the same run, are another panel's with `suffix` behind. */
export function withoutTwins(
  tags: ReadonlyMap<string, TagEntry>,
  drawn: ReadonlyMap<string, TagEntry>,
  suffix: string,
): ReadonlyMap<string, TagEntry> {
  const own = new Map<string, TagEntry>();
  for (const [tag, entry] of tags) {
    const twin = tag.endsWith(suffix) ? drawn.get(tag.slice(0, -suffix.length)) : undefined;
    const counts = Object.entries(entry.counts).filter(([run]) => twin?.counts[run] === undefined);
    if (counts.length > 0) own.set(tag, twin ? { ...entry, counts: Object.fromEntries(counts) } : entry);
  }
  return own;
}
