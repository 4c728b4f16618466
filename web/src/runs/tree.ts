/** Rows of the list of runs: a tree of folders, or groups. */

import type { Run } from "../api/schema";

export interface Leaf {
  kind: "run";
  key: string;
  depth: number;
  run: Run;
  /** What the row is called below its folder. */
  text: string;
}

export interface Folder {
  kind: "folder";
  key: string;
  depth: number;
  text: string;
  isOpen: boolean;
  /** All runs below it. */
  runs: Run[];
}

export type Row = Leaf | Folder;

interface Node {
  key: string;
  /** How many parts of a path lead here. */
  depth: number;
  text: string;
  children: Map<string, Node>;
  runs: Run[];
  all: Run[];
}

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
  const rows: Row[] = [];
  for (const [group, members] of groups) {
    const key = `group:${group}`;
    const isOpen = !closed.has(key);
    rows.push({ kind: "folder", key, depth: 0, text: group, isOpen, runs: members });
    if (isOpen) rows.push(...members.map((run) => leaf(run, 1, label(run))));
  }
  return rows;
}

/** The folders the runs lie in. A folder that holds nothing but one folder is shown in one row with it. */
export function treeRows(
  runs: readonly Run[],
  closed: ReadonlySet<string>,
  labelOf: (run: Run) => string | undefined,
): Row[] {
  const root: Node = { key: "", depth: 0, text: "", children: new Map(), runs: [], all: [] };
  for (const run of runs) {
    let node = root;
    const folders = run.path.slice(0, -1);
    for (const part of folders) {
      let next = node.children.get(part);
      if (!next) {
        next = {
          key: `${node.key}/${part}`,
          depth: node.depth + 1,
          text: part,
          children: new Map(),
          runs: [],
          all: [],
        };
        node.children.set(part, next);
      }
      next.all.push(run);
      node = next;
    }
    node.runs.push(run);
    root.all.push(run);
  }
  const rows: Row[] = [];
  append(root, 0, rows, closed, labelOf);
  return rows;
}

function append(
  node: Node,
  depth: number,
  rows: Row[],
  closed: ReadonlySet<string>,
  labelOf: (run: Run) => string | undefined,
): void {
  // In the order of the runs, so that sorting them sorts the folders as well.
  const done = new Set<Node>();
  const own = new Set(node.runs);
  for (const run of node.all) {
    if (own.has(run)) {
      rows.push(leaf(run, depth, labelOf(run) ?? run.path[run.path.length - 1] ?? run.name));
      continue;
    }
    const child = node.children.get(run.path[node.depth])!;
    if (done.has(child)) continue;
    done.add(child);
    let [shown, text] = [child, child.text];
    while (shown.runs.length === 0 && shown.children.size === 1) {
      shown = [...shown.children.values()][0];
      text = `${text}/${shown.text}`;
    }
    const isOpen = !closed.has(shown.key);
    rows.push({ kind: "folder", key: shown.key, depth, text, isOpen, runs: shown.all });
    if (isOpen) append(shown, depth + 1, rows, closed, labelOf);
  }
}

function leaf(run: Run, depth: number, text: string): Leaf {
  return { kind: "run", key: run.id, depth, run, text };
}
