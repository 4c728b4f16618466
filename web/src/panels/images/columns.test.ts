import { expect, it } from "vitest";
import { columnsFor } from "./columns";

it.each([
  [0, 28, 28, 1],
  [1, 28, 28, 1],
  [3, 96, 64, 2],
  [3, 300, 100, 1],
  [3, 20, 100, 3],
  [9, 28, 28, 3],
  [10, 0, 0, 4],
])("puts %i pictures of %i by %i into %i columns", (count, width, height, columns) => {
  expect(columnsFor(count, width, height)).toBe(columns);
});

it("puts three pictures beside each other where the box is twice as wide as high", () => {
  expect(columnsFor(3, 28, 28, 2)).toBe(3);
});
