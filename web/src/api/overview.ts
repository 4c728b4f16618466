/** All runs and tags, from the message in columns that the page asks for first. */

import { Counts, type Tag } from "../state/tags";
import { unpackSmall } from "./columns";
import type { Overview, Run, UsualRun } from "./schema";

export interface Known {
  /** What the server's state was. */
  version: number;
  runs: Map<string, Run>;
  tags: Map<string, Map<string, Tag>>;
}

const USUAL: UsualRun = {
  live: false,
  bad_bytes: 0,
  damages: [],
  message: "",
  notes: [],
  hparams: {},
  profiles: {},
  status: "",
  alerts: [],
};

export function decodeOverview(buffer: ArrayBuffer): Known {
  const { head, next } = unpackSmall<Overview>(buffer);
  const { ids, names, states, unusual } = head;
  const [logdirs, places, starts, lasts, points, totals, read] = [0, 1, 2, 3, 4, 5, 6].map(next);
  const orNull = (time: number) => (Number.isNaN(time) ? null : time);
  const runs = new Map<string, Run>();
  const placeOf = new Map<string, number>();
  ids.forEach((id, i) => {
    placeOf.set(id, i);
    runs.set(id, {
      id,
      name: names[i],
      path: names[i].split("/"),
      logdir: logdirs[i],
      state: states[places[i]],
      start_time: orNull(starts[i]),
      last_time: orNull(lasts[i]),
      points: points[i],
      bytes_total: totals[i],
      bytes_read: read[i],
      ...USUAL,
      ...unusual[i],
    });
  });
  const tags = new Map<string, Map<string, Tag>>();
  for (const [panel, entries] of Object.entries(head.panels)) {
    tags.set(
      panel,
      new Map(entries.map((entry) => [entry.tag, { ...entry, counts: new Counts(placeOf, next()) }])),
    );
  }
  return { version: head.version, runs, tags };
}
