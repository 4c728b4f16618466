import { expect, it } from "vitest";
import type { Tag } from "../../state/tags";
import { inOrder } from "./tags";

it("puts pictures before weights and strips of biases last", () => {
  const tags = [
    "dense/bias_0/image",
    "dense/kernel_0/image",
    "model/norm/gamma/image",
    "samples/image",
    "guesses",
  ];
  const entries = new Map(tags.map((tag) => [tag, { tag } as Tag]));
  expect([...inOrder(entries).keys()]).toEqual([
    "samples/image",
    "guesses",
    "dense/kernel_0/image",
    "dense/bias_0/image",
    "model/norm/gamma/image",
  ]);
});
