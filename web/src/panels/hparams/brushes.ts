/** What a brush over a part of an axis means, and which part of an axis a condition is. */

import type { Column } from "./columns";
import { type Condition, chosen } from "./conditions";
import type { Scale } from "./scale";

/** So near to an end, a brush takes in everything beyond it: infinities, and what is still to come. */
const END = 0.005;

export type Span = readonly [low: number, high: number];

export function conditionOf(column: Column, scale: Scale, [low, high]: Span): Condition | null {
  if (column.isNumber) {
    const min = low <= END ? -Infinity : scale.valueAt(low);
    const max = high >= 1 - END ? Infinity : scale.valueAt(high);
    return min === -Infinity && max === Infinity ? null : { kind: "range", min, max };
  }
  const inside = column.categories.flatMap((_, i) => {
    const unit = scale.unitOf(i);
    return unit >= low && unit <= high ? [i] : [];
  });
  if (inside.length === 0 || inside.length === column.categories.length) return null;
  return chosen(column, inside[0], inside[inside.length - 1]);
}

export function spanOf(column: Column, scale: Scale, condition: Condition | undefined): Span | null {
  if (!condition) return null;
  if (condition.kind === "range") {
    if (!column.isNumber) return null;
    const low = condition.min === -Infinity ? 0 : scale.unitOf(condition.min);
    const high = condition.max === Infinity ? 1 : scale.unitOf(condition.max);
    return Number.isNaN(low) || Number.isNaN(high) ? null : [low, high];
  }
  if (column.isNumber || condition.kind === "match") return null;
  const names = condition.kind === "choice" ? [...condition.values] : [condition.from, condition.to];
  const places = names.map((name) => column.categories.indexOf(name)).filter((place) => place >= 0);
  if (places.length === 0) return null;
  const units = places.map(scale.unitOf);
  const room = 0.3 / Math.max(1, column.categories.length - 1);
  return [Math.max(0, Math.min(...units) - room), Math.min(1, Math.max(...units) + room)];
}
