/** From runs, tags and points to the lines of a card. */

import type { Axis, Run, SeriesKey } from "../../api/schema";
import { aggregate, sampled } from "../../chart/aggregate";
import type { Line } from "../../chart/line";
import {
  baseline,
  colorOf,
  colorOfGroup,
  colorOfPlace,
  groupBy,
  groupOf,
  isValidation,
  label,
} from "../../state/runs";
import type { Card, Margin } from "./cards";
import type { Series } from "./series";

interface Wish {
  runs: readonly Run[];
  card: Card;
  axis: Axis;
  smoothing: number;
  showsSpread: boolean;
}

type Lookup = (key: SeriesKey) => Series | undefined;

/** A line as far as it does not depend on points. */
export interface Place {
  key: SeriesKey;
  look: Look;
  /** What it is a part of where lines are grouped, and in which colour. */
  group: string;
  groupColor: string;
}

/** The lines that a card has if there are points for them; thousands take a while to name and to colour. */
export function placesOf(runs: readonly Run[], card: Card): Place[] {
  const isGrouped = groupBy.value !== "";
  const speaksOfTags = card.tags.length > 1;
  return runs.flatMap((run) => {
    const group = isGrouped ? groupOf(run) : "";
    // Training and validation of a group have a mean each.
    const part = isGrouped && isValidation(run) ? run.path[run.path.length - 1] : "";
    return card.tags.map((tag, i) => ({
      key: { run: run.id, tag },
      look: {
        id: `${run.id}\n${tag}`,
        label: speaksOfTags ? `${label(run)} · ${tag}` : label(run),
        color: lineColor(run, tag, card, runs.length),
        isDashed: card.validation.has(tag) || isValidation(run) || (card.isCombined && i % 2 === 1),
        isStrong: run.id === baseline.value,
      },
      group: isGrouped ? [group, part, speaksOfTags ? tag : ""].filter(Boolean).join(" · ") : "",
      groupColor: isGrouped ? colorOfGroup(group) : "",
    }));
  });
}

/** The lines of a card, the ones to be drawn on top last. */
export function makeLines(
  wish: Wish,
  lookup: Lookup,
  places: readonly Place[] = placesOf(wish.runs, wish.card),
): Line[] {
  const { card, axis, smoothing, showsSpread } = wish;
  if (card.margins) return marginLines(wish, card.margins, lookup);
  const isMean = groupBy.value !== "" && showsSpread;
  const lines: Line[] = [];
  const groups = new Map<string, { color: string; lines: Line[] }>();
  for (const { key, look, group, groupColor } of places) {
    const series = lookup(key);
    if (!series || series.size === 0) continue;
    const line = makeLine(series, axis, smoothing, look);
    lines.push(line);
    if (!isMean) continue;
    const there = groups.get(group) ?? { color: groupColor, lines: [] };
    there.lines.push(line);
    groups.set(group, there);
  }
  if (isMean) {
    return [...groups].map(([name, { color, lines: members }]) => mean(name, color, members)).reverse();
  }
  return lines.reverse().sort((a, b) => Number(a.isStrong) - Number(b.isStrong));
}

/** Lines as they were logged, with the band between two others around each. */
function marginLines({ runs, axis }: Wish, margins: readonly Margin[], lookup: Lookup): Line[] {
  const lines = runs.flatMap((run) =>
    margins.flatMap(({ value, lower, upper }, i) => {
      const [middle, low, high] = [value, lower, upper].map((tag) => lookup({ run: run.id, tag }));
      if (!middle || middle.size === 0) return [];
      const line = makeLine(middle, axis, 0, {
        id: `${run.id}\n${value}`,
        label: margins.length > 1 ? `${label(run)} · ${value}` : label(run),
        color: runs.length === 1 ? colorOfPlace(i) : colorOf(run),
        isDashed: isValidation(run) || (runs.length > 1 && i % 2 === 1),
        isStrong: run.id === baseline.value,
      });
      const edge = (series: Series) => sampled({ x: series.x(axis), y: series.values }, line.x);
      return [low && high ? { ...line, band: { low: edge(low), high: edge(high) } } : line];
    }),
  );
  return lines.reverse();
}

/** With one run in view, tags are what is to be told apart. */
function lineColor(run: Run, tag: string, card: Card, runCount: number): string {
  return card.isCombined && runCount === 1 ? colorOfPlace(card.tags.indexOf(tag)) : colorOf(run);
}

type Look = Pick<Line, "id" | "label" | "color" | "isDashed" | "isStrong">;

function makeLine(series: Series, axis: Axis, weight: number, look: Look): Line {
  const values = series.values;
  const isSmooth = weight > 0 && values.length > 1;
  return {
    ...look,
    x: series.x(axis),
    y: isSmooth ? series.smoothed(weight) : values,
    raw: isSmooth ? values : null,
    band: null,
    steps: series.steps,
    walls: series.walls,
  };
}

function mean(name: string, color: string, members: readonly Line[]): Line {
  const { x, mean: y, low, high } = aggregate(members);
  const [first] = members;
  return {
    id: `mean\n${name}`,
    label: `${name} (${members.length})`,
    color,
    isDashed: first.isDashed,
    isStrong: false,
    x,
    y,
    raw: null,
    band: members.length > 1 ? { low, high } : null,
    steps: x,
    walls: new Float64Array(0),
  };
}
