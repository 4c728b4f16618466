import { describe, expect, it } from "vitest";
import { moved, projected, START, turned, zoomed } from "./camera";
import { boundsOf, edgesOf, makeGeometry, toPly } from "./geometry";

const TETRAHEDRON = Float32Array.of(0, 0, 0, 2, 0, 0, 0, 2, 0, 0, 0, 2);
const FACES = Int32Array.of(0, 1, 2, 0, 1, 3, 0, 2, 3, 1, 2, 3);

/** Where a point is in the view: x and y from -1 to 1, and whether it is in front of the viewer. */
function seen(matrix: Float32Array, point: readonly number[]): number[] {
  const row = (k: number) =>
    matrix[k] * point[0] + matrix[4 + k] * point[1] + matrix[8 + k] * point[2] + matrix[12 + k];
  return [0, 1, 2].map((k) => row(k) / row(3));
}

describe("camera", () => {
  const bounds = { center: [5, 5, 5], radius: 2 } as const;

  it("has all of a mesh in view, from every side and in every shape of view", () => {
    for (const aspect of [0.5, 1, 2]) {
      for (const yaw of [0, 1, 2, 4]) {
        const { matrix } = projected({ ...START, yaw }, bounds, aspect);
        expect(
          seen(matrix, bounds.center)
            .slice(0, 2)
            .map((one) => Math.abs(one) < 1e-5),
        ).toEqual([true, true]);
        for (const corner of [
          [7, 5, 5],
          [5, 3, 5],
          [5, 5, 7],
          [3, 5, 5],
        ]) {
          for (const place of seen(matrix, corner)) expect(Math.abs(place)).toBeLessThanOrEqual(1.0001);
        }
      }
    }
  });

  it("turns, zooms and moves the way the hand goes", () => {
    const front = { ...START, yaw: 0, pitch: 0 };
    const right = [bounds.center[0] + 1, bounds.center[1], bounds.center[2]];
    const x = (camera: typeof front) => seen(projected(camera, bounds, 1).matrix, right)[0];
    expect(x(front)).toBeGreaterThan(0);
    expect(x(zoomed(front, 2))).toBeGreaterThan(1.9 * x(front));
    // A quarter to the right, and what was at the right is behind the middle.
    expect(x(turned(front, Math.PI / 2, 0))).toBeCloseTo(0);
    const shifted = seen(projected(moved(front, 0.25, 0), bounds, 1).matrix, bounds.center);
    expect(shifted[0]).toBeCloseTo(0.5);
    expect(turned(front, 0, 9).pitch).toBeLessThan(Math.PI / 2);
    expect([zoomed(front, 1e9).zoom, zoomed(front, 1e-9).zoom]).toEqual([200, 0.05]);
  });
});

describe("geometry", () => {
  it("has a middle, normals and edges", () => {
    const made = makeGeometry(TETRAHEDRON.buffer, FACES.buffer, null);
    expect(made.bounds.center).toEqual([1, 1, 1]);
    expect(made.triangles).toHaveLength(12);
    expect([made.normals![0], made.normals![1], made.normals![2]]).not.toEqual([0, 0, 0]);
    expect([...edgesOf(Uint32Array.of(0, 1, 2))]).toEqual([0, 1, 1, 2, 2, 0]);
  });

  it("takes nothing of a file on trust", () => {
    const faces = Int32Array.of(0, 1, 2, 0, 1, 99, -1, 0, 1);
    const made = makeGeometry(TETRAHEDRON.buffer, faces.buffer, new ArrayBuffer(5));
    expect([made.triangles!.length, made.dropped, made.colors]).toEqual([3, 2, null]);
    expect(boundsOf(Float32Array.of(Number.NaN, 0, 1, Infinity, 0, 1))).toEqual({
      center: [0, 0, 0],
      radius: 1,
    });
    expect(makeGeometry(new ArrayBuffer(7), null, null).pointTotal).toBe(0);
    expect(makeGeometry(TETRAHEDRON.buffer, new ArrayBuffer(3), null).triangles).toBeNull();
  });

  it("thins a cloud that is too large to be drawn", () => {
    const made = makeGeometry(new ArrayBuffer(12 * 2_500_000), null, new ArrayBuffer(3 * 2_500_000));
    expect(made.pointTotal).toBe(2_500_000);
    expect(made.positions.length / 3).toBe(833_333);
    expect(made.colors!.length).toBe(made.positions.length);
  });

  it("is saved as PLY", async () => {
    const colors = Uint8Array.from({ length: 12 }, (_, i) => i);
    const blob = toPly(makeGeometry(TETRAHEDRON.buffer, FACES.buffer, colors.buffer));
    const bytes = new Uint8Array(await blob.arrayBuffer());
    const text = new TextDecoder().decode(bytes);
    const head = text.slice(0, text.indexOf("end_header\n") + 11);
    expect(head).toContain("element vertex 4\n");
    expect(head).toContain("element face 4\n");
    expect(bytes.length - head.length).toBe(4 * 15 + 4 * 13);
  });
});
