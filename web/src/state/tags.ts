/** The tags of a panel, and how often each run logged them: one column for all runs, and what has changed since. */

import type { Numbers } from "../api/columns";

export interface Tag {
  tag: string;
  display_name: string;
  description: string;
  counts: Counts;
}

/** How many values runs have of a tag, by their ids. */
export class Counts {
  /** What was told after the column was made; 0 for what is gone. */
  private readonly later = new Map<string, number>();

  constructor(
    private readonly places: ReadonlyMap<string, number>,
    private readonly column: Numbers,
  ) {}

  static of(counts: Readonly<Record<string, number>>): Counts {
    const entries = Object.entries(counts);
    return new Counts(
      new Map(entries.map(([run], i) => [run, i])),
      Float64Array.from(entries, ([, count]) => count),
    );
  }

  /** 0 if the run does not have the tag. */
  get(run: string): number {
    const own = this.later.get(run);
    if (own !== undefined) return own;
    const place = this.places.get(run);
    return place === undefined ? 0 : this.column[place];
  }

  has(run: string): boolean {
    return this.get(run) > 0;
  }

  set(run: string, count: number): void {
    this.later.set(run, count);
  }

  /** The runs that have the tag. */
  *runs(): Iterable<string> {
    for (const [run, place] of this.places) {
      if (!this.later.has(run) && this.column[place] > 0) yield run;
    }
    for (const [run, count] of this.later) if (count > 0) yield run;
  }

  /** Whether one of the runs that have the tag passes. */
  some(test: (run: string) => boolean): boolean {
    for (const run of this.runs()) if (test(run)) return true;
    return false;
  }
}

export const NO_COUNTS = Counts.of({});
