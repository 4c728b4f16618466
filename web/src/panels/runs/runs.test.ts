import { describe, expect, it } from "vitest";
import type { RunsTable } from "../../api/schema";
import { guessed } from "./better";
import { finder, makeColumns, sortedBy, type Told } from "./columns";
import { decode } from "./data";
import { csvOf, latexOf, markdownOf } from "./files";
import { lineDiff, shortened } from "./lines";

const told: Told = {
  name: (row) => row.name,
  standing: (row) => row.standing,
  note: () => "",
  tags: () => [],
  isStarred: () => false,
};

/** A message as the server packs it, every column as float64. */
function message(head: Omit<RunsTable, "columns">, columns: number[][]): ArrayBuffer {
  let text = JSON.stringify({ ...head, columns: columns.map((column) => ["f8", column.length]) });
  text += " ".repeat((8 - (text.length % 8)) % 8);
  const bytes = new Uint8Array(8 + text.length + 8 * columns.flat().length);
  bytes.set(new TextEncoder().encode("TFC1"));
  new DataView(bytes.buffer).setUint32(4, text.length, true);
  bytes.set(new TextEncoder().encode(text), 8);
  bytes.set(new Uint8Array(Float64Array.from(columns.flat()).buffer), 8 + text.length);
  return bytes.buffer;
}

const NONE = Number.NaN;
const head: Omit<RunsTable, "columns"> = {
  version: 1,
  ids: ["a|1", "b", "c"],
  names: ["a|1", "b", "c"],
  members: { 1: ["b", "b2"] },
  standings: ["ended"],
  hosts: ["h"],
  hparams: [{ name: "lr", kind: "number", differs: true, values: [0.1, null, "NaN"] }],
  scalars: ["loss", "val/acc"],
  left_out: "",
  notes: [],
};
const table = decode(
  message(head, [
    [0, 0, 0],
    [0, 0, 0],
    [1, 2, 3],
    [10, 20, NONE],
    [5, 5, 5],
    ...[
      [3, NONE, NONE],
      [9, 9, NONE],
      [1, NONE, NONE],
      [4, 0, NONE],
      [8, NONE, NONE],
      [0, 0, NONE],
    ],
    ...[
      [0.5, 0.7, 0.6],
      [9, 9, 9],
      [0.1, 0.2, 0.3],
      [1, 1, 1],
      [0.6, 0.9, 0.8],
      [3, 4, 5],
    ],
  ]),
);
const columns = makeColumns(table, "best", told);
const find = finder(columns);

describe("the table of runs", () => {
  it("has a row for each name, with the runs in it", () => {
    expect(table.rows[1]).toEqual({ id: "b", name: "b", runs: ["b", "b2"], standing: "ended", host: "h" });
    expect(table.rows[2].runs).toEqual(["c"]);
  });

  it("tells a missing value from NaN", () => {
    expect([0, 1, 2].map((i) => find("loss.last")!.value(i))).toEqual([3, Number.NaN, null]);
    expect([0, 1, 2].map((i) => find("loss.last")!.text(i))).toEqual(["3.000", "NaN", ""]);
    expect([0, 1, 2].map((i) => find("lr")!.value(i))).toEqual([0.1, null, Number.NaN]);
  });

  it("knows which end of a scalar is the good one, and its step", () => {
    expect(
      [
        "val/acc",
        "mAP",
        "top-5",
        "epoch_loss",
        "accept_rate",
        "mean_reward",
        "lr",
        "lr-Adam/pg1",
        "epoch",
      ].map(guessed),
    ).toEqual(["more", "more", "less", "less", "less", "more", undefined, undefined, undefined]);
    expect(find("val/acc")!.value(1)).toBe(0.9);
    expect(find("val/acc.step")!.value(1)).toBe(4);
    expect(find("loss")!.value(0)).toBe(1);
    expect(find("loss.step")!.value(0)).toBe(4);
  });

  it("finds columns by the names people type", () => {
    expect(find("acc")!.key).toBe("v:val/acc");
    expect(find("val_acc")!.key).toBe("v:val/acc");
    expect(find("val_acc.min")!.key).toBe("min:val/acc");
    expect(find("nothing")).toBeUndefined();
    expect(find("duration")!.value(2)).toBeNull();
  });

  it("sorts what is missing last, both ways", () => {
    const loss = find("lr")!;
    expect(sortedBy(loss, [0, 1, 2], false)[0]).toBe(0);
    expect(sortedBy(loss, [0, 1, 2], true)[0]).toBe(0);
  });

  it("is saved as CSV, LaTeX and Markdown", () => {
    const shown = ["lr", "val/acc"].map((name) => ({ title: name, column: find(name)! }));
    const sheet = { columns: shown, head: "Run", names: (i: number) => table.rows[i].name, rows: [0, 1] };
    expect(csvOf(sheet)).toBe("Run,lr,val/acc\r\na|1,0.1,0.6\r\nb,,0.9\r\n");
    expect(latexOf(sheet).split("\n").slice(1, 4)).toEqual([
      "Run & lr & val/acc \\\\ \\hline",
      "a|1 & $0.1$ & $0.6$ \\\\",
      "b & -- & $0.9$ \\\\",
    ]);
    expect(markdownOf(sheet).split("\n").slice(0, 3)).toEqual([
      "| Run | lr | val/acc |",
      "| :-- | --: | --: |",
      "| a\\|1 | 0.1 | 0.6000 |",
    ]);
  });
});

describe("two texts", () => {
  it("are compared line by line", () => {
    const before = ["a", "b", "c", "d", "e", "f", "g", "h", "i"].join("\n");
    const lines = lineDiff(before, before.replace("h", "x\ny"))!;
    expect(lines.filter((line) => !line.startsWith(" "))).toEqual(["-h", "+x", "+y"]);
    expect(shortened(lines)).toEqual(["…", " e", " f", " g", "-h", "+x", "+y", " i"]);
    expect(lineDiff(before, before)!.every((line) => line.startsWith(" "))).toBe(true);
    expect(lineDiff("", "x")).toEqual(["-", "+x"]);
    expect(lineDiff("x\n".repeat(4000), "y\n".repeat(4000))).toBeNull();
  });
});
