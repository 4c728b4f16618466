import { expect, it } from "vitest";
import { ExportSource } from "./export";

/** One series, a\ntag, steps 0 to 4 with values of ten times the step. */
function data(): string {
  const head = { run: "a", tag: "t", length: 5, total: 5, window_total: 5, is_raw: true, start_time: 100 };
  const text = JSON.stringify({ series: [head] });
  const bytes = new TextEncoder().encode(text.padEnd(Math.ceil(text.length / 8) * 8));
  const columns = Float64Array.from([0, 1, 2, 3, 4, 100, 101, 102, 103, 104, 0, 10, 20, 30, 40]);
  const all = new Uint8Array(8 + bytes.length + columns.byteLength);
  all.set(new TextEncoder().encode("TFC1"));
  new DataView(all.buffer).setUint32(4, bytes.length, true);
  all.set(bytes, 8);
  all.set(new Uint8Array(columns.buffer), 8 + bytes.length);
  return btoa(String.fromCharCode(...all));
}

const source = new ExportSource({
  answers: { "api/v1/info": { version: "1" } },
  blobs: { x: "data:," },
  series: data(),
});

it("cuts windows with a point on either side, as the server does", async () => {
  const [one] = await source.series({
    series: [{ run: "a", tag: "t" }],
    axis: "relative",
    min: 1.5,
    max: 2.5,
  });
  expect([...one.steps]).toEqual([1, 2, 3]);
  expect(one.head.window_total).toBe(1);
  const [all] = await source.series({ series: [{ run: "a", tag: "t" }], smoothing: 0.5 });
  expect(all.head.length).toBe(5);
  expect(all.smoothed?.[4]).toBeCloseTo((0 * 1 + 10 * 2 + 20 * 4 + 30 * 8 + 40 * 16) / 31);
});

it("says what it does not have", async () => {
  const [gone] = await source.series({ series: [{ run: "b", tag: "t" }] });
  expect(gone.head.missing).toBe(true);
  await expect(source.get("api/v1/other")).rejects.toThrow("The exported page does not hold api/v1/other.");
  await expect(source.patchSettings()).rejects.toThrow("cannot be changed");
  expect(await source.get("api/v1/info")).toEqual({ version: "1" });
  expect([source.blobUrl("x"), source.blobUrl("y")]).toEqual(["data:,", ""]);
});
