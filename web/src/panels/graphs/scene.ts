/**
 * What is to be drawn: every scope laid out by itself, open ones inside the layout of the scope around them.
 *
 * A tensor that crosses the border of an open scope is drawn in two pieces that meet at a port on the border. One
 * that feeds very many nodes (a learning rate, all Variables) would cover everything: it is drawn for the selected
 * node only, and marked at the others.
 */

import { type Layout, type LayoutEdge, layered } from "./layout";
import type { Crossing, GraphNode, Level, Model } from "./model";

export interface SceneNode {
  node: GraphNode;
  x: number;
  y: number;
  width: number;
  height: number;
  isOpen: boolean;
  depth: number;
  /** Has inputs or outputs that are not drawn. */
  hidesInputs: boolean;
  hidesOutputs: boolean;
}

export interface SceneEdge {
  from: GraphNode;
  to: GraphNode;
  /** x and y in turn. */
  points: number[];
  count: number;
  shape: string;
  isControl: boolean;
  isFaint: boolean;
  /** Whether it ends at a node, and not at the border of a scope. */
  hasHead: boolean;
  /** Whether it is the piece of a tensor's way that lies inside a scope. */
  isCrossing: boolean;
}

export interface Scene {
  nodes: SceneNode[];
  edges: SceneEdge[];
  byId: Map<string, SceneNode>;
  width: number;
  height: number;
}

export type Measure = (node: GraphNode) => { width: number; height: number };

export const HEADER = 28;
const PADDING = 18;
/** A node at the edge of a level with more edges than this has them drawn when it is selected. */
const MOST_SPREAD = 8;
/** A tensor that goes to more nodes than this inside a scope has no port. */
const MOST_INSIDE = 3;
const MOST_PORTS = 10;
const PORT_WIDTH = 6;

interface Port {
  far: GraphNode;
  crossings: Crossing[];
}

interface Box {
  width: number;
  height: number;
  /** Distance of each port from the middle of the box, by the node on the other side. */
  ins: Map<string, number>;
  outs: Map<string, number>;
  emit: (x: number, y: number, depth: number, scene: Scene) => void;
}

const NOWHERE: ReadonlySet<string> = new Set();

export function makeScene(model: Model, opened: ReadonlySet<string>, measure: Measure): Scene {
  const scene: Scene = { nodes: [], edges: [], byId: new Map(), width: 0, height: 0 };
  const box = new Nest(model, opened, measure).layout(model.root, NOWHERE, NOWHERE);
  box.emit(0, 0, 0, scene);
  scene.width = box.width;
  scene.height = box.height;
  for (const one of scene.nodes) scene.byId.set(one.node.id, one);
  return scene;
}

class Nest {
  constructor(
    private readonly model: Model,
    private readonly opened: ReadonlySet<string>,
    private readonly measure: Measure,
  ) {}

  /** Lays out a scope. `sources` and `targets` are the nodes outside to which a line is drawn up to its border. */
  layout(scope: GraphNode, sources: ReadonlySet<string>, targets: ReadonlySet<string>): Box {
    const level = this.model.level(scope);
    const hubs = spread(level);
    const flows = level.flows.filter(({ from, to }) => !hubs.has(from) && !hubs.has(to));
    const ins = ports(level.ins, sources);
    const outs = ports(level.outs, targets);
    const boxes = level.nodes.map((node, i) => this.child(level, node, i, hubs, ins, outs));
    const size = boxes.length;
    const firstOut = size + ins.length;
    const edges: LayoutEdge[] = flows.map(({ from, to }) => ({
      from,
      to,
      fromX: boxes[from].outs.get(level.nodes[to].id) ?? 0,
      toX: boxes[to].ins.get(level.nodes[from].id) ?? 0,
    }));
    const crossings: Crossing[] = [];
    ins.forEach(({ far, crossings: own }, port) => {
      for (const crossing of own) {
        const toX = boxes[crossing.inner].ins.get(far.id) ?? 0;
        edges.push({ from: size + port, to: crossing.inner, fromX: 0, toX });
        crossings.push(crossing);
      }
    });
    const firstLeaving = crossings.length;
    outs.forEach(({ far, crossings: own }, port) => {
      for (const crossing of own) {
        const fromX = boxes[crossing.inner].outs.get(far.id) ?? 0;
        edges.push({ from: crossing.inner, to: firstOut + port, fromX, toX: 0 });
        crossings.push(crossing);
      }
    });
    const total = firstOut + outs.length;
    const found = layered({
      widths: Array.from({ length: total }, (_, i) => (i < size ? boxes[i].width : PORT_WIDTH)),
      heights: Array.from({ length: total }, (_, i) => (i < size ? boxes[i].height : 0)),
      edges,
      order: Array.from({ length: total }, (_, i) => (i < size ? level.nodes[i].first : i)),
      top: ins.map((_, i) => size + i),
      bottom: outs.map((_, i) => firstOut + i),
    });
    const isRoot = scope.parent === null;
    const title = isRoot ? 0 : this.measure(scope).width;
    const inner = Math.max(found.width, title - 2 * PADDING);
    const width = isRoot ? found.width : inner + 2 * PADDING;
    // Ports are on the border; the way from there to the first node is room enough.
    const above = isRoot ? 0 : HEADER + (ins.length > 0 ? 0 : PADDING);
    const under = isRoot || outs.length > 0 ? 0 : PADDING;
    const height = found.height + above + under;
    const offsetX = isRoot ? 0 : PADDING + (inner - found.width) / 2;
    const offsetY = above;
    const portX = (place: number) => found.x[place] + offsetX - width / 2;
    return {
      width,
      height,
      ins: new Map(ins.map(({ far }, i) => [far.id, portX(size + i)])),
      outs: new Map(outs.map(({ far }, i) => [far.id, portX(firstOut + i)])),
      emit: (x, y, depth, scene) => {
        this.emitChildren(level, boxes, found, x + offsetX, y + offsetY, depth, scene, flows, ins, outs);
        this.emitEdges(level, found, x + offsetX, y + offsetY, scene, flows, crossings, firstLeaving, {
          top: isRoot ? 0 : y + HEADER,
          bottom: y + height,
        });
      },
    };
  }

  private child(
    level: Level,
    node: GraphNode,
    place: number,
    hubs: ReadonlySet<number>,
    ins: readonly Port[],
    outs: readonly Port[],
  ): Box {
    if (node.leaf >= 0 || !this.opened.has(node.id)) {
      const { width, height } = this.measure(node);
      return { width, height, ins: new Map(), outs: new Map(), emit: () => {} };
    }
    const sources = new Set<string>();
    const targets = new Set<string>();
    for (const { from, to } of level.flows) {
      if (hubs.has(from) || hubs.has(to)) continue;
      if (to === place) sources.add(level.nodes[from].id);
      if (from === place) targets.add(level.nodes[to].id);
    }
    for (const { far, crossings } of ins)
      if (crossings.some(({ inner }) => inner === place)) sources.add(far.id);
    for (const { far, crossings } of outs)
      if (crossings.some(({ inner }) => inner === place)) targets.add(far.id);
    return this.layout(node, sources, targets);
  }

  private emitChildren(
    level: Level,
    boxes: readonly Box[],
    found: Layout,
    x: number,
    y: number,
    depth: number,
    scene: Scene,
    flows: Level["flows"],
    ins: readonly Port[],
    outs: readonly Port[],
  ): void {
    const drawnIn = new Set(flows.map((flow) => flow.to));
    const drawnOut = new Set(flows.map((flow) => flow.from));
    const shown = (all: readonly Port[]) => new Set(all.flatMap((port) => port.crossings));
    const [shownIn, shownOut] = [shown(ins), shown(outs)];
    const hidesInputs = new Set<number>();
    const hidesOutputs = new Set<number>();
    const shownFlows = new Set(flows);
    for (const flow of level.flows) {
      if (shownFlows.has(flow) || flow.isControl) continue;
      hidesInputs.add(flow.to);
      hidesOutputs.add(flow.from);
    }
    for (const crossing of level.ins)
      if (!shownIn.has(crossing) && !crossing.isControl) hidesInputs.add(crossing.inner);
    for (const crossing of level.outs)
      if (!shownOut.has(crossing) && !crossing.isControl) hidesOutputs.add(crossing.inner);
    level.nodes.forEach((node, i) => {
      const { width, height } = boxes[i];
      const isOpen = node.leaf < 0 && this.opened.has(node.id);
      const left = x + found.x[i] - width / 2;
      scene.nodes.push({
        node,
        x: left,
        y: y + found.y[i],
        width,
        height,
        isOpen,
        depth,
        hidesInputs: hidesInputs.has(i) && !(isOpen && drawnIn.has(i)),
        hidesOutputs: hidesOutputs.has(i) && !(isOpen && drawnOut.has(i)),
      });
      boxes[i].emit(left, y + found.y[i], depth + 1, scene);
    });
  }

  private emitEdges(
    level: Level,
    found: Layout,
    x: number,
    y: number,
    scene: Scene,
    flows: Level["flows"],
    crossings: readonly Crossing[],
    firstLeaving: number,
    border: { top: number; bottom: number },
  ): void {
    const moved = (edge: number) => found.paths[edge].map((value, i) => value + (i % 2 ? y : x));
    flows.forEach(({ from, to, ...rest }, i) => {
      scene.edges.push({
        from: level.nodes[from],
        to: level.nodes[to],
        points: moved(i),
        isFaint: found.isLong[i] === 1 || found.isBack[i] === 1,
        hasHead: true,
        isCrossing: false,
        ...rest,
      });
    });
    crossings.forEach(({ inner, far, ...rest }, i) => {
      const edge = flows.length + i;
      const points = moved(edge);
      const isLeaving = i >= firstLeaving;
      // Ports are where the layout has them; the border is a little further out.
      if (isLeaving) points[points.length - 1] = border.bottom;
      else points[1] = border.top;
      const [from, to] = isLeaving ? [level.nodes[inner], far] : [far, level.nodes[inner]];
      const isFaint = found.isLong[edge] === 1;
      scene.edges.push({ from, to, points, isFaint, hasHead: !isLeaving, isCrossing: true, ...rest });
    });
  }
}

/** Sources and sinks of a level that have too many edges to be drawn. */
function spread(level: Level): Set<number> {
  const into = new Int32Array(level.nodes.length);
  const outOf = new Int32Array(level.nodes.length);
  for (const { from, to } of level.flows) {
    outOf[from]++;
    into[to]++;
  }
  const found = new Set<number>();
  level.nodes.forEach((_, i) => {
    if ((into[i] === 0 && outOf[i] > MOST_SPREAD) || (outOf[i] === 0 && into[i] > MOST_SPREAD)) found.add(i);
  });
  return found;
}

function ports(crossings: readonly Crossing[], drawn: ReadonlySet<string>): Port[] {
  const byFar = new Map<GraphNode, Crossing[]>();
  for (const crossing of crossings) {
    if (!drawn.has(crossing.far.id)) continue;
    const known = byFar.get(crossing.far);
    if (known) known.push(crossing);
    else byFar.set(crossing.far, [crossing]);
  }
  return [...byFar]
    .filter(([, own]) => own.length <= MOST_INSIDE)
    .slice(0, MOST_PORTS)
    .map(([far, own]) => ({ far, crossings: own }));
}
