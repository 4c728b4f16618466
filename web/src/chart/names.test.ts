import { describe, expect, it } from "vitest";
import { fittedName, keptLetters, lastLetters, nameElement, nameParts, sharedFolder } from "./names";

describe("nameParts", () => {
  it("keeps the end of a long name", () => {
    expect(nameParts("resnet50-cifar10-lr=0.01-seed=3")).toEqual(["resnet50-cifar10-lr", "=0.01-seed=3"]);
    expect(nameParts("resnet50-cifar10-lr=0.01-seed=3", 6)).toEqual(["resnet50-cifar10-lr=0.01-", "seed=3"]);
    expect(nameParts("train")).toEqual(["train", ""]);
  });

  it("cuts between letters, not inside of one", () => {
    expect(nameParts(`${"😀".repeat(12)}${"b".repeat(12)}`)[0]).toBe("😀".repeat(12));
  });
});

describe("keptLetters", () => {
  it("are those after the words that all names begin with", () => {
    const names = ["resnet-wide-lr=0.01-seed=1", "resnet-wide-lr=0.03-seed=2"];
    expect(keptLetters(names)).toEqual(["lr=0.01-seed=1".length, "lr=0.03-seed=2".length]);
  });

  it("are as many as usual where names are not alike, or there is one", () => {
    expect(keptLetters(["a-long-name-of-a-run", "b"])).toEqual([12, 12]);
    expect(keptLetters(["a-long-name-of-a-run"])).toEqual([12]);
  });
});

it("is told without the folders all names are in", () => {
  expect(sharedFolder(["a/search/trial 1", "a/search/trial 2/x"])).toBe("a/search/");
  expect(sharedFolder(["trial 1", "trial 2"])).toBe("");
  expect(sharedFolder(["a/b"])).toBe("");
});

it("is all there in the page", () => {
  expect(nameElement("resnet50-cifar10-lr=0.01-seed=3").textContent).toBe("resnet50-cifar10-lr=0.01-seed=3");
  expect(nameElement("train").children.length).toBe(1);
});

it("is cut in its middle on a canvas", () => {
  const context = { font: "x", measureText: (text: string) => ({ width: 10 * text.length }) };
  const fitted = (name: string, width: number) =>
    fittedName(context as unknown as CanvasRenderingContext2D, name, width);
  expect(fitted("class number 968", 90)).toBe("clas… 968");
  expect(fitted("six", 90)).toBe("six");
  expect(fitted("y".repeat(1000), 50)).toBe("yy…yy");
});

it("keeps the last part of a path", () => {
  expect(lastLetters("search/trial 01")).toBe(8);
  expect(nameParts("search/trial 01", 8, 2)).toEqual(["search/", "trial 01"]);
  expect(nameParts("a/trial 01", 8, 2)).toEqual(["a/trial 01", ""]);
});
