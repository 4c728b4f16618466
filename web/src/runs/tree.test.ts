import { describe, expect, it } from "vitest";
import type { Run } from "../api/schema";
import { groupRows, type Row, treeRows } from "./tree";

function run(name: string): Run {
  return { id: name, name, path: name.split("/") } as Run;
}

function show(rows: Row[]): string[] {
  return rows.map(
    (row) => `${" ".repeat(row.depth)}${row.text}${row.kind === "folder" ? `/ ${row.runs.length}` : ""}`,
  );
}

describe("treeRows", () => {
  it("shows folders, and joins those that hold nothing but one", () => {
    const runs = ["a/b/train", "a/b/val", "c", "."].map(run);
    expect(show(treeRows(runs, new Set(), () => undefined))).toEqual(["a/b/ 2", " train", " val", "c", "."]);
  });

  it("folds, and keeps the order of the runs", () => {
    const runs = ["z/1", "m", "z/2", "a/1", "a/2"].map(run);
    expect(show(treeRows(runs, new Set(["/a"]), () => undefined))).toEqual(["z/ 2", " 1", " 2", "m", "a/ 2"]);
  });

  it("shows a run that is a folder of runs as well in one row", () => {
    const rows = treeRows(["a", "a/b", "x/c", "x/c/d"].map(run), new Set(), () => undefined);
    expect(show(rows)).toEqual(["a/ 2", " b", "x/c/ 2", " d"]);
    expect(rows.map((row) => row.kind === "folder" && row.own?.name)).toEqual(["a", false, "x/c", false]);
  });

  it("calls a folder that is a run as the user calls the run", () => {
    const rows = treeRows(["a", "a/b"].map(run), new Set(), ({ name }) =>
      name === "a" ? "mine" : undefined,
    );
    expect(show(rows)).toEqual(["mine/ 2", " b"]);
  });

  it("keeps a run without a name of its own", () => {
    expect(show(treeRows([run("only/one")], new Set(), () => undefined))).toEqual(["only/ 1", " one"]);
  });
});

describe("groupRows", () => {
  it("puts runs of one group together", () => {
    const rows = groupRows(
      ["x1", "y1", "x2"].map(run),
      (one) => one.name[0],
      new Set(["group:y"]),
      (one) => one.name,
    );
    expect(show(rows)).toEqual(["x/ 2", " x1", " x2", "y/ 1"]);
  });
});
