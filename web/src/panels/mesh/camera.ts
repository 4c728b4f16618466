/** Where a mesh is seen from: a place on a sphere around a point, both in units of the mesh's own size. */

export interface Camera {
  /** Radians to the right and up. */
  yaw: number;
  pitch: number;
  /** How much closer than all in view. */
  zoom: number;
  /** What is in the middle, from the centre of the mesh, in units of its radius. */
  target: readonly [number, number, number];
}

export interface Bounds {
  center: readonly [number, number, number];
  radius: number;
}

export type Matrix = Float32Array; // 4 by 4, column after column
type Vector = readonly [number, number, number];

export const START: Camera = { yaw: 0.5, pitch: 0.35, zoom: 1, target: [0, 0, 0] };

const FIELD = Math.PI / 4;
const STEEPEST = Math.PI / 2 - 0.001;
/** How far from the centre something may be, in units of the radius: at other steps a mesh may be larger. */
const MARGIN = 4;
const ROOM = 1.08;
const CLOSEST = 200;
const FURTHEST = 0.05;

export function turned(camera: Camera, right: number, up: number): Camera {
  const pitch = Math.max(-STEEPEST, Math.min(STEEPEST, camera.pitch + up));
  return { ...camera, yaw: (camera.yaw + right) % (2 * Math.PI), pitch };
}

export function zoomed(camera: Camera, factor: number): Camera {
  return { ...camera, zoom: Math.max(FURTHEST, Math.min(CLOSEST, camera.zoom * factor)) };
}

/** Moves what is seen by shares of the view's height. */
export function moved(camera: Camera, right: number, up: number): Camera {
  const [x, y] = axes(camera);
  const size = 2 * distance(camera) * Math.tan(FIELD / 2);
  const [dx, dy] = [-right * size, -up * size];
  const target = camera.target.map((value, i) => value + dx * x[i] + dy * y[i]);
  return { ...camera, target: [target[0], target[1], target[2]] };
}

/** From the middle, in units of the radius: so far that a sphere around the mesh is in view, with room around it. */
function distance(camera: Camera): number {
  return ROOM / Math.sin(FIELD / 2) / camera.zoom;
}

/** The directions to the right, up, and towards the viewer. */
function axes({ yaw, pitch }: Camera): [x: Vector, y: Vector, z: Vector] {
  const [sin, cos] = [Math.sin(yaw), Math.cos(yaw)];
  const [up, flat] = [Math.sin(pitch), Math.cos(pitch)];
  return [
    [cos, 0, -sin],
    [-sin * up, flat, -cos * up],
    [sin * flat, up, cos * flat],
  ];
}

/** From the coordinates of a mesh to those of the view, and where the light comes from: over the viewer's shoulder. */
export function projected(camera: Camera, bounds: Bounds, aspect: number): { matrix: Matrix; light: Vector } {
  const [x, y, z] = axes(camera);
  const far = distance(camera);
  const { center, radius } = bounds;
  const eye = center.map((value, i) => value + radius * (camera.target[i] + far * z[i]));
  // A view narrower than it is high shows all from side to side.
  const scale = Math.min(1, aspect) / Math.tan(FIELD / 2);
  const reach = MARGIN + Math.hypot(...camera.target);
  const [near, end] = [radius * Math.max(far / 1000, far - reach), radius * (far + reach)];
  const rows = [x, y, z].map((axis) => [...axis, -dot(axis, eye)]);
  const matrix = new Float32Array(16);
  for (let column = 0; column < 4; column++) {
    matrix[4 * column] = (scale / aspect) * rows[0][column];
    matrix[4 * column + 1] = scale * rows[1][column];
    matrix[4 * column + 2] = (-(end + near) / (end - near)) * rows[2][column];
    matrix[4 * column + 3] = -rows[2][column];
  }
  matrix[14] -= (2 * end * near) / (end - near);
  const [a, b, c] = z.map((value, i) => value + 0.35 * y[i] - 0.25 * x[i]);
  const length = Math.hypot(a, b, c);
  return { matrix, light: [a / length, b / length, c / length] };
}

function dot(a: readonly number[], b: readonly number[]): number {
  return a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
}
