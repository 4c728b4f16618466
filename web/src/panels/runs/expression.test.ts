import { describe, expect, it } from "vitest";
import { type Columns, compile, type Value } from "./expression";

const table: Record<string, Value[]> = {
  lr: [0.1, 0.01, 0.001, null],
  val_loss: [0.5, 0.2, Number.NaN, 0.1],
  "val/loss": [1, 2, 3, 4],
  optimizer: ["adam", "sgd", "adam", null],
  starred: [true, false, false, true],
  tags: ["good, new", "new", "", "good"],
  "a-b c": [1, 2, 3, 4],
};
const columns: Columns = (name) => (Object.hasOwn(table, name) ? (row) => table[name][row] : undefined);

function rows(source: string): number[] {
  const found = compile(source, columns);
  if ("problem" in found) throw new Error(JSON.stringify(found.problem));
  return [0, 1, 2, 3].filter(found.test);
}

function problem(source: string) {
  const found = compile(source, columns);
  return "problem" in found ? [found.problem.code, found.problem.text, found.problem.at] : null;
}

describe("expressions", () => {
  it.each([
    ["", [0, 1, 2, 3]],
    ["val_loss < 0.3 and lr >= 1e-3", [1]],
    ["lr >= .001", [0, 1, 2]],
    ["val_loss < 0.3 or lr = 0.001", [1, 2, 3]],
    ["lr == 0.1 or lr == 0.01 and val_loss > 1", [0]],
    ["(lr == 0.1 or lr == 0.01) and val_loss > 0.4", [0]],
    ["not starred", [1, 2]],
    ["!starred && lr < 1", [1, 2]],
    ["0.005 < lr < 0.05", [1]],
    ["val/loss > 2", [2, 3]],
    ["val_loss / lr > 10", [1]],
    ["lr*2 > 0.1", [0]],
    ["-lr > -0.05", [1, 2]],
    ["`a-b c` % 2 == 0", [1, 3]],
    ["optimizer == 'adam'", [0, 2]],
    ['optimizer != "adam"', [1]],
    ['optimizer ~ "^A"', [0, 2]],
    ['optimizer !~ "a"', [1]],
    ['optimizer in ("sgd", "rmsprop")', [1]],
    ['optimizer not in ("sgd", "rmsprop")', [0, 2]],
    ['"good" in tags', [0, 3]],
    ["has(lr)", [0, 1, 2]],
    ["isnan(val_loss)", [2]],
    ["log10(lr) <= -2", [1, 2]],
    ["starred == true", [0, 3]],
    ["val_loss != 0.5", [1, 2, 3]],
    ["lr < inf", [0, 1, 2]],
  ])("%s", (source, expected) => {
    expect(rows(source)).toEqual(expected);
  });

  it("compares texts that are numbers with numbers", () => {
    table.mixed = ["8", "16", "x", ""];
    expect(rows("mixed == 8")).toEqual([0]);
    expect(rows("mixed > 9")).toEqual([1]);
    expect(rows("mixed == 0")).toEqual([]);
  });

  it.each([
    ["val_los < 0.3", ["name", "val_los", 0]],
    ["lr < 1 and optimizer == adam", ["name", "adam", 24]],
    ["lr <", ["ends", "", 4]],
    ["lr < 1 lr", ["expected", "lr", 7]],
    ["(lr < 1", ["ends", "", 7]],
    ["lr < 'a", ["unclosed", "'", 5]],
    ["lr < 1 ; drop", ["letter", ";", 7]],
    ["and lr", ["expected", "and", 0]],
    ["alert(1)", ["call", "alert", 0]],
    ["constructor", ["name", "constructor", 0]],
    ["toString(lr)", ["call", "toString", 0]],
    ["lr in (1, 2", ["ends", "", 11]],
  ])("says what is wrong with %s", (source, expected) => {
    expect(problem(source)).toEqual(expected);
  });

  it("reads only so deep", () => {
    expect(problem(`${"(".repeat(5000)}lr`)?.[0]).toBe("deep");
    expect(problem("not ".repeat(5000))?.[0]).toBe("deep");
    expect(problem(`${"-".repeat(5000)}1`)?.[0]).toBe("deep");
  });
});
