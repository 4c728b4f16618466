/** Repeated nodes of a scope, to be drawn as one: `AddN_1`, `AddN_2`, ... */

import { cycles } from "./cycles";
import type { Flow, GraphNode } from "./model";

export interface Group {
  label: string;
  members: number[];
}

const FEWEST = 5;
/** Of nodes that feed each other, as the blocks of a model do: they are what one looks at a graph for. */
const FEWEST_LINKED = 24;
/** So many candidates are looked at: each look is a walk through the scope. */
const MOST_TRIED = 60;
/** More nodes than this are never drawn side by side. */
export const MOST_SHOWN = 800;

/**
 * Nodes of the same structure whose names differ in numbers only. A group is taken only if nothing that leaves it
 * comes back to it: drawn as one, it would be a cycle where there is none. (What is on one cycle already may be.)
 */
export function groups(nodes: readonly GraphNode[], flows: readonly Flow[]): Group[] {
  const alike = new Map<string, number[]>();
  nodes.forEach((node, i) => {
    const key = `${node.signature} ${node.label.replace(/\d+/g, "#")}`;
    const known = alike.get(key);
    if (known) known.push(i);
    else alike.set(key, [i]);
  });
  const candidates = [...alike.values()]
    .filter((members) => members.length >= FEWEST)
    .sort((a, b) => b.length - a.length)
    .slice(0, MOST_TRIED);
  const next: number[][] = nodes.map(() => []);
  for (const { from, to } of flows) next[from].push(to);
  const cycle = cycles(next);
  const groupOf = new Map<number, number[]>();
  const found: Group[] = [];
  const labels = new Set<string>();
  const before = nodes.map(() => "");
  for (const { from, to } of flows) before[to] += ` ${from}`;
  const tried = candidates.length;
  for (let i = 0; i < candidates.length; i++) {
    const members = candidates[i];
    const own = new Set(members);
    if (members.length < FEWEST_LINKED && members.some((one) => next[one].some((to) => own.has(to))))
      continue;
    const isCycle = members.every((member) => cycle[member] === cycle[members[0]]);
    if (!isCycle && comesBack(members, next, groupOf)) {
      // Not all of them, but maybe those on one cycle, and of the others those that have the same inputs.
      if (i >= tried) continue;
      const looped = parted(members, (one) => cycle[one]);
      const others = members.filter((one) => !looped.some((part) => part.includes(one)));
      candidates.push(...looped, ...parted(others, (one) => before[one]));
      continue;
    }
    for (const member of members) groupOf.set(member, members);
    found.push({ label: distinct(pattern(members.map((member) => nodes[member].label)), labels), members });
  }
  return [...found, ...chunks(nodes, found)];
}

/** Members that are alike in something, by what that is. */
function parted(members: readonly number[], by: (member: number) => string | number): number[][] {
  const parts = new Map<string | number, number[]>();
  for (const member of members) {
    const known = parts.get(by(member));
    if (known) known.push(member);
    else parts.set(by(member), [member]);
  }
  return [...parts.values()].filter((part) => part.length >= FEWEST);
}

function comesBack(
  members: readonly number[],
  next: readonly number[][],
  groupOf: ReadonlyMap<number, number[]>,
): boolean {
  const own = new Set(members);
  const seen = new Set<number>();
  const todo = [...members];
  for (let node = todo.pop(); node !== undefined; node = todo.pop()) {
    for (const to of next[node]) {
      if (own.has(to)) {
        if (!own.has(node)) return true;
        continue;
      }
      // Whoever reaches one of a group reaches all of it.
      for (const one of groupOf.get(to) ?? [to]) {
        if (!seen.has(one)) {
          seen.add(one);
          todo.push(one);
        }
      }
    }
  }
  return false;
}

/** What is still too much to be drawn, in parts. */
export function chunks(nodes: readonly GraphNode[], found: readonly Group[]): Group[] {
  const gathered = new Set(found.flatMap(({ members }) => members));
  const rest = nodes.map((_, i) => i).filter((i) => !gathered.has(i));
  if (rest.length + found.length <= MOST_SHOWN) return [];
  const size = Math.max(MOST_SHOWN / 2, Math.ceil(rest.length / (MOST_SHOWN / 2)));
  const parts: Group[] = [];
  for (let start = 0; start < rest.length; start += size) {
    const members = rest.slice(start, start + size);
    if (members.length > 1) parts.push({ label: `${start + 1}–${start + members.length}`, members });
  }
  return parts;
}

/** What the names have in common, `*` for numbers that differ; one at the end is left out. */
function pattern(labels: readonly string[]): string {
  const split = labels.map((label) => label.split(/(\d+)/));
  const parts = split[0].map((part, i) => (split.every((other) => other[i] === part) ? part : "*"));
  return parts.join("").replace(/[_-]?\*$/, "") || labels[0];
}

function distinct(label: string, taken: Set<string>): string {
  let unique = label;
  for (let count = 2; taken.has(unique); count++) unique = `${label} ${count}`;
  taken.add(unique);
  return unique;
}
