import { describe, expect, it } from "vitest";
import type { Columns } from "../../api/columns";
import { makeCards, sections } from "./cards";
import { Series } from "./series";

describe("cards", () => {
  it("overlays train and validation of one measure, however they are spelled", () => {
    const tags = [
      "train/loss",
      "val/loss",
      "Loss/train",
      "Loss/test",
      "train_acc",
      "val_acc",
      "test_only",
      "epoch_loss",
    ];
    const cards = makeCards(tags, [], true);
    const pairs = cards.filter((card) => card.tags.length === 2);
    expect(pairs.map((card) => [card.title, card.section, [...card.validation]])).toEqual([
      ["acc", "", ["val_acc"]],
      ["loss", "", ["val/loss"]],
      ["Loss", "Loss", ["Loss/test"]],
    ]);
    expect(cards.filter((card) => card.tags.length === 1).map((card) => card.title)).toEqual([
      "epoch_loss",
      "test_only",
    ]);
    expect(makeCards(tags, [], false)).toHaveLength(tags.length);
  });

  it("combines chosen tags and keeps their own cards", () => {
    const cards = makeCards(
      ["a/x", "a/y", "b"],
      [
        ["a/x", "a/y"],
        ["gone", "b"],
      ],
      true,
    );
    expect(cards.map((card) => card.id)).toEqual(["a/x|a/y", "a/x", "a/y", "b"]);
    expect(cards[0]).toMatchObject({ isCombined: true, section: "a" });
  });

  it("sorts sections naturally, pinned cards first", () => {
    const found = sections(makeCards(["b/1", "a10/x", "a2/x", "top"], [], true), ["b/1"]);
    expect(found.map((section) => [section.id, section.cards.length])).toEqual([
      ["*pinned", 1],
      ["", 1],
      ["a2", 1],
      ["a10", 1],
    ]);
  });
});

function columns(steps: number[], total: number, more: object = {}): Columns {
  const head = {
    run: "r",
    tag: "t",
    length: steps.length,
    window_total: steps.length,
    total,
    is_raw: true,
    missing: false,
    cursor: String(total),
    start_time: 100,
    is_reset: false,
    has_smoothed: false,
    ...more,
  };
  const column = Float64Array.from(steps);
  return {
    smoothed: null,
    head,
    steps: column,
    walls: column.map((step) => step + 100),
    values: column.map((step) => step * 2),
  };
}

describe("Series", () => {
  it("appends, and measures relative time from the start of the run", () => {
    const series = new Series(columns([0, 1], 2), 400, 0);
    expect(series.append(columns([2, 3], 4), "step")).toBe(true);
    expect([...series.steps]).toEqual([0, 1, 2, 3]);
    expect([...series.values]).toEqual([0, 2, 4, 6]);
    expect([...series.x("relative")]).toEqual([0, 1, 2, 3]);
    expect(series.cursor).toBe("4");
  });

  it("drops points that came twice", () => {
    const series = new Series(columns([0, 1, 2], 3), 400, 0);
    expect(series.append(columns([1, 2, 3], 4), "step")).toBe(true);
    expect([...series.steps]).toEqual([0, 1, 2, 3]);
    expect(series.append(columns([3], 4), "step")).toBe(true);
    expect(series.size).toBe(4);
  });

  it("takes the server's average, and goes on from it", () => {
    const cut = {
      ...columns([0, 9], 10, { is_raw: false, has_smoothed: true }),
      smoothed: Float64Array.of(0, 15),
    };
    const series = new Series(cut, 400, 0.5);
    expect([...series.smoothed(0.5)]).toEqual([0, 15]);
    series.append(columns([10], 11), "step");
    expect([...series.smoothed(0.5)]).toEqual([0, 15, 17.5]);
    // Of another strength it has none yet: the page smooths what it has.
    expect([...series.smoothed(0)]).toEqual([0, 18, 20]);
  });

  it("asks again after a gap, a restart or a cut message", () => {
    expect(new Series(columns([0], 1), 400, 0).append(columns([5], 9), "step")).toBe(false);
    expect(new Series(columns([7], 1), 400, 0).append(columns([3], 2), "step")).toBe(false);
    expect(new Series(columns([0], 1), 400, 0).append(columns([5], 2, { is_raw: false }), "step")).toBe(
      false,
    );
  });
});
