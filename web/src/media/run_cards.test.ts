import { describe, expect, it } from "vitest";
import type { Run } from "../api/schema";
import type { Tag } from "../state/tags";
import { joined, runCard } from "./run_cards";

function section(tag: string, ...runs: string[]) {
  const entry = { tag, display_name: "" } as Tag;
  return { id: tag, title: tag, cards: runs.map((id) => runCard(entry, { id } as Run)) };
}

function show(sections: ReturnType<typeof joined>): string[] {
  return sections.map(
    ({ title, cards }) =>
      `${title}: ${cards.map((card) => (card.isTitled ? card.tag : card.run.id)).join(", ")}`,
  );
}

describe("sections of tags", () => {
  it("are one for a prefix if one run each has logged them", () => {
    const all = [section("a/x", "r"), section("b", "r"), section("a/y", "s"), section("a/z")];
    expect(show(joined(all))).toEqual(["a: a/x, a/y", "b: r"]);
  });

  it("are one each, in their order, where runs are compared", () => {
    const all = [section("a/x", "r", "s"), section("b", "r"), section("a/y", "r")];
    expect(show(joined(all))).toEqual(["a/x: r, s", "b: r", "a/y: r"]);
  });

  it("have a name where tags have no prefix", () => {
    expect(show(joined([section("a", "r"), section("b", "r")]))).toEqual(["Other tags: a, b"]);
  });
});
