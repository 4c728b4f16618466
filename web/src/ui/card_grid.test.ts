import { expect, it } from "vitest";
import { layoutOf } from "./card_grid";

it.each([
  [9, 4, 2, { columns: 4, wider: 1, higher: 1 }],
  [3, 4, 2, { columns: 3, wider: 4 / 3, higher: 4 / 3 }],
  [1, 4, 2, { columns: 1, wider: 2, higher: 1.5 }],
  [1, 1, 2, { columns: 1, wider: 1, higher: 1 }],
  [1, 4, 1, { columns: 4, wider: 1, higher: 1 }],
])("%i cards where %i fit in a row, stretched up to %i times", (count, perRow, stretch, box) => {
  expect(layoutOf(count, perRow, stretch)).toEqual(box);
});
