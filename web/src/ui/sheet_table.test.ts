import { expect, it } from "vitest";
import { direction, inView } from "./sheet_table";

it.each([
  [0, 250, [0, 3]],
  [100, 250, [1, 3]],
  [150, 199, [1, 2]],
  [900, 999, [3, 4]],
])("of columns at 0, 100, 200 and 300, a window from %i to %i shows %j", (from, to, shown) => {
  expect(inView([0, 100, 200, 300], from, to)).toEqual(shown);
});

it("no columns are in view where there are none", () => expect(inView([], 0, 100)).toEqual([0, 0]));

it("a minus means downwards", () => {
  expect(direction("loss", "loss")).toBe("ascending");
  expect(direction("-loss", "loss")).toBe("descending");
  expect(direction("-loss", "acc")).toBeUndefined();
});
