/** Things that are logged twice: as what the board draws, and once more for boards that cannot. */

import { Counts, type Tag } from "../state/tags";

/** The tags without those which, in the same run, are another panel's with `suffix` behind. */
export function withoutTwins(
  tags: ReadonlyMap<string, Tag>,
  drawn: ReadonlyMap<string, Tag>,
  suffix: string,
): ReadonlyMap<string, Tag> {
  const own = new Map<string, Tag>();
  for (const [tag, entry] of tags) {
    const twin = tag.endsWith(suffix) ? drawn.get(tag.slice(0, -suffix.length)) : undefined;
    if (!twin) {
      own.set(tag, entry);
      continue;
    }
    const alone = [...entry.counts.runs()].filter((run) => !twin.counts.has(run));
    const counts = Counts.of(Object.fromEntries(alone.map((run) => [run, entry.counts.get(run)])));
    if (alone.length > 0) own.set(tag, { ...entry, counts });
  }
  return own;
}
