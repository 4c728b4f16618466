import { afterEach, describe, expect, it, vi } from "vitest";
import { mergePatch } from "./board";
import { isPattern, naturally, pattern } from "./order";
import { decoded, numberCodec, panel, setCodec, syncAddress, urlSignal } from "./url";

describe("mergePatch", () => {
  it("is RFC 7396", () => {
    expect(mergePatch({ a: { b: 1, c: 2 }, d: [1] }, { a: { b: null, e: { f: 3 } }, d: [2] })).toEqual({
      a: { c: 2, e: { f: 3 } },
      d: [2],
    });
  });
});

describe("patterns", () => {
  it("takes what is not a regular expression as text", () => {
    expect(pattern("")).toBeNull();
    expect(pattern("LOSS$")?.test("val/loss")).toBe(true);
    expect(pattern("a(")?.test("f(a(b")).toBe(true);
    expect([isPattern("a("), isPattern("a.*")]).toEqual([false, true]);
  });

  it("orders numbers in names by value, also decimals", () => {
    const names = ["r10", "r2", "lr=0.1/b", "lr=0.001/b", "lr=1e-4/b", "lr=0.01/b", "lr=0.1/a", "r"];
    expect(names.sort(naturally)).toEqual([
      "lr=1e-4/b",
      "lr=0.001/b",
      "lr=0.01/b",
      "lr=0.1/a",
      "lr=0.1/b",
      "r",
      "r2",
      "r10",
    ]);
  });
});

describe("the address", () => {
  afterEach(() => vi.useRealTimers());

  it("may be malformed", () => {
    expect([decoded("a%2Cb"), decoded("%E0"), decoded("50%")]).toEqual(["a,b", "%E0", "50%"]);
    expect(setCodec.parse("a%2Cb,%E0")).toEqual(new Set(["a,b", "%E0"]));
    syncAddress();
    location.hash = "#%E0%A4?chosen=%25E0";
    window.dispatchEvent(new Event("popstate"));
    expect(panel.value).toBe("%E0%A4");
  });

  it("holds what differs from the default, and keys of panels that are not loaded yet", () => {
    vi.useFakeTimers();
    location.hash = "#scalars?later=7&weight=0.9&bad=x";
    const weight = urlSignal("weight", 0.6, numberCodec(0, 1));
    const chosen = urlSignal<ReadonlySet<string>>("chosen", new Set(), setCodec);
    const bad = urlSignal("bad", 3, numberCodec(0, 9));
    expect([weight.value, bad.value]).toEqual([0.9, 3]);
    syncAddress();
    panel.value = "scalars";
    weight.value = 0.6;
    chosen.value = new Set(["a,b", "c&d"]);
    vi.advanceTimersByTime(200);
    const query = new URLSearchParams(location.hash.split("?")[1]);
    expect([query.get("weight"), query.get("later"), query.get("bad")]).toEqual([null, "7", null]);
    expect(setCodec.parse(query.get("chosen")!)).toEqual(new Set(["a,b", "c&d"]));
  });
});
