import { expect, it } from "vitest";
import { tags } from "../../state/board";
import { Counts, type Tag } from "../../state/tags";
import { textTags } from "./tags";

function entry(tag: string, ...runs: string[]): [string, Tag] {
  const counts = Counts.of(Object.fromEntries(runs.map((run) => [run, 1])));
  return [tag, { tag, display_name: "", description: "", counts }];
}

it("leaves out the texts of tables, run by run", () => {
  tags.value = new Map([
    ["text", new Map([entry("a/text", "one", "two"), entry("b/text", "one"), entry("c/text", "one")])],
    ["tables", new Map([entry("a", "one"), entry("b", "one"), entry("c/text", "one")])],
  ]);
  expect([...textTags.value].map(([tag, { counts }]) => [tag, [...counts.runs()]])).toEqual([
    ["a/text", ["two"]],
    ["c/text", ["one"]],
  ]);
});
