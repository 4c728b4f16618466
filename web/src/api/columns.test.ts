import { describe, expect, it } from "vitest";
import { decodeColumns, fromBase64, unpackSmall } from "./columns";

/** A message in columns as the server writes it. */
function message(series: { run: string; tag: string; points: [number, number, number][] }[]): ArrayBuffer {
  const heads = series.map(({ run, tag, points }) => ({
    run,
    tag,
    length: points.length,
    total: points.length,
  }));
  const text = JSON.stringify({ series: heads });
  const head = new TextEncoder().encode(text.padEnd(Math.ceil(text.length / 8) * 8));
  const columns = series.flatMap(({ points }) =>
    [0, 1, 2].flatMap((column) => points.map((point) => point[column])),
  );
  const bytes = new Uint8Array(8 + head.length + 8 * columns.length);
  bytes.set(new TextEncoder().encode("TFC1"));
  new DataView(bytes.buffer).setUint32(4, head.length, true);
  bytes.set(head, 8);
  bytes.set(new Uint8Array(Float64Array.from(columns).buffer), 8 + head.length);
  return bytes.buffer;
}

describe("decodeColumns", () => {
  it("gives the columns of every series, NaN and infinities themselves", () => {
    const [a, b] = decodeColumns(
      message([
        {
          run: "a",
          tag: "loss",
          points: [
            [0, 10, 0.5],
            [1, 11, NaN],
          ],
        },
        { run: "b", tag: "loss", points: [[7, 12, -Infinity]] },
      ]),
    );
    expect([...a.steps]).toEqual([0, 1]);
    expect([...a.walls]).toEqual([10, 11]);
    expect([...a.values]).toEqual([0.5, NaN]);
    expect([b.head.run, ...b.steps, ...b.walls, ...b.values]).toEqual(["b", 7, 12, -Infinity]);
  });

  it("refuses what is no such message", () => {
    expect(() => decodeColumns(new TextEncoder().encode("<!doctype html>").buffer)).toThrow(
      "not a message in columns",
    );
    expect(() => decodeColumns(new ArrayBuffer(0))).toThrow("not a message in columns");
  });

  it("reads base64", () => {
    expect([...new Uint8Array(fromBase64("AP8="))]).toEqual([0, 255]);
  });

  it("takes columns in the form they are written in", () => {
    const written = [
      ["f4", 3],
      ["=", 2, 7],
      ["=", 1, null],
      ["f8", 1],
      ["=", 1, 0.1],
    ];
    const text = JSON.stringify({ columns: written });
    const head = new TextEncoder().encode(text.padEnd(Math.ceil(text.length / 8) * 8));
    const bytes = new Uint8Array(8 + head.length + 24);
    bytes.set(new TextEncoder().encode("TFC1"));
    new DataView(bytes.buffer).setUint32(4, head.length, true);
    bytes.set(head, 8);
    bytes.set(new Uint8Array(Float32Array.of(1.5, NaN, 3).buffer), 8 + head.length);
    bytes.set(new Uint8Array(Float64Array.of(0.3).buffer), 24 + head.length);
    const { next } = unpackSmall<{ columns: unknown[][] }>(bytes.buffer);
    expect([next(), next(), next(), next(), next()].map((column) => [...column])).toEqual([
      [1.5, NaN, 3],
      [7, 7],
      [NaN],
      [0.3],
      [0.1],
    ]);
  });
});
