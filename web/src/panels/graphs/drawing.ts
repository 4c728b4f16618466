/** How a scene looks. */

import type { Brush } from "./brush";
import { formatShort } from "./colors";
import type { GraphNode } from "./model";
import { HEADER, type Scene, type SceneEdge, type SceneNode } from "./scene";
import { t } from "./words";

/** The colours of the page, which a canvas must be told. */
export interface Look {
  ground: string;
  raised: string;
  text: string;
  quiet: string;
  line: string;
  edge: string;
  accent: string;
  isDark: boolean;
}

export interface View {
  look: Look;
  color: (node: GraphNode) => string;
  selected: string;
  /** Found by the search. */
  found: ReadonlySet<string>;
  /** Device pixels for each unit of the drawing; small text is left out. */
  scale: number;
  /** What can be seen, in units of the drawing. */
  window: { left: number; top: number; right: number; bottom: number };
}

const CHARACTER = 6.5;
const SMALL = 5.6;
const BOLD = 7.3;
const MOST_CHARACTERS = 30;
const READABLE = 0.45;
const LABEL_ROW = 12;
const LEAST_LABELLED = 20;

export function shortened(text: string, most = MOST_CHARACTERS): string {
  if (text.length <= most) return text;
  const kept = most - 1;
  return `${text.slice(0, Math.ceil(kept * 0.6))}…${text.slice(text.length - Math.floor(kept * 0.4))}`;
}

/** The first line of a node. */
export function titleOf(node: GraphNode): string {
  return node.kind === "series"
    ? `${shortened(node.label, 24)} ×${node.children.length}`
    : shortened(node.label);
}

/** The second line: what it is, and how large. */
export function subtitleOf(node: GraphNode): string {
  const parts: string[] = [];
  if (node.kind === "scope") parts.push(nodesText(node.count));
  else if (node.op) parts.push(shortened(node.op, 24));
  if (node.parameters > 0) parts.push(parametersText(node.parameters));
  return parts.join(" · ");
}

export function nodesText(count: number): string {
  return count === 1 ? t("oneNode") : t("nodesShort", { n: formatShort(count) });
}

export function parametersText(count: number): string {
  return count === 1 ? t("oneParam") : t("paramsShort", { n: formatShort(count) });
}

/** How many characters as wide as a Latin one; those of Chinese and the like are twice as wide. */
function breadth(text: string): number {
  let total = 0;
  for (let i = 0; i < text.length; i++) total += text.charCodeAt(i) > 0x2e80 ? 1.9 : 1;
  return total;
}

export function sizeOf(node: GraphNode): { width: number; height: number } {
  const subtitle = subtitleOf(node);
  const title = breadth(titleOf(node)) * CHARACTER;
  const wide = Math.max(title, breadth(subtitle) * SMALL);
  return { width: Math.max(64, Math.ceil(wide) + 22), height: subtitle ? 40 : 28 };
}

export function shownShape(shape: string): string {
  return shape === "[]" ? t("scalar") : shape;
}

export function drawScene(brush: Brush, scene: Scene, view: View): void {
  const { left, top, right, bottom } = view.window;
  const nodes = scene.nodes.filter(
    (one) => one.x < right && one.x + one.width > left && one.y < bottom && one.y + one.height > top,
  );
  for (const one of nodes) if (one.isOpen) drawOpen(brush, one, view);
  const edges = scene.edges.filter(({ points }) => isInView(points, view));
  const isStrong = ({ from, to }: SceneEdge) =>
    view.selected !== "" && (from.id === view.selected || to.id === view.selected);
  const strong = edges.filter(isStrong);
  const others = edges.filter((edge) => !isStrong(edge));
  for (const edge of others) drawEdge(brush, edge, view, false);
  for (const edge of strong) drawEdge(brush, edge, view, true);
  const labels = new Labels(brush, view);
  for (const edge of strong) labels.add(edge, view.look.accent);
  for (const edge of others) labels.add(edge, view.look.quiet);
  for (const one of nodes) if (!one.isOpen) drawNode(brush, one, view);
}

/** Texts at edges, each where none is yet: in the middle behind the source, near the target, or nowhere. */
class Labels {
  private readonly taken = new Map<number, [left: number, right: number, y: number][]>();

  constructor(
    private readonly brush: Brush,
    private readonly view: View,
  ) {}

  add(edge: SceneEdge, color: string): void {
    if (this.view.scale < READABLE * 1.2 || edge.isFaint || edge.isCrossing) return;
    const text = edge.count > 1 ? t("tensors", { n: edge.count }) : shownShape(edge.shape);
    if (!text) return;
    const half = (breadth(text) * SMALL) / 2;
    const { points } = edge;
    const end = points.length;
    let at = 0;
    while (at + 4 < end && Math.abs(points[at + 3] - points[at + 1]) < LEAST_LABELLED) at += 2;
    const places = [
      [(points[at] + points[at + 2]) / 2, (points[at + 1] + points[at + 3]) / 2],
      [points[end - 2] * 0.85 + points[end - 4] * 0.15, points[end - 1] - 15],
      [points[0] * 0.85 + points[2] * 0.15, points[1] + 13],
    ];
    for (const [x, y] of places) {
      if (!this.isFree(x - half, x + half, y)) continue;
      this.brush.text(text, x, y + 3.5, 10, color, 400, "middle", this.view.look.ground);
      return;
    }
  }

  private isFree(left: number, right: number, y: number): boolean {
    const row = Math.round(y / LABEL_ROW);
    for (let near = row - 1; near <= row + 1; near++)
      for (const [a, b, other] of this.taken.get(near) ?? [])
        if (left < b + 4 && right > a - 4 && Math.abs(y - other) < LABEL_ROW) return false;
    const own = this.taken.get(row);
    if (own) own.push([left, right, y]);
    else this.taken.set(row, [[left, right, y]]);
    return true;
  }
}

function isInView(points: readonly number[], { window }: View): boolean {
  let [left, right, top, bottom] = [Infinity, -Infinity, Infinity, -Infinity];
  for (let i = 0; i < points.length; i += 2) {
    left = Math.min(left, points[i]);
    right = Math.max(right, points[i]);
    top = Math.min(top, points[i + 1]);
    bottom = Math.max(bottom, points[i + 1]);
  }
  return left < window.right && right > window.left && top < window.bottom && bottom > window.top;
}

function drawOpen(brush: Brush, one: SceneNode, view: View): void {
  const { look, scale } = view;
  const isSelected = one.node.id === view.selected;
  const color = view.color(one.node);
  const ground = one.depth % 2 === 0 ? look.raised : look.ground;
  brush.box(
    one.x,
    one.y,
    one.width,
    one.height,
    8,
    ground,
    isSelected ? look.accent : color || look.line,
    isSelected ? 2.5 : 1.2,
  );
  if (scale < READABLE * 0.6) return;
  const title = titleOf(one.node);
  brush.text(`▾ ${title}`, one.x + 12, one.y + HEADER / 2 + 5, 12, look.text, 600, "start", "");
  const end = 30 + breadth(title) * BOLD;
  const subtitle = subtitleOf(one.node);
  if (one.width - end - 8 > breadth(subtitle) * SMALL)
    brush.text(subtitle, one.x + end + 4, one.y + HEADER / 2 + 5, 11, look.quiet, 400, "start", "");
}

function drawNode(brush: Brush, one: SceneNode, view: View): void {
  const { look, scale } = view;
  const { node, x, y, width, height } = one;
  const isSelected = node.id === view.selected;
  const color = view.color(node);
  const isOp = node.kind === "op";
  const isHot = color.startsWith("rgb");
  const fill = isHot ? color : color ? tint(color, look) : look.raised;
  const edge = isSelected
    ? look.accent
    : view.found.has(node.id)
      ? look.accent
      : color && !isHot
        ? color
        : look.line;
  const line = isSelected ? 2.5 : view.found.has(node.id) ? 2 : 1.2;
  if (node.kind === "series") {
    brush.box(x + 6, y - 5, width - 6, height, 6, fill, edge, 1);
    brush.box(x + 3, y - 2.5, width - 3, height, 6, fill, edge, 1);
  }
  brush.box(x, y, width, height, isOp ? Math.min(14, height / 2) : 5, fill, edge, line);
  if (one.hidesInputs) brush.box(x + 8, y - 4, 7, 4, 1, look.edge, "", 0);
  if (one.hidesOutputs) brush.box(x + width - 15, y + height, 7, 4, 1, look.edge, "", 0);
  if (scale < READABLE * 0.8) return;
  const subtitle = subtitleOf(node);
  const ink = isHot ? inkOn(color) : look.text;
  const middle = x + width / 2;
  brush.text(titleOf(node), middle, subtitle ? y + 17 : y + height / 2 + 4, 12, ink, 500, "middle", "");
  if (subtitle) brush.text(subtitle, middle, y + 32, 10.5, isHot ? ink : look.quiet, 400, "middle", "");
}

function drawEdge(brush: Brush, edge: SceneEdge, view: View, isStrong: boolean): void {
  const { look, scale } = view;
  const { points } = edge;
  const color = isStrong ? look.accent : look.edge;
  const width = (isStrong ? 2 : edge.isFaint ? 0.7 : 1.1) + Math.min(2.5, Math.log2(edge.count) * 0.4);
  brush.curve(points, color, width, edge.isControl || edge.isFaint);
  const end = points.length - 2;
  if (edge.hasHead && scale > READABLE * 0.5)
    brush.head(points[end], points[end + 1], points[end + 1] >= points[end - 1], color);
}

/** A light shade of a colour on the ground. */
function tint(color: string, look: Look): string {
  const [a, b] = [parts(color), parts(look.ground)];
  const share = look.isDark ? 0.3 : 0.18;
  return `rgb(${a.map((part, i) => Math.round(part * share + b[i] * (1 - share))).join(" ")})`;
}

/** Black or white, whichever is read better on a colour. */
function inkOn(color: string): string {
  const [red, green, blue] = color.match(/\d+/g)!.map(Number);
  return 0.299 * red + 0.587 * green + 0.114 * blue > 110 ? "#1a0d00" : "#ffffff";
}

/** Red, green and blue of #14171c, or of #fff, as style sheets are shortened. */
function parts(hex: string): number[] {
  const digits = hex.length === 4 ? [...hex.slice(1)].map((one) => one + one).join("") : hex.slice(1);
  return [0, 2, 4].map((i) => Number.parseInt(digits.slice(i, i + 2), 16));
}
