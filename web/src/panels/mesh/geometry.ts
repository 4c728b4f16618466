/** What was logged as a mesh, made ready to be drawn. */

import type { Bounds } from "./camera";

/** More would take seconds to fetch and draw. */
export const MOST_POINTS = 1_000_000;
export const MOST_TRIANGLES = 2_000_000;

export interface Geometry {
  positions: Float32Array;
  /** Three bytes a point; null where none were logged, or not one for each point. */
  colors: Uint8Array | null;
  /** Three points a triangle; null for a cloud. */
  triangles: Uint32Array | null;
  normals: Float32Array | null;
  bounds: Bounds;
  pointTotal: number;
  triangleTotal: number;
  /** Triangles of points that there are none of. */
  dropped: number;
}

/** Takes buffers as the server sends them: float32, int32 and uint8, three numbers each. */
export function makeGeometry(
  vertices: ArrayBuffer,
  faces: ArrayBuffer | null,
  colors: ArrayBuffer | null,
): Geometry {
  const whole = new Float32Array(vertices, 0, Math.floor(vertices.byteLength / 12) * 3);
  const pointTotal = whole.length / 3;
  const bytes = colors && colors.byteLength >= whole.length ? new Uint8Array(colors, 0, whole.length) : null;
  if (!faces || faces.byteLength < 12) {
    const every = Math.ceil(pointTotal / MOST_POINTS) || 1;
    const positions = thinned(whole, every, (count) => new Float32Array(count));
    const kept = bytes && thinned(bytes, every, (count) => new Uint8Array(count));
    const rest = { triangles: null, normals: null, pointTotal, triangleTotal: 0, dropped: 0 };
    return { positions, colors: kept, bounds: boundsOf(positions), ...rest };
  }
  const all = new Uint32Array(faces, 0, Math.floor(faces.byteLength / 12) * 3);
  const triangleTotal = all.length / 3;
  const { triangles, dropped } = sound(all.subarray(0, 3 * MOST_TRIANGLES), pointTotal);
  return {
    positions: whole,
    colors: bytes,
    triangles,
    normals: normalsOf(whole, triangles),
    bounds: boundsOf(whole),
    pointTotal,
    triangleTotal,
    dropped,
  };
}

/** Every so many-eth point. */
function thinned<T extends Float32Array | Uint8Array>(all: T, every: number, make: (count: number) => T): T {
  if (every === 1) return all;
  const count = Math.floor(all.length / 3 / every);
  const kept = make(3 * count);
  for (let i = 0; i < count; i++) for (let k = 0; k < 3; k++) kept[3 * i + k] = all[3 * i * every + k];
  return kept;
}

/** The triangles whose points exist; negative numbers are very large ones here. */
function sound(triangles: Uint32Array, points: number): { triangles: Uint32Array; dropped: number } {
  const kept = new Uint32Array(triangles.length);
  let count = 0;
  for (let i = 0; i < triangles.length; i += 3) {
    const [a, b, c] = [triangles[i], triangles[i + 1], triangles[i + 2]];
    if (a >= points || b >= points || c >= points) continue;
    kept[count++] = a;
    kept[count++] = b;
    kept[count++] = c;
  }
  return { triangles: kept.subarray(0, count), dropped: (triangles.length - count) / 3 };
}

/** The middle of the box around all finite points, and how far the furthest is from it. */
export function boundsOf(positions: Float32Array): Bounds {
  const least = [Infinity, Infinity, Infinity];
  const most = [-Infinity, -Infinity, -Infinity];
  for (let i = 0; i < positions.length; i++) {
    const value = positions[i];
    const axis = i % 3;
    if (!Number.isFinite(value)) continue;
    if (value < least[axis]) least[axis] = value;
    if (value > most[axis]) most[axis] = value;
  }
  if (least.some((value, i) => value > most[i])) return { center: [0, 0, 0], radius: 1 };
  const [x, y, z] = least.map((value, i) => value / 2 + most[i] / 2);
  let furthest = 0;
  for (let i = 0; i < positions.length; i += 3) {
    const away = (positions[i] - x) ** 2 + (positions[i + 1] - y) ** 2 + (positions[i + 2] - z) ** 2;
    if (away > furthest && away < Infinity) furthest = away;
  }
  return { center: [x, y, z], radius: Math.sqrt(furthest) || 1 };
}

/** Of each point, the mean of its triangles', the larger ones counting more. */
function normalsOf(positions: Float32Array, triangles: Uint32Array): Float32Array {
  const normals = new Float32Array(positions.length);
  for (let i = 0; i < triangles.length; i += 3) {
    const [a, b, c] = [3 * triangles[i], 3 * triangles[i + 1], 3 * triangles[i + 2]];
    const [x, y, z] = [positions[a], positions[a + 1], positions[a + 2]];
    const [bx, by, bz] = [positions[b] - x, positions[b + 1] - y, positions[b + 2] - z];
    const [cx, cy, cz] = [positions[c] - x, positions[c + 1] - y, positions[c + 2] - z];
    const [nx, ny, nz] = [by * cz - bz * cy, bz * cx - bx * cz, bx * cy - by * cx];
    for (const at of [a, b, c]) {
      normals[at] += nx;
      normals[at + 1] += ny;
      normals[at + 2] += nz;
    }
  }
  return normals;
}

/** The sides of triangles, as pairs of points. */
export function edgesOf(triangles: Uint32Array): Uint32Array {
  const edges = new Uint32Array(2 * triangles.length);
  for (let i = 0; i < triangles.length; i += 3) {
    const [a, b, c] = [triangles[i], triangles[i + 1], triangles[i + 2]];
    edges.set([a, b, b, c, c, a], 2 * i);
  }
  return edges;
}

/** A PLY file, which every 3D program opens. */
export function toPly({ positions, colors, triangles }: Geometry): Blob {
  const points = positions.length / 3;
  const faces = (triangles?.length ?? 0) / 3;
  const head = [
    "ply",
    "format binary_little_endian 1.0",
    `element vertex ${points}`,
    ...["x", "y", "z"].map((name) => `property float ${name}`),
    ...(colors ? ["red", "green", "blue"].map((name) => `property uchar ${name}`) : []),
    ...(faces ? [`element face ${faces}`, "property list uchar int vertex_indices"] : []),
    "end_header\n",
  ].join("\n");
  const size = colors ? 15 : 12;
  const data = new DataView(new ArrayBuffer(points * size + faces * 13));
  for (let i = 0; i < points; i++) {
    for (let k = 0; k < 3; k++) {
      data.setFloat32(i * size + 4 * k, positions[3 * i + k], true);
      if (colors) data.setUint8(i * size + 12 + k, colors[3 * i + k]);
    }
  }
  for (let i = 0; i < faces; i++) {
    const at = points * size + 13 * i;
    data.setUint8(at, 3);
    for (let k = 0; k < 3; k++) data.setUint32(at + 1 + 4 * k, triangles![3 * i + k], true);
  }
  return new Blob([head, data.buffer], { type: "application/octet-stream" });
}
