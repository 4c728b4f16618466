import { describe, expect, it } from "vitest";
import { embedding, runTest, viewAt, withoutBase } from "./address";

describe("viewAt", () => {
  it("reads a panel and its settings", () => {
    const view = viewAt("#scalars?card=train%2Floss&smooth=0.8");
    expect(view?.panel).toBe("scalars");
    expect(view?.query.get("card")).toBe("train/loss");
    expect(viewAt("#runs")?.panel).toBe("runs");
  });

  it.each(["https://elsewhere/#scalars", "javascript:alert(1)", "scalars", "#", "#a b", "#<x>"])(
    "is not fooled by %s",
    (address) => expect(viewAt(address)).toBeNull(),
  );
});

it("addresses of the board lose its host", () => {
  const base = "http://127.0.0.1:6006/board/";
  expect(withoutBase(`see\n\n${base}#scalars?card=a\n\n${base}x`, `${base}#reports`)).toBe(
    `see\n\n#scalars?card=a\n\n${base}x`,
  );
});

describe("runTest", () => {
  const test = (address: string) => runTest(viewAt(address)!);

  it("is none where the view names no runs", () => expect(test("#scalars?card=a")).toBeNull());

  it("follows the check boxes", () => {
    expect(test("#scalars?base=none&except=a,b")!("a", ["x"])).toBe(true);
    expect(test("#scalars?base=none&except=a,b")!("c", ["x"])).toBe(false);
    expect(test("#scalars?except=a")!("a", ["x"])).toBe(false);
  });

  it("follows the filter of names", () => {
    expect(test("#scalars?runs=%5Etrial")!("a", ["Trial 1"])).toBe(true);
    expect(test("#scalars?runs=%5Etrial")!("a", ["cnn", "other"])).toBe(false);
    expect(test("#scalars?runs=(")!("a", ["cnn"])).toBe(true);
  });
});

it("what is inserted is read again", () => {
  const made = embedding("loss [all]", "scalars", { card: "a|b (c)" });
  expect(made).toBe("![loss \\[all\\]](#scalars?card=a%7Cb+%28c%29)");
  const [, address] = /\((.*)\)$/.exec(made)!;
  expect(viewAt(address)?.query.get("card")).toBe("a|b (c)");
});
