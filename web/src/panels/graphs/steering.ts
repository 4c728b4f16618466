/** Where an arrow key leads. */

import { HEADER, type SceneNode } from "./scene";

const WAYS: Record<string, readonly [x: number, y: number]> = {
  ArrowLeft: [-1, 0],
  ArrowRight: [1, 0],
  ArrowUp: [0, -1],
  ArrowDown: [0, 1],
};

/** The nearest node in the direction of a key; what lies aside is further than what lies ahead. */
export function nearest(nodes: readonly SceneNode[], from: SceneNode, key: string): SceneNode | null {
  const [stepX, stepY] = WAYS[key] ?? [0, 0];
  const [x, y] = middle(from);
  let best: SceneNode | null = null;
  let least = Number.POSITIVE_INFINITY;
  for (const one of nodes) {
    const [dx, dy] = [middle(one)[0] - x, middle(one)[1] - y];
    const ahead = dx * stepX + dy * stepY;
    const cost = ahead + 3 * Math.abs(dx * stepY + dy * stepX);
    if (one !== from && ahead >= 2 && cost < least) [best, least] = [one, cost];
  }
  return best;
}

/** An open scope is where its title is. */
function middle(one: SceneNode): [number, number] {
  return [one.x + one.width / 2, one.y + (one.isOpen ? HEADER : one.height) / 2];
}
