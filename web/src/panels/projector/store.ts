/** What is shown: the set and step chosen, its columns, where the points are, what is lit up. */

import { batch, computed, effect, signal } from "@preact/signals";
import type {
  Note,
  ProjectorColumnHead,
  ProjectorFacts,
  ProjectorJob,
  ProjectorLayoutHead,
  ProjectorNeighbors,
  ProjectorRow,
  ProjectorSet,
  ProjectorStep,
} from "../../api/schema";
import { source, withQuery } from "../../api/source";
import { theme } from "../../state/appearance";
import { runs } from "../../state/board";
import { pattern } from "../../state/order";
import { visibleRuns } from "../../state/runs";
import { panel } from "../../state/url";
import { getPacked, type Packed, post, remove } from "./api";
import { normalised } from "./camera";
import { colored } from "./colors";
import { type Column, columnOf, firstEnds, matching, textAt } from "./columns";
import { resource } from "./resource";
import { sets } from "./sets";
import {
  chosenSet,
  chosenStep,
  colorBy,
  components,
  dimensions,
  ends,
  isIsolated,
  iterations,
  labelBy,
  layoutMetric,
  method,
  minDistance,
  nearCount,
  nearMetric,
  neighborCount,
  perplexity,
  searchText,
  selected,
} from "./state";

const BASE = "api/v1/projector";

/** Sets of runs in view, and of folders that are no runs. */
export const shownSets = computed<ProjectorSet[]>(() => {
  const visible = new Set(visibleRuns.value.map((run) => run.id));
  return sets.value.sets.filter(({ run }) => visible.has(run) || !runs.value.has(run));
});

export function keyOf({ run, name }: ProjectorSet): string {
  return `${run}:${name}`;
}

export const current = computed<ProjectorSet | null>(
  () => shownSets.value.find((one) => keyOf(one) === chosenSet.value) ?? shownSets.value[0] ?? null,
);

/** The step that is being laid out by a method that takes a while: a newer one does not push it aside. */
const held = signal("");

export const stepIndex = computed<number>(() => {
  const steps = current.value?.steps ?? [];
  const wanted = chosenStep.value || (isSlow(method.value) ? held.value : "");
  const found = steps.findIndex(({ step }) => String(step) === wanted);
  return found >= 0 ? found : steps.length - 1;
});

export const currentStep = computed<ProjectorStep | null>(
  () => current.value?.steps[stepIndex.value] ?? null,
);

function isSlow(name: string): boolean {
  return name === "tsne" || name === "umap";
}

let heldFor = "";
effect(() => {
  const key = `${current.value ? keyOf(current.value) : ""} ${method.value}`;
  const step = currentStep.value;
  if (key === heldFor || !step) return;
  heldFor = key;
  held.value = String(step.step);
});

let lastQuery: Record<string, string> | null = null;

/** The query that names what is shown; it changes when the files do, but not while another panel is looked at. */
const query = computed<Record<string, string> | null>(() => {
  if (panel.value !== "" && panel.value !== "projector") return lastQuery;
  const [set, step] = [current.value, currentStep.value];
  if (!set || !step) return null;
  const place: Record<string, string> = step.step === null ? {} : { step: String(step.step) };
  lastQuery = { run: set.run, name: set.name, ...place, v: step.version };
  return lastQuery;
});

function path(route: string, more: Record<string, string> = {}): string | null {
  return query.value && withQuery(`${BASE}/${route}`, { ...query.value, ...more });
}

export const spriteUrl = computed(() => (currentStep.value?.sprite ? path("sprite") : null));

export const facts = resource<ProjectorFacts>(
  computed(() => path("facts")),
  (url, abort) => source.get(url, abort),
);

// Columns

function columnResource(wanted: () => string) {
  const number = computed(() => {
    const all = facts.value.value?.columns ?? [];
    return Math.max(
      0,
      all.findIndex(({ name }) => name === wanted()),
    );
  });
  let last: string | null = null;
  const key = computed(() => {
    // Another set may have other columns: until its facts are there, the column of the last one stays.
    if (facts.value.key !== path("facts")) return last;
    const one = facts.value.value?.columns[number.value];
    last = one ? `${one.name}\n${path("column", { column: String(number.value) })}` : null;
    return last;
  });
  const shown = resource<Column>(key, async (wanted, abort) => {
    const [name, url] = wanted.split("\n", 2);
    return columnOf(name, await getPacked<ProjectorColumnHead>(url, abort));
  });
  /** The column of the set that is shown; null while the last one stays. */
  const own = computed(() =>
    facts.value.key === path("facts") && shown.value.key === key.value ? shown.value.value : null,
  );
  return { shown, own };
}

async function columnAt(name: string, number: number): Promise<Column> {
  return columnOf(name, await getPacked<ProjectorColumnHead>(path("column", { column: String(number) })!));
}

/** "-" is no colour at all. */
export const { shown: colorColumn } = columnResource(() => colorBy.value);
export const { shown: labelColumn, own: ownLabels } = columnResource(() => labelBy.value);

export const coloring = computed(() =>
  colored(
    colorBy.value === "-" ? null : colorColumn.value.value,
    facts.value.value?.points ?? 0,
    theme.value === "dark",
  ),
);

// Layouts

export interface Layout {
  places: Float32Array;
  /** Columns there are; in 3D with two of them, points lie on a plane. */
  width: number;
  variance: readonly number[];
  note: Note | null;
}

/** Of a packed layout all columns, or those of these numbers; where there is none so far, points lie on a plane. */
function layoutOf({ head, arrays }: Packed<ProjectorLayoutHead>, chosen?: readonly number[]): Layout {
  const all = [...arrays.values()] as Float32Array[];
  const columns = chosen ? chosen.map((i) => all[i] ?? new Float32Array(all[0]?.length ?? 0)) : all;
  return {
    places: normalised(columns, columns[0]?.length ?? 0),
    width: columns.length,
    variance: head.variance,
    note: head.note,
  };
}

/** The ends of the axes: until one is named, the first labels, so that there is something to see. */
export const axisEnds = computed<readonly string[]>(() => {
  const column = ownLabels.value;
  const named = ends.value.some((end) => end !== "");
  return named || !column || column.numbers ? ends.value : firstEnds(column.values);
});

/** An end of an axis that no label fits; the server would refuse it. */
export const unknownEnd = computed(() => {
  const column = ownLabels.value;
  if (method.value !== "axes" || !column || column.numbers) return "";
  const fits = (end: string) =>
    column.values.some((value) => value.toLowerCase().includes(end.toLowerCase()));
  return axisEnds.value.find((end) => end !== "" && !fits(end)) ?? "";
});

const quick = resource<Layout>(
  computed(() => {
    if (!source.isLive) return null;
    if (method.value === "pca") return path("pca", { components: components.value.join(",") });
    // The ends of axes are labels: those of another set would be refused.
    if (method.value !== "axes" || !ownLabels.value) return null;
    if (axisEnds.value.some((end) => end === "") || unknownEnd.value) return null;
    const all = facts.value.value?.columns ?? [];
    const column = all.findIndex(({ name }) => name === labelBy.value);
    const [left, right, down, up] = axisEnds.value;
    return path("axes", { column: String(Math.max(0, column)), left, right, down, up });
  }),
  async (url, abort) => layoutOf(await getPacked<ProjectorLayoutHead>(url, abort)),
);

/** A saved page has all components at once, and takes those it shows. */
const carried = resource<Packed<ProjectorLayoutHead>>(
  computed(() => (source.isLive ? null : path("pca"))),
  (url) => getPacked<ProjectorLayoutHead>(url),
);
const saved = computed(() => carried.value.value && layoutOf(carried.value.value, components.value));

export const job = signal<ProjectorJob | null>(null);
export const jobError = signal("");
const slow = signal<Layout | null>(null);
/** Counts how often the user asked for the same once more. */
const again = signal(0);

const ASK_MS = 300;

async function follow(body: object, abort: AbortSignal): Promise<void> {
  let found = await post<ProjectorJob>(`${BASE}/jobs`, body);
  let seen = 0;
  while (!abort.aborted) {
    job.value = found;
    if (found.layout > seen) {
      seen = found.layout;
      // Under way the process may replace its last layout at any moment, and be done with it.
      const next = await getPacked<ProjectorLayoutHead>(`${BASE}/jobs/${found.id}/layout`, abort).catch(
        () => null,
      );
      if (next && !abort.aborted) slow.value = layoutOf(next);
    }
    if (found.state !== "waiting" && found.state !== "running") return;
    await new Promise((done) => setTimeout(done, ASK_MS));
    if (!abort.aborted) found = await source.get<ProjectorJob>(`${BASE}/jobs/${found.id}`, abort);
  }
}

effect(() => {
  again.value;
  const name = method.value;
  const place = query.value;
  if (!isSlow(name) || !place || sets.value.missing[name]) {
    batch(() => {
      job.value = null;
      slow.value = null;
      jobError.value = "";
    });
    return;
  }
  const own =
    name === "tsne"
      ? { perplexity: perplexity.value }
      : { neighbors: neighborCount.value, min_dist: minDistance.value };
  const parameters = {
    ...own,
    iterations: iterations.value,
    dimensions: Number(dimensions.value),
    metric: layoutMetric.value,
  };
  const stop = new AbortController();
  jobError.value = "";
  follow({ run: place.run, name: place.name, step: place.step, method: name, parameters }, stop.signal).catch(
    (error: Error) => {
      if (!stop.signal.aborted) jobError.value = error.message;
    },
  );
  return () => {
    stop.abort();
    // Nobody is left who waits for it.
    const left = job.peek();
    if (left && (left.state === "running" || left.state === "waiting")) void cancel(left.id);
  };
});

async function cancel(id: string): Promise<void> {
  await remove(`${BASE}/jobs/${id}`).catch(() => undefined);
}

export function cancelJob(): void {
  if (job.value) void cancel(job.value.id);
}

export function runAgain(): void {
  again.value++;
}

let lastLayout: Layout | null = null;

/** Where the points are. While the next layout of the same set is made, the last stays. */
export const layout = computed<Layout | null>(() => {
  const next = !source.isLive ? saved.value : isSlow(method.value) ? slow.value : quick.value.value;
  const count = facts.value.value?.points ?? -1;
  if (next) lastLayout = next;
  return lastLayout && lastLayout.places.length === 3 * count ? lastLayout : null;
});

export const layoutError = computed(() => (isSlow(method.value) ? jobError.value : quick.value.error));
export const isLayingOut = computed(() => quick.value.isLoading || facts.value.isLoading);

// Selection

const wanted = computed(() => pattern(searchText.value));

export const found = computed<number[]>(() => {
  const count = facts.value.value?.points ?? 0;
  if (!wanted.value) return [];
  if (facts.value.value?.columns.length && !labelColumn.value.value) return [];
  return matching(labelColumn.value.value, count, wanted.value);
});

/** The point whose neighbours are shown. */
export const focus = computed(() => {
  const [first, ...more] = selected.value;
  const count = facts.value.value?.points ?? 0;
  return first !== undefined && more.length === 0 && first < count ? first : -1;
});

export const near = resource<ProjectorNeighbors>(
  computed(() =>
    focus.value < 0 || !source.isLive
      ? null
      : path("neighbors", {
          index: String(focus.value),
          k: String(nearCount.value),
          metric: nearMetric.value,
        }),
  ),
  (url, abort) => source.get(url, abort),
);

export const row = resource<ProjectorRow>(
  computed(() => (focus.value < 0 ? null : path("row", { index: String(focus.value) }))),
  (url, abort) => (source.isLive ? source.get(url, abort) : carriedRow(focus.peek())),
);

/** The cells of a point on a saved page, which carries whole columns. */
async function carriedRow(index: number): Promise<ProjectorRow> {
  const names = facts.peek().value?.columns ?? [];
  const cells = names.map(async ({ name }, i) => [name, textAt(await columnAt(name, i), index)]);
  return { index, cells: await Promise.all(cells) };
}

/** Everything that is lit up: what was chosen, its neighbours, or what the search found. */
export const lit = computed<ReadonlySet<number>>(() => {
  if (selected.value.length > 0) {
    const neighbours = focus.value >= 0 ? (near.value.value?.indices ?? []) : [];
    return new Set([...selected.value, ...neighbours]);
  }
  return new Set(found.value);
});

/** A byte a point: see `PointsView.setStates`. */
export const states = computed<Uint8Array>(() => {
  const count = facts.value.value?.points ?? 0;
  const chosen = lit.value;
  const isNothing = chosen.size === 0 && selected.value.length === 0 && !wanted.value;
  const out = new Uint8Array(count);
  if (isNothing) return out;
  out.fill(isIsolated.value && chosen.size > 0 ? 3 : 2);
  for (const index of chosen) out[index] = 1;
  if (isIsolated.value) for (const index of chosen) out[index] = 0;
  return out;
});

export function clearSelection(): void {
  batch(() => {
    selected.value = [];
    searchText.value = "";
    isIsolated.value = false;
  });
}
