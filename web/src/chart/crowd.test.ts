import { expect, it, vi } from "vitest";
import { Crowd } from "./crowd";
import type { Line } from "./line";

/** A frame after the other, as the browser draws them. */
async function frames(count: number): Promise<void> {
  for (let i = 0; i < count; i++) await new Promise((next) => requestAnimationFrame(next));
}

it("draws every line once, and keeps the picture before until the next one is whole", async () => {
  vi.spyOn(HTMLCanvasElement.prototype, "getContext").mockReturnValue({} as never);
  const lines = Array.from({ length: 1000 }, (_, i) => ({ id: String(i) }) as Line);
  const drawn: string[] = [];
  const calls: number[] = [];
  const draw = (_: unknown, some: readonly Line[]) => {
    calls.push(some.length);
    drawn.push(...some.map(({ id }) => id));
  };
  let isDone = 0;
  const crowd = new Crowd(() => isDone++);
  expect(crowd.picture(lines, "a", 10, 10, draw)).toBeNull();
  await frames(8);
  expect(isDone).toBe(1);
  expect(drawn).toEqual(lines.map(({ id }) => id));
  expect(Math.max(...calls)).toBeLessThan(lines.length);
  const first = crowd.picture(lines, "a", 10, 10, draw);
  expect(first).not.toBeNull();
  expect(crowd.picture(lines, "b", 20, 10, draw)).toBe(first);
  await frames(8);
  expect(isDone).toBe(2);
  expect(crowd.picture(lines, "b", 20, 10, draw)).not.toBe(first);
  expect(first?.width).toBe(10);
  crowd.picture(lines, "c", 20, 10, draw);
  crowd.picture(lines, "d", 20, 10, draw);
  await frames(8);
  expect(isDone).toBe(3);
  crowd.picture(lines, "e", 20, 10, draw);
  crowd.stop();
  await frames(3);
  expect(isDone).toBe(3);
});
