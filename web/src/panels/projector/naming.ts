/** Which points are named on the screen: what is lit up and, if the user wants them, groups or as many as find room. */

import { computed } from "@preact/signals";
import { matrixOf, project, type Screen } from "./camera";
import { textAt } from "./columns";
import { edgeLabels, type Label, middles, placed } from "./labels";
import { camera, is3d, method, selected, showsLabels } from "./state";
import { axisEnds, colorColumn, coloring, labelColumn, layout, lit, states } from "./store";

const MOST_GROUPS = 50;
const MOST_SORTED = 20_000;
const MOST_LIT = 200;
const MOST_FOUND = 60;
const MOST_STRONG = 20;

/** The point in the middle of each value that has a colour. */
export const groups = computed(() => {
  const [column, now] = [colorColumn.value.value, layout.value];
  const keys = coloring.value.keys;
  if (!column || column.numbers || !now || keys.length === 0 || keys.length > MOST_GROUPS) return null;
  const members = new Map<number, number[]>(keys.map(({ code }) => [code, []]));
  const isAny = states.value.some((state) => state === 1);
  column.codes.forEach((code, i) => {
    if (states.value[i] < 3 && (!isAny || states.value[i] === 1)) members.get(code)?.push(i);
  });
  for (const [code, indices] of members) if (indices.length < 3) members.delete(code);
  return { column, at: middles(members, now.places) };
});

/** The labels of the view as it is; `seen` says where the points are, which takes time. */
export function labelsOf(seen: () => Screen, width: number, height: number): Label[] {
  if (!layout.peek()) return [];
  const chosen = selected.peek();
  const edges = method.peek() === "axes" ? edgeLabels(axisEnds.peek(), width, height) : [];
  const strong = new Set(chosen.length <= MOST_STRONG ? chosen : []);
  const place = (indices: Iterable<number>) => {
    const column = labelColumn.peek().value;
    const textOf = (index: number) => textAt(column, index);
    return edges.concat(placed(indices, seen(), width, height, textOf, (i) => strong.has(i)));
  };
  if (showsLabels.peek() && chosen.length === 0) {
    const named = groups.peek();
    return named ? edges.concat(groupLabels(named, width, height)) : place(nearestFirst(seen()));
  }
  if (chosen.length === 0 && lit.peek().size > MOST_FOUND) return edges;
  const near = lit.peek().size <= MOST_LIT || showsLabels.peek() ? lit.peek() : [];
  const wanted = new Set([...strong, ...near]);
  return wanted.size === 0 ? edges : place(wanted);
}

function groupLabels(named: NonNullable<typeof groups.value>, width: number, height: number): Label[] {
  const matrix = matrixOf(camera.peek(), is3d.peek(), width, height);
  const at = project(new Float32Array([...named.at.values()].flat()), matrix, width, height);
  return [...named.at.keys()].map((code, i) => ({
    text: named.column.values[code],
    x: at.x[i] - 7,
    y: at.y[i],
    isStrong: true,
  }));
}

function* nearestFirst(screen: Screen): Generator<number> {
  const count = screen.x.length;
  const order = Uint32Array.from({ length: count }, (_, i) => i);
  if (is3d.peek() && count <= MOST_SORTED) order.sort((a, b) => screen.depth[a] - screen.depth[b]);
  for (const index of order) if (states.peek()[index] < 2) yield index;
}
