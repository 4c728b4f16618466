/** A graph as the page has it: scopes in scopes, found from the names of nodes, with what flows between them. */

import type { GraphBlob } from "../../api/schema";
import { chunks, groups } from "./series";

export type NodeKind = "op" | "scope" | "series";

export interface GraphNode {
  /** Its path, and its name in the address. */
  id: string;
  label: string;
  kind: NodeKind;
  parent: GraphNode | null;
  children: GraphNode[];
  /** The place of an op in the columns of the graph; -1 for the rest. */
  leaf: number;
  /** The place in the file of the first op inside. */
  first: number;
  op: string;
  /** Ops inside. */
  count: number;
  parameters: number;
  /** What a run took; -1 where nothing was measured. */
  micros: number;
  bytes: number;
  /** Alike in nodes of which one could stand for the other. */
  signature: number;
}

export interface Flow {
  from: number;
  to: number;
  count: number;
  shape: string;
  isControl: boolean;
}

/** A tensor that enters or leaves a scope: at which child, and the node on the other side of the border. */
export interface Crossing {
  inner: number;
  far: GraphNode;
  count: number;
  shape: string;
  isControl: boolean;
}

/** What is directly inside a scope. */
export interface Level {
  nodes: readonly GraphNode[];
  flows: readonly Flow[];
  ins: readonly Crossing[];
  outs: readonly Crossing[];
}

export interface Neighbour {
  node: GraphNode;
  count: number;
  shape: string;
  isControl: boolean;
}

/** Names may be nested without end; what lies deeper is one name. */
const DEEPEST = 48;

export class Model {
  readonly root: GraphNode;
  readonly byId = new Map<string, GraphNode>();
  readonly leaves: GraphNode[] = [];
  private readonly outgoing: Adjacency;
  private readonly incoming: Adjacency;
  private readonly prepared = new Set<GraphNode>();
  private readonly levels = new Map<GraphNode, Level>();
  private readonly owner: Int32Array;

  constructor(readonly blob: GraphBlob) {
    this.root = fresh("", "", "scope", null);
    this.byId.set("", this.root);
    this.build();
    this.shorten();
    const size = this.leaves.length;
    this.owner = new Int32Array(size).fill(-1);
    this.outgoing = adjacency(size, blob.sources);
    this.incoming = adjacency(size, blob.targets);
    summarise(this.root);
  }

  private build(): void {
    const { names, ops, texts, parameters, stats } = this.blob;
    const parts = names.map((name) => {
      const all = name.split("/");
      return all.length > DEEPEST ? [...all.slice(0, DEEPEST - 1), all.slice(DEEPEST - 1).join("/")] : all;
    });
    for (const path of parts) if (path.length > 1) this.scope(path.slice(0, -1));
    parts.forEach((path, leaf) => {
      const last = path[path.length - 1];
      const own = this.byId.get(path.join("/"));
      // A name that is a scope's, too, stands inside it, as in TensorBoard.
      const parent = own?.kind === "scope" ? own : this.scope(path.slice(0, -1));
      const label = own?.kind === "scope" ? `(${last})` : last;
      let id = join(parent, label);
      while (this.byId.has(id)) id += "′";
      const node = fresh(id, label || "·", "op", parent);
      node.leaf = node.first = leaf;
      node.op = texts[ops[leaf]];
      node.count = 1;
      node.parameters = parameters[leaf];
      node.micros = stats?.micros[leaf] ?? -1;
      node.bytes = stats?.bytes[leaf] ?? -1;
      parent.children.push(node);
      this.byId.set(id, node);
      this.leaves.push(node);
    });
  }

  /** A scope with one thing in it is drawn as that thing: `relu/Relu`. */
  private shorten(): void {
    const scopes = [...this.byId.values()].filter(({ kind, parent }) => kind === "scope" && parent);
    // Scopes come before what is in them.
    for (const scope of scopes.reverse()) {
      if (scope.children.length !== 1) continue;
      const [only] = scope.children;
      const parent = scope.parent!;
      only.label = `${scope.label}/${only.label}`;
      only.parent = parent;
      parent.children[parent.children.indexOf(scope)] = only;
      this.byId.delete(scope.id);
    }
  }

  private scope(path: readonly string[]): GraphNode {
    let node = this.root;
    let id = "";
    for (let i = 0; i < path.length; i++) {
      id = i === 0 ? path[0] : `${id}/${path[i]}`;
      // The root's own id is taken by names that begin with a slash.
      const key = id === "" ? "/" : id;
      let next = this.byId.get(key);
      if (!next) {
        next = fresh(key, path[i] || "·", "scope", node);
        node.children.push(next);
        this.byId.set(key, next);
      }
      node = next;
    }
    return node;
  }

  /** The ops inside a node, itself if it is one. */
  opsIn(node: GraphNode): number[] {
    const found: number[] = [];
    const todo = [node];
    for (let one = todo.pop(); one; one = todo.pop()) {
      if (one.leaf >= 0) found.push(one.leaf);
      else for (const child of one.children) todo.push(child);
    }
    return found;
  }

  /** What is inside a scope, with repeated nodes gathered. */
  level(scope: GraphNode): Level {
    let level = this.levels.get(scope);
    if (!level) {
      this.prepare(scope);
      level = this.lift(scope);
      this.levels.set(scope, level);
    }
    return level;
  }

  /** Gathers repeated nodes of a scope into series, once. */
  private prepare(scope: GraphNode): void {
    if (this.prepared.has(scope)) return;
    this.prepared.add(scope);
    if (scope.parent) this.prepare(scope.parent);
    const before = scope.children;
    const found = scope.kind === "series" ? chunks(before, []) : groups(before, this.lift(scope).flows);
    if (found.length === 0) return;
    const gathered = new Set(found.flatMap(({ members }) => members));
    const kept = before.filter((_, i) => !gathered.has(i));
    for (const { label, members } of found) {
      let id = join(scope, `~${label}`);
      while (this.byId.has(id)) id += "′";
      const series = fresh(id, label, "series", scope);
      series.children = members.map((i) => before[i]);
      series.op = series.children.every((one) => one.op === series.children[0].op)
        ? series.children[0].op
        : "";
      series.signature = series.children[0].signature;
      for (const child of series.children) child.parent = series;
      total(series);
      this.byId.set(id, series);
      kept.push(series);
    }
    scope.children = kept;
  }

  /** Every tensor between two ops, seen from a scope. */
  private lift(scope: GraphNode): Level {
    const { sources, targets, shapes, controls, texts } = this.blob;
    const nodes = scope.children;
    const inside = nodes.map((node) => this.opsIn(node));
    inside.forEach((ops, i) => {
      for (const op of ops) this.owner[op] = i;
    });
    const above = new Set<GraphNode>();
    for (let node: GraphNode | null = scope; node; node = node.parent) above.add(node);
    const flows = new Map<string, Flow>();
    const ins = new Map<string, Crossing>();
    const outs = new Map<string, Crossing>();
    const note = <T extends { count: number; shape: string; isControl: boolean }>(
      where: Map<string, T>,
      key: string,
      edge: number,
      make: (rest: { count: number; shape: string; isControl: boolean }) => T,
    ) => {
      const shape = texts[shapes[edge]];
      const isControl = controls[edge] === 1;
      const known = where.get(key);
      if (!known) where.set(key, make({ count: 1, shape, isControl }));
      else {
        known.count++;
        known.isControl &&= isControl;
        if (known.shape !== shape) known.shape = known.shape && shape ? "…" : known.shape || shape;
      }
    };
    inside.forEach((ops, from) => {
      for (const op of ops) {
        for (const edge of edgesOf(this.outgoing, op)) {
          const to = this.owner[targets[edge]];
          if (to === from) continue;
          if (to >= 0) note(flows, `${from} ${to}`, edge, (rest) => ({ from, to, ...rest }));
          else {
            const far = below(this.leaves[targets[edge]], above);
            note(outs, `${from} ${far.id}`, edge, (rest) => ({ inner: from, far, ...rest }));
          }
        }
        for (const edge of edgesOf(this.incoming, op)) {
          if (this.owner[sources[edge]] >= 0) continue;
          const far = below(this.leaves[sources[edge]], above);
          note(ins, `${from} ${far.id}`, edge, (rest) => ({ inner: from, far, ...rest }));
        }
      }
    });
    for (const ops of inside) for (const op of ops) this.owner[op] = -1;
    return { nodes, flows: [...flows.values()], ins: [...ins.values()], outs: [...outs.values()] };
  }

  /** Where the inputs of a node come from, or its outputs go: ops for an op, what is beside it for a scope. */
  neighbours(node: GraphNode, side: "inputs" | "outputs"): Neighbour[] {
    const { sources, targets, shapes, controls, texts } = this.blob;
    const [edges, ends] = side === "inputs" ? [this.incoming, sources] : [this.outgoing, targets];
    if (node.leaf >= 0) {
      return Array.from(edgesOf(edges, node.leaf), (edge) => ({
        node: this.leaves[ends[edge]],
        count: 1,
        shape: texts[shapes[edge]],
        isControl: controls[edge] === 1,
      }));
    }
    const level = this.level(node);
    const found = new Map<GraphNode, Neighbour>();
    for (const { far, count, shape, isControl } of side === "inputs" ? level.ins : level.outs) {
      const known = found.get(far);
      if (!known) found.set(far, { node: far, count, shape, isControl });
      else {
        known.count += count;
        if (known.shape !== shape) known.shape = "…";
      }
    }
    return [...found.values()];
  }

  /** The scopes and series around a node, from the outside in; those not looked at yet are prepared. */
  around(node: GraphNode): GraphNode[] {
    if (node.parent) this.prepare(node.parent);
    const found: GraphNode[] = [];
    for (let one = node.parent; one?.parent; one = one.parent) found.unshift(one);
    return found;
  }

  /** The node of an id in an address: series exist once the scope they are in has been looked at. */
  find(id: string): GraphNode | undefined {
    const cut = id.indexOf("/~");
    if (id.startsWith("~")) this.level(this.root);
    else if (cut > 0) {
      const scope = this.byId.get(id.slice(0, cut));
      if (scope) this.level(scope);
    }
    return this.byId.get(id);
  }
}

function fresh(id: string, label: string, kind: NodeKind, parent: GraphNode | null): GraphNode {
  const rest = { first: 0, op: "", count: 0, parameters: 0, micros: -1, bytes: -1, signature: 0 };
  return { id, label, kind, parent, children: [], leaf: -1, ...rest };
}

function join(parent: GraphNode, label: string): string {
  return parent.id === "" ? label : `${parent.id}/${label}`;
}

/** The edges of each node, by the column that names it, in one array: `list[start[node]]` is the first of a node. */
interface Adjacency {
  start: Int32Array;
  list: Int32Array;
}

function adjacency(size: number, ends: readonly number[]): Adjacency {
  const start = new Int32Array(size + 1);
  for (const end of ends) start[end + 1]++;
  for (let i = 0; i < size; i++) start[i + 1] += start[i];
  const at = start.slice();
  const list = new Int32Array(ends.length);
  for (let edge = 0; edge < ends.length; edge++) list[at[ends[edge]]++] = edge;
  return { start, list };
}

function edgesOf({ start, list }: Adjacency, node: number): Int32Array {
  return list.subarray(start[node], start[node + 1]);
}

/** The outermost node around `leaf` that is not around the scope, too. */
function below(leaf: GraphNode, above: ReadonlySet<GraphNode>): GraphNode {
  let node = leaf;
  while (node.parent && !above.has(node.parent)) node = node.parent;
  return node;
}

function total(node: GraphNode): void {
  node.count = node.parameters = 0;
  node.micros = node.bytes = -1;
  node.first = Number.POSITIVE_INFINITY;
  for (const child of node.children) {
    node.first = Math.min(node.first, child.first);
    node.count += child.count;
    node.parameters += child.parameters;
    if (child.micros >= 0) node.micros = Math.max(node.micros, 0) + child.micros;
    if (child.bytes >= 0) node.bytes = Math.max(node.bytes, 0) + child.bytes;
  }
}

function hash(seed: number, text: string): number {
  let value = seed;
  for (let i = 0; i < text.length; i++) value = Math.imul(value ^ text.charCodeAt(i), 0x01000193);
  return value >>> 0;
}

/** Totals and signatures, from the inside out; a stack, for names may be nested deeply. */
function summarise(root: GraphNode): void {
  const order: GraphNode[] = [];
  const todo = [root];
  for (let node = todo.pop(); node; node = todo.pop()) {
    order.push(node);
    for (const child of node.children) todo.push(child);
  }
  for (const node of order.reverse()) {
    if (node.leaf >= 0) node.signature = hash(0x811c9dc5, node.op);
    else {
      total(node);
      const inside = node.children.map((child) => child.signature).sort((a, b) => a - b);
      node.signature = hash(0x9747b28c, inside.join());
    }
  }
}
