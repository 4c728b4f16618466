/** Nodes by name and op. */

import { pattern } from "../../state/order";
import type { GraphNode, Model } from "./model";

export interface Found {
  total: number;
  /** The first of them: those whose own name fits before those that are only inside something that fits. */
  nodes: GraphNode[];
}

export const MOST_FOUND = 200;

export function search(model: Model, text: string): Found {
  const wanted = pattern(text.trim());
  if (!wanted) return { total: 0, nodes: [] };
  const close: GraphNode[] = [];
  const rest: GraphNode[] = [];
  for (const node of model.byId.values()) {
    if (node === model.root) continue;
    if (wanted.test(node.label) || (node.op && wanted.test(node.op))) close.push(node);
    else if (node.leaf >= 0 && wanted.test(node.id)) rest.push(node);
  }
  close.sort((a, b) => Number(a.kind === "op") - Number(b.kind === "op"));
  return { total: close.length + rest.length, nodes: [...close, ...rest].slice(0, MOST_FOUND) };
}
