/** Nodes in ranks: which stands beside which, and where. */

export const GAP_X = 26;
export const GAP_EDGES = 12;
const SWEEPS = 6;
const PLACING_SWEEPS = 12;

interface Link {
  node: number;
  /** From the other node's middle to this one's, if the edge were upright. */
  shift: number;
  weight: number;
}

/** The ranks, with nodes and the places of edges in them. */
export class Grid {
  readonly rows: number[][] = [];
  readonly x: number[] = [];
  private readonly up: Link[][] = [];
  private readonly down: Link[][] = [];
  private readonly width: number[];
  private readonly real: number;

  constructor(widths: readonly number[]) {
    this.width = [...widths];
    this.real = widths.length;
    for (let i = 0; i < widths.length; i++) this.grow();
  }

  private grow(): void {
    this.up.push([]);
    this.down.push([]);
    this.x.push(0);
  }

  rank(node: number, rank: number): void {
    while (this.rows.length <= rank) this.rows.push([]);
    this.rows[rank].push(node);
  }

  add(rank: number): number {
    this.width.push(0);
    this.grow();
    this.rank(this.width.length - 1, rank);
    return this.width.length - 1;
  }

  join(upper: number, lower: number, upperX: number, lowerX: number): void {
    const places = Number(upper >= this.real) + Number(lower >= this.real);
    const weight = [1, 3, 8][places];
    this.down[upper].push({ node: lower, shift: lowerX - upperX, weight });
    this.up[lower].push({ node: upper, shift: upperX - lowerX, weight });
  }

  /** Orders ranks by the middle of each node's neighbours, down and up in turn; the best order stays. */
  order(): void {
    this.startOrder();
    const place = new Float64Array(this.width.length);
    const note = (row: readonly number[]) => {
      for (let i = 0; i < row.length; i++) place[row[i]] = i;
    };
    for (const row of this.rows) note(row);
    let best = this.rows.map((row) => [...row]);
    let fewest = this.crossings(place);
    for (let sweep = 0; sweep < SWEEPS && fewest > 0; sweep++) {
      const isDown = sweep % 2 === 0;
      const links = isDown ? this.up : this.down;
      const rows = isDown ? this.rows : [...this.rows].reverse();
      for (const row of rows) {
        const key = new Map(row.map((node) => [node, middle(links[node], place) ?? place[node]]));
        row.sort((a, b) => key.get(a)! - key.get(b)! || place[a] - place[b]);
        note(row);
      }
      const crossings = this.crossings(place);
      if (crossings < fewest) {
        fewest = crossings;
        best = this.rows.map((row) => [...row]);
      }
    }
    best.forEach((row, i) => {
      this.rows[i] = row;
    });
  }

  /** Neighbours side by side, to begin with: in the order of a walk over the edges. */
  private startOrder(): void {
    const seen = new Uint8Array(this.width.length);
    const order = new Int32Array(this.width.length);
    let count = 0;
    for (const start of this.rows.flat()) {
      const todo = [start];
      for (let node = todo.pop(); node !== undefined; node = todo.pop()) {
        if (seen[node]) continue;
        seen[node] = 1;
        order[node] = count++;
        for (const { node: next } of this.down[node]) if (!seen[next]) todo.push(next);
        for (const { node: next } of this.up[node]) if (!seen[next]) todo.push(next);
      }
    }
    for (const row of this.rows) row.sort((a, b) => order[a] - order[b]);
  }

  private crossings(place: Float64Array): number {
    let total = 0;
    for (let r = 1; r < this.rows.length; r++) {
      const ends: number[] = [];
      for (const node of this.rows[r - 1]) {
        const own = this.down[node].map((link) => place[link.node]).sort((a, b) => a - b);
        for (const end of own) ends.push(end);
      }
      total += inversions(ends, this.rows[r].length);
    }
    return total;
  }

  /** Positions that make edges as upright as the order allows. */
  place(): void {
    for (const row of this.rows) {
      let at = 0;
      row.forEach((node, i) => {
        at += i === 0 ? 0 : this.separation(row[i - 1], node);
        this.x[node] = at;
      });
      for (const node of row) this.x[node] -= at / 2;
    }
    for (let sweep = 0; sweep < PLACING_SWEEPS; sweep++) {
      const isDown = sweep % 2 === 0;
      for (const row of isDown ? this.rows : [...this.rows].reverse())
        this.settle(row, [isDown ? this.up : this.down]);
    }
    for (const row of this.rows) this.settle(row, [this.up, this.down]);
  }

  private separation(left: number, right: number): number {
    const bare = left >= this.real && right >= this.real;
    return (this.width[left] + this.width[right]) / 2 + (bare ? GAP_EDGES : GAP_X);
  }

  /** The places nearest to where the neighbours want the nodes of a row, in their order: pools of those that touch. */
  private settle(row: readonly number[], sides: readonly Link[][][]): void {
    const offsets: number[] = [];
    const pools: { sum: number; weight: number; count: number }[] = [];
    let offset = 0;
    row.forEach((node, i) => {
      if (i > 0) offset += this.separation(row[i - 1], node);
      offsets.push(offset);
      let [sum, weight] = [0, 0];
      for (const side of sides) {
        for (const link of side[node]) {
          sum += (this.x[link.node] + link.shift) * link.weight;
          weight += link.weight;
        }
      }
      const wanted = weight > 0 ? sum / weight : this.x[node];
      const force = weight || 0.01;
      pools.push({ sum: (wanted - offset) * force, weight: force, count: 1 });
      while (pools.length > 1) {
        const [a, b] = [pools[pools.length - 2], pools[pools.length - 1]];
        if (a.sum / a.weight <= b.sum / b.weight) break;
        a.sum += b.sum;
        a.weight += b.weight;
        a.count += b.count;
        pools.pop();
      }
    });
    let i = 0;
    for (const { sum, weight, count } of pools)
      for (const end = i + count; i < end; i++) this.x[row[i]] = sum / weight + offsets[i];
  }
}

function middle(links: readonly Link[], place: Float64Array): number | null {
  if (links.length === 0) return null;
  return links.reduce((sum, link) => sum + place[link.node], 0) / links.length;
}

/** Pairs that stand in the wrong order, counted with a tree of sums. */
function inversions(values: readonly number[], size: number): number {
  const tree = new Int32Array(size + 1);
  let total = 0;
  values.forEach((value, seen) => {
    let smaller = 0;
    for (let i = value + 1; i > 0; i -= i & -i) smaller += tree[i];
    total += seen - smaller;
    for (let i = value + 1; i <= size; i += i & -i) tree[i]++;
  });
  return total;
}
