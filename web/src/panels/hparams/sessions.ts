/** The table of sessions, fetched again when runs or tags change, for as long as somebody looks at it. */

import { computed, effect, signal } from "@preact/signals";
import type { HParamsAnswer, MetricPoint, Run, SessionGroup } from "../../api/schema";
import { source, withQuery } from "../../api/source";
import { runs, tags } from "../../state/board";
import { choiceCodec, urlSignal } from "../../state/url";
import { makeColumns } from "./columns";

/** Which value of a metric counts. */
export const point = urlSignal<MetricPoint>("hvalue", "last", choiceCodec("last", "min", "max", "mean"));

export const answer = signal<HParamsAnswer | null>(null);
export const problem = signal("");

const NO_GROUPS: readonly SessionGroup[] = [];
export const groups = computed<readonly SessionGroup[]>(() => answer.value?.groups ?? NO_GROUPS);
export const columns = computed(() => (answer.value ? makeColumns(answer.value) : []));

/** The run that stands for a session: its name and its colour. */
export function runOf(group: SessionGroup): Run | undefined {
  return runs.value.get(group.runs[0]);
}

/** Twice a second at most: enough for new sessions to be there within one. */
const PAUSE_MS = 400;

let users = 0;
/** From when a request is planned until it is answered. */
let isUnderWay = false;
let isStale = true;

function refresh(): void {
  isStale = true;
  if (users === 0 || isUnderWay) return;
  isUnderWay = true;
  setTimeout(get, answer.peek() ? PAUSE_MS : 0);
}

async function get(): Promise<void> {
  isStale = false;
  const asked = point.peek();
  try {
    const found = await source.get<HParamsAnswer>(withQuery("api/v1/hparams/sessions", { value: asked }));
    if (asked === point.peek()) answer.value = found;
    problem.value = "";
  } catch (error) {
    problem.value = (error as Error).message;
  }
  isUnderWay = false;
  if (isStale || asked !== point.peek()) refresh();
}

effect(() => {
  runs.value;
  tags.value;
  point.value;
  refresh();
});

/** Keeps the table up to date until the function it gives is called. */
export function use(): () => void {
  users++;
  if (isStale) refresh();
  return () => {
    users--;
  };
}
