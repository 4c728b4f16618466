import { afterEach, expect, it, vi } from "vitest";
import { source } from "../api/source";
import { allItems } from "./items";

afterEach(() => vi.restoreAllMocks());

function answers(total: number, most: number) {
  return vi.spyOn(source, "get").mockImplementation(async (path) => {
    const start = Number(new URLSearchParams(path.split("?")[1]).get("start"));
    const items = Array.from({ length: Math.max(0, Math.min(most, total - start)) }, (_, i) => ({
      step: start + i,
    }));
    return { total, items };
  });
}

it("asks for further steps until it has every one", async () => {
  const get = answers(25, 10);
  const items = await allItems("images", "r", "a&b");
  expect(items.map(({ step }) => step)).toEqual(Array.from({ length: 25 }, (_, i) => i));
  expect(get.mock.calls.map(([path]) => path)).toEqual([
    "api/v1/images/items?run=r&tag=a%26b",
    "api/v1/images/items?run=r&tag=a%26b&start=10",
    "api/v1/images/items?run=r&tag=a%26b&start=20",
  ]);
});

it("ends when there are fewer than there were", async () => {
  vi.spyOn(source, "get").mockImplementation(async (path) =>
    path.includes("start") ? { total: 0, items: [] } : { total: 5, items: [{ step: 0 }] },
  );
  expect(await allItems("text", "r", "t")).toHaveLength(1);
});

it("takes a saved page's choice of steps for all", async () => {
  const get = answers(25, 10);
  vi.spyOn(source, "isLive", "get").mockReturnValue(false);
  expect(await allItems("images", "r", "t")).toHaveLength(10);
  expect(get).toHaveBeenCalledOnce();
});
