/** Rows of the list of runs: a tree of folders, or groups. */

import type { Run } from "../api/schema";
import { keptLetters } from "../chart/names";

export interface Leaf {
  kind: "run";
  key: string;
  depth: number;
  run: Run;
  /** What the row is called below its folder. */
  text: string;
  /** How many letters at its end set it apart from its neighbours. */
  kept: number;
}

export interface Folder {
  kind: "folder";
  key: string;
  depth: number;
  text: string;
  kept: number;
  isOpen: boolean;
  /** The run that the folder is itself, if files lie in it. */
  own: Run | null;
  /** All runs in it. */
  runs: Run[];
}

export type Row = Leaf | Folder;

interface Node {
  key: string;
  text: string;
  children: Map<string, Node>;
  /** The run that lies here, if one does. */
  own: Run | null;
  /** That and those below. */
  all: Run[];
}

type LabelOf = (run: Run) => string | undefined;

/** Groups of runs in the order in which they first come. */
export function groupRows(
  runs: readonly Run[],
  groupOf: (run: Run) => string,
  closed: ReadonlySet<string>,
  label: (run: Run) => string,
): Row[] {
  const groups = new Map<string, Run[]>();
  for (const run of runs) {
    const group = groupOf(run);
    groups.set(group, [...(groups.get(group) ?? []), run]);
  }
  const kept = keptLetters([...groups.keys()]);
  return [...groups].flatMap(([group, members], i): Row[] => {
    const key = `group:${group}`;
    const isOpen = !closed.has(key);
    const head = { key, depth: 0, text: group, kept: kept[i], isOpen, own: null, runs: members };
    const names = members.map(label);
    const ends = keptLetters(names);
    const leaves = members.map((run, j) => leaf(run, 1, names[j], ends[j]));
    return [{ kind: "folder", ...head }, ...(isOpen ? leaves : [])];
  });
}

/** The folders the runs lie in. One that holds nothing but one folder is shown in one row with it. */
export function treeRows(runs: readonly Run[], closed: ReadonlySet<string>, labelOf: LabelOf): Row[] {
  const root = nodeOf("", "");
  for (const run of runs) {
    let node = root;
    for (const part of run.path) {
      const next = node.children.get(part) ?? nodeOf(`${node.key}/${part}`, part);
      node.children.set(part, next);
      next.all.push(run);
      node = next;
    }
    node.own = run;
  }
  return below(root, 0, closed, labelOf);
}

function nodeOf(key: string, text: string): Node {
  return { key, text, children: new Map(), own: null, all: [] };
}

/** The rows of what is in a folder, in the order of the runs: sorting those sorts the folders as well. */
function below(node: Node, depth: number, closed: ReadonlySet<string>, labelOf: LabelOf): Row[] {
  const shown = [...node.children.values()].map(joined);
  const texts = shown.map(([one, text]) => (one.own && labelOf(one.own)) || text);
  const ends = keptLetters(texts);
  return shown.flatMap(([one], i): Row[] => {
    const { key, own, all, children } = one;
    if (own && children.size === 0) return [leaf(own, depth, texts[i], ends[i])];
    const isOpen = !closed.has(key);
    const folder = { key, depth, text: texts[i], kept: ends[i], isOpen, own, runs: all };
    return [{ kind: "folder", ...folder }, ...(isOpen ? below(one, depth + 1, closed, labelOf) : [])];
  });
}

/** A folder, or the one that is all there is in it, and what that is called. */
function joined(node: Node): [Node, text: string] {
  let [shown, text] = [node, node.text];
  while (!shown.own && shown.children.size === 1) {
    const [only] = shown.children.values();
    if (only.children.size === 0) break;
    shown = only;
    text = `${text}/${only.text}`;
  }
  return [shown, text];
}

function leaf(run: Run, depth: number, text: string, kept: number): Leaf {
  return { kind: "run", key: run.id, depth, run, text, kept };
}
