/**
 * A drawing in layers (Sugiyama): cycles are broken, nodes get ranks, long edges get a place in every rank they
 * cross, ranks are ordered so that few edges cross, and positions are found that keep edges straight.
 *
 * Written here because levels of 500 nodes and more must open at once: on ResNet-50's 501 ops dagre and ELK take
 * seconds, this takes a few dozen milliseconds.
 */

import { cycles } from "./cycles";
import { GAP_EDGES, GAP_X, Grid } from "./grid";

export interface LayoutEdge {
  from: number;
  to: number;
  /** Where it leaves and enters, as distances from the middle of the nodes. */
  fromX: number;
  toX: number;
}

export interface LayoutInput {
  widths: readonly number[];
  heights: readonly number[];
  edges: readonly LayoutEdge[];
  /** Where nodes stand in the file: where there are cycles, they are broken by it. */
  order: readonly number[];
  /** Nodes of the first and the last rank, which nothing else is in. */
  top: readonly number[];
  bottom: readonly number[];
}

export interface Layout {
  /** Middle and upper edge of each node. */
  x: Float64Array;
  y: Float64Array;
  width: number;
  height: number;
  /** Points of each edge, x and y in turn, from its source to its target. */
  paths: number[][];
  /** Edges that go against the others, and those that cross so many ranks that they are not routed. */
  isBack: Uint8Array;
  isLong: Uint8Array;
}

const GAP_Y = 46;
/** Places that long edges take up in ranks, in all. */
const MOST_PLACES = 4000;

export function layered(input: LayoutInput): Layout {
  const { widths, edges } = input;
  const size = widths.length;
  const isBack = new Uint8Array(edges.length);
  const isLong = new Uint8Array(edges.length);
  const degree = new Int32Array(size);
  for (const { from, to } of edges) {
    if (from === to) continue;
    degree[from]++;
    degree[to]++;
  }
  const rank = ranks(input, isBack, degree);
  const grid = new Grid(widths);
  for (let node = 0; node < size; node++) if (degree[node] > 0) grid.rank(node, rank[node]);
  const chains = route(edges, rank, isBack, isLong, grid);
  grid.order();
  grid.place();
  return drawn(input, rank, degree, grid, chains, isBack, isLong);
}

/** Ranks by the longest way from a source; sources then move down to where they are used. */
function ranks(input: LayoutInput, isBack: Uint8Array, degree: Int32Array): Int32Array {
  const { widths, edges } = input;
  const size = widths.length;
  breakCircles(input, isBack);
  const next: number[][] = Array.from({ length: size }, () => []);
  const before = new Int32Array(size);
  edges.forEach(({ from, to }, edge) => {
    if (from === to) return;
    const [a, b] = isBack[edge] ? [to, from] : [from, to];
    next[a].push(b);
    before[b]++;
  });
  const sources = before.slice();
  const rank = new Int32Array(size);
  const order: number[] = [];
  for (let node = 0; node < size; node++) if (before[node] === 0) order.push(node);
  for (let at = 0; at < order.length; at++) {
    for (const to of next[order[at]]) {
      rank[to] = Math.max(rank[to], rank[order[at]] + 1);
      if (--before[to] === 0) order.push(to);
    }
  }
  for (const node of order.reverse()) {
    if (next[node].length === 0 || sources[node] >= next[node].length) continue;
    const nearest = next[node].reduce((least, to) => Math.min(least, rank[to]), Number.POSITIVE_INFINITY);
    rank[node] = Math.max(rank[node], nearest - 1);
  }
  const fixed = new Set([...input.top, ...input.bottom]);
  if (input.top.length > 0) {
    for (let node = 0; node < size; node++) if (!fixed.has(node) && rank[node] === 0) rank[node] = 1;
    // A source that shared the first rank may now be level with what it feeds.
    for (const node of order.reverse())
      for (const to of next[node]) rank[to] = Math.max(rank[to], rank[node] + 1);
    for (const node of input.top) rank[node] = 0;
  }
  if (input.bottom.length > 0) {
    let last = 0;
    for (let node = 0; node < size; node++)
      if (!fixed.has(node) && degree[node] > 0) last = Math.max(last, rank[node]);
    for (const node of input.bottom) rank[node] = last + 1;
  }
  return rank;
}

/** On a cycle, the edges that go against the order of the file go back: what makes a thing is written before it. */
function breakCircles({ widths, edges, order }: LayoutInput, isBack: Uint8Array): void {
  const next: number[][] = widths.map(() => []);
  for (const { from, to } of edges) next[from].push(to);
  const cycle = cycles(next);
  edges.forEach(({ from, to }, edge) => {
    if (from === to || cycle[from] !== cycle[to]) return;
    if (order[from] > order[to] || (order[from] === order[to] && from > to)) isBack[edge] = 1;
  });
}

/** Gives edges their places in ranks, short ones first; gives the places of each, from the upper end on. */
function route(
  edges: readonly LayoutEdge[],
  rank: Int32Array,
  isBack: Uint8Array,
  isLong: Uint8Array,
  grid: Grid,
): (number[] | null)[] {
  const span = (edge: number) => Math.abs(rank[edges[edge].to] - rank[edges[edge].from]);
  const order = edges.map((_, edge) => edge).sort((a, b) => span(a) - span(b) || a - b);
  const chains: (number[] | null)[] = edges.map(() => null);
  let left = MOST_PLACES;
  for (const edge of order) {
    const { from, to, fromX, toX } = edges[edge];
    if (from === to) continue;
    const [upper, lower] = isBack[edge] ? [to, from] : [from, to];
    const [upperX, lowerX] = isBack[edge] ? [toX, fromX] : [fromX, toX];
    left -= span(edge) - 1;
    if (left < 0 || span(edge) === 0) {
      isLong[edge] = 1;
      continue;
    }
    const chain = [upper];
    for (let r = rank[upper] + 1; r < rank[lower]; r++) chain.push(grid.add(r));
    chain.push(lower);
    for (let i = 1; i < chain.length; i++) {
      grid.join(chain[i - 1], chain[i], i === 1 ? upperX : 0, i === chain.length - 1 ? lowerX : 0);
    }
    chains[edge] = chain;
  }
  return chains;
}

function drawn(
  { widths, heights, edges }: LayoutInput,
  rank: Int32Array,
  degree: Int32Array,
  grid: Grid,
  chains: readonly (number[] | null)[],
  isBack: Uint8Array,
  isLong: Uint8Array,
): Layout {
  const size = widths.length;
  const tops: number[] = [];
  const bottoms: number[] = [];
  let height = 0;
  for (const row of grid.rows) {
    if (tops.length > 0) height += GAP_Y;
    tops.push(height);
    height += row.reduce((most, node) => Math.max(most, heights[node] ?? 0), 0);
    bottoms.push(height);
  }
  const x = new Float64Array(size);
  const y = new Float64Array(size);
  let [left, right] = [0, 0];
  grid.rows.flat().forEach((node, i) => {
    const half = (widths[node] ?? 0) / 2;
    left = i === 0 ? grid.x[node] - half : Math.min(left, grid.x[node] - half);
    right = i === 0 ? grid.x[node] + half : Math.max(right, grid.x[node] + half);
  });
  for (let node = 0; node < size; node++) {
    x[node] = grid.x[node] - left;
    y[node] = (tops[rank[node]] + bottoms[rank[node]] - heights[node]) / 2;
  }
  let width = right - left;
  // Nodes without edges stand beside the others, in columns.
  const column = Math.max(height, 480);
  let [columnX, columnY, columnWidth] = [width > 0 ? width + 2 * GAP_X : 0, 0, 0];
  for (let node = 0; node < size; node++) {
    if (degree[node] > 0) continue;
    if (columnY > 0 && columnY + heights[node] > column) {
      columnX += columnWidth + GAP_X;
      columnY = columnWidth = 0;
    }
    x[node] = columnX + widths[node] / 2;
    y[node] = columnY;
    columnY += heights[node] + GAP_X / 2;
    columnWidth = Math.max(columnWidth, widths[node]);
    width = Math.max(width, columnX + columnWidth);
    height = Math.max(height, columnY - GAP_X / 2);
  }
  const paths = edges.map(({ from, to, fromX, toX }, edge) => {
    if (from === to) return loop(x[from] + widths[from] / 2, y[from] + heights[from] / 2);
    const chain = chains[edge];
    // Beside the way of the edge that goes with the others between the same two nodes.
    const aside = isBack[edge] ? GAP_EDGES : 0;
    const start = [x[from] + fromX + aside, isBack[edge] ? y[from] : y[from] + heights[from]];
    const end = [x[to] + toX + aside, isBack[edge] ? y[to] + heights[to] : y[to]];
    if (!chain) return [...start, ...end];
    // Out of its rank and into the other straight: its neighbours there may be much taller.
    const leaves = isBack[edge] ? tops[rank[from]] : bottoms[rank[from]];
    const enters = isBack[edge] ? bottoms[rank[to]] : tops[rank[to]];
    if (leaves !== start[1]) start.push(start[0], leaves);
    if (enters !== end[1]) end.unshift(end[0], enters);
    const points: number[] = [];
    const firstRank = rank[chain[0]];
    for (let i = 1; i < chain.length - 1; i++) {
      const at = grid.x[chain[i]] - left;
      points.push(at, tops[firstRank + i], at, bottoms[firstRank + i]);
    }
    if (isBack[edge]) turn(points);
    return [...start, ...points, ...end];
  });
  return { x, y, width, height, paths, isBack, isLong };
}

/** The same points from the other end. */
function turn(points: number[]): void {
  points.reverse();
  for (let i = 0; i < points.length; i += 2) [points[i], points[i + 1]] = [points[i + 1], points[i]];
}

/** An edge from a node to itself: a small bow at its right side. */
function loop(x: number, y: number): number[] {
  return [x, y - 6, x + 14, y - 6, x + 14, y + 6, x, y + 6];
}
