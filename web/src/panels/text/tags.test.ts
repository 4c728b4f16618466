import { expect, it } from "vitest";
import type { TagEntry } from "../../api/schema";
import { tags } from "../../state/board";
import { textTags } from "./tags";

function entry(tag: string, ...runs: string[]): [string, TagEntry] {
  const counts = Object.fromEntries(runs.map((run) => [run, 1]));
  return [tag, { tag, display_name: "", description: "", counts, last_steps: counts }];
}

it("leaves out the texts of tables, run by run", () => {
  tags.value = new Map([
    ["text", new Map([entry("a/text", "one", "two"), entry("b/text", "one"), entry("c/text", "one")])],
    ["tables", new Map([entry("a", "one"), entry("b", "one"), entry("c/text", "one")])],
  ]);
  expect([...textTags.value].map(([tag, { counts }]) => [tag, Object.keys(counts)])).toEqual([
    ["a/text", ["two"]],
    ["c/text", ["one"]],
  ]);
});
