import { expect, it } from "vitest";

const sources = import.meta.glob<string>(["../**/*.{ts,tsx}", "!../**/*.test.*"], {
  query: "?raw",
  import: "default",
  eager: true,
});

it("no two facts share a key of the address", () => {
  const keys = Object.values(sources).flatMap((text) =>
    [...text.matchAll(/\burlSignal(?:<[^(]*>)?\(\s*"(\w+)"/g)].map(([, key]) => key),
  );
  expect(keys.length).toBeGreaterThan(30);
  expect(keys.filter((key, i) => keys.indexOf(key) !== i)).toEqual([]);
});
