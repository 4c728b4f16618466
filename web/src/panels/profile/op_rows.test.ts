import { expect, it } from "vitest";
import type { EventKind, ProfileOp } from "../../api/schema";
import { isOfKind, rowsOf, slices, sorted } from "./op_rows";

function op(name: string, type: string, own: number, more: Partial<ProfileOp> = {}): ProfileOp {
  const kind: EventKind = "xla";
  return {
    name,
    kind,
    type,
    module: "jit_step",
    detail: "",
    is_gradient: false,
    count: 2,
    total: own,
    own,
    ...more,
  };
}

const OPS = [
  op("dot.1", "matmul", 4),
  op("dot.2", "matmul", 2),
  op("dot.9", "matmul", 1, { is_gradient: true }),
  op("add.1", "add", 3, { total: 9 }),
  op("Iterator::Map", "Map", 5, { kind: "input" }),
];

it("chooses kinds: ops are XLA's and the framework's", () => {
  expect(OPS.filter((one) => isOfKind(one, "ops"))).toHaveLength(4);
  expect(OPS.filter((one) => isOfKind(one, "input"))).toHaveLength(1);
  expect(OPS.filter((one) => isOfKind(one, "all"))).toHaveLength(5);
});

it("groups by type, backward passes apart, with shares of all that were chosen", () => {
  const ops = OPS.slice(0, 4);
  const rows = sorted(rowsOf(ops, null, null, true), "-own");
  expect(rows.map(({ name, members, own, count }) => [name, members, own, count])).toEqual([
    ["matmul", 2, 6, 4],
    ["add", 1, 3, 2],
    ["matmul", 1, 1, 2],
  ]);
  const found = rowsOf(ops, null, /add/, false);
  expect(found).toHaveLength(1);
  expect(found[0].share).toBeCloseTo(0.3);
});

it("sorts by any column, what is missing last", () => {
  const rows = rowsOf(OPS, [op("dot.2", "matmul", 7)], null, false);
  expect(sorted(rows, "-total")[0].name).toBe("add.1");
  expect(sorted(rows, "name").map(({ name }) => name)[0]).toBe("add.1");
  expect(sorted(rows, "-other").map(({ name }) => name)[0]).toBe("dot.2");
  expect(sorted(rows, "other")[0].other).toBe(7);
});

it("makes a few slices and a rest", () => {
  const { rows, rest, restCount } = slices(rowsOf(OPS, null, null, false), 3);
  expect(rows.map(({ name }) => name)).toEqual(["Iterator::Map", "dot.1"]);
  expect(restCount).toBe(3);
  expect(rest).toBeCloseTo(6 / 15);
});
