/** Circles in a graph. */

/** Nodes that can reach each other have the same number (Tarjan's way, with a stack of its own). */
export function cycles(next: readonly number[][]): Int32Array {
  const found = new Int32Array(next.length).fill(-1);
  const order = new Int32Array(next.length).fill(-1);
  const low = new Int32Array(next.length);
  const at = new Int32Array(next.length);
  const open: number[] = [];
  let count = 0;
  let names = 0;
  for (let start = 0; start < next.length; start++) {
    const walk = order[start] < 0 ? [start] : [];
    while (walk.length > 0) {
      const node = walk[walk.length - 1];
      if (order[node] < 0) {
        order[node] = low[node] = count++;
        open.push(node);
      }
      const to = next[node][at[node]++];
      if (to !== undefined) {
        if (order[to] < 0) walk.push(to);
        else if (found[to] < 0) low[node] = Math.min(low[node], order[to]);
        continue;
      }
      walk.pop();
      const above = walk[walk.length - 1];
      if (above !== undefined) low[above] = Math.min(low[above], low[node]);
      if (low[node] === order[node]) {
        for (let one = open.pop()!; ; one = open.pop()!) {
          found[one] = names;
          if (one === node) break;
        }
        names++;
      }
    }
  }
  return found;
}
