/** From where the points are seen, as a matrix, and where each of them is on the screen. */

export interface Camera {
  /** Turns around the upright axis and above the horizon, in radians. */
  yaw: number;
  pitch: number;
  zoom: number;
  /** What is in the middle. */
  x: number;
  y: number;
  z: number;
}

export const START: Camera = { yaw: 0.6, pitch: 0.35, zoom: 1, x: 0, y: 0, z: 0 };

const FIELD = Math.tan((20 * Math.PI) / 180);
const NEAR = 0.05;
const FAR = 60;
const MARGIN = 1.12;
export const MOST_ZOOM = 200;

/** How far the viewer is from the middle. */
export function viewDistance(camera: Camera): number {
  return (MARGIN * 1.1) / FIELD / camera.zoom;
}

/** The camera's own right, up and back, in the space of the points. */
export function axes({ yaw, pitch }: Camera): [right: number[], up: number[], back: number[]] {
  const [sy, cy, sp, cp] = [Math.sin(yaw), Math.cos(yaw), Math.sin(pitch), Math.cos(pitch)];
  return [
    [cy, 0, -sy],
    [-sy * sp, cp, -cy * sp],
    [sy * cp, sp, cy * cp],
  ];
}

/** Column by column, as WebGL wants it. Points in [-1, 1] fill the view at zoom 1. */
export function matrixOf(camera: Camera, is3d: boolean, width: number, height: number): Float32Array {
  const aspect = width / Math.max(height, 1);
  const [wide, tall] = aspect > 1 ? [aspect, 1] : [1, 1 / aspect];
  if (!is3d) {
    const s = camera.zoom / MARGIN;
    const [sx, sy] = [s / wide, s / tall];
    return new Float32Array([sx, 0, 0, 0, 0, sy, 0, 0, 0, 0, 0, 0, -camera.x * sx, -camera.y * sy, 0, 1]);
  }
  const [right, up, back] = axes(camera);
  const away = viewDistance(camera);
  const middle = [camera.x, camera.y, camera.z];
  const along = (axis: number[]) => -(axis[0] * middle[0] + axis[1] * middle[1] + axis[2] * middle[2]);
  const [fx, fy] = [1 / (FIELD * wide), 1 / (FIELD * tall)];
  const a = (FAR + NEAR) / (NEAR - FAR);
  const b = (2 * FAR * NEAR) / (NEAR - FAR);
  const [tx, ty, tz] = [along(right), along(up), along(back) - away];
  const out = new Float32Array(16);
  for (let i = 0; i < 3; i++) out.set([fx * right[i], fy * up[i], a * back[i], -back[i]], 4 * i);
  out.set([fx * tx, fy * ty, a * tz + b, -tz], 12);
  return out;
}

/** The camera after a drag of so many pixels that turns it. */
export function turned(camera: Camera, dx: number, dy: number): Camera {
  const pitch = Math.max(-Math.PI / 2, Math.min(Math.PI / 2, camera.pitch + dy * 0.008));
  return { ...camera, yaw: camera.yaw - dx * 0.008, pitch };
}

/** The camera after a drag of so many pixels that moves what is seen with the pointer. */
export function moved(
  camera: Camera,
  is3d: boolean,
  dx: number,
  dy: number,
  width: number,
  height: number,
): Camera {
  const side = Math.min(width, height) / 2;
  if (!is3d) {
    const unit = MARGIN / camera.zoom / side;
    return { ...camera, x: camera.x - dx * unit, y: camera.y + dy * unit };
  }
  const unit = (FIELD * viewDistance(camera)) / side;
  const [right, up] = axes(camera);
  const shift = (i: number) => -dx * unit * right[i] + dy * unit * up[i];
  return { ...camera, x: camera.x + shift(0), y: camera.y + shift(1), z: camera.z + shift(2) };
}

/** The camera nearer by a factor; in two dimensions what is under the pointer (pixels from the middle) stays there. */
export function zoomed(
  camera: Camera,
  is3d: boolean,
  factor: number,
  fromX: number,
  fromY: number,
  width: number,
  height: number,
): Camera {
  const zoom = Math.max(0.05, Math.min(MOST_ZOOM, camera.zoom * factor));
  if (is3d) return { ...camera, zoom };
  const before = moved(camera, false, -fromX, -fromY, width, height);
  return moved({ ...before, zoom }, false, fromX, fromY, width, height);
}

/** Where points are on the screen, in pixels; `NaN` for those behind the viewer. */
export interface Screen {
  x: Float32Array;
  y: Float32Array;
  /** Smaller is nearer. */
  depth: Float32Array;
}

export function project(
  positions: Float32Array,
  matrix: Float32Array,
  width: number,
  height: number,
): Screen {
  const count = positions.length / 3;
  const screen = {
    x: new Float32Array(count),
    y: new Float32Array(count),
    depth: new Float32Array(count),
  };
  const m = matrix;
  for (let i = 0; i < count; i++) {
    const x = positions[3 * i];
    const y = positions[3 * i + 1];
    const z = positions[3 * i + 2];
    const w = m[3] * x + m[7] * y + m[11] * z + m[15];
    const isBehind = w <= 0;
    screen.x[i] = isBehind ? Number.NaN : ((m[0] * x + m[4] * y + m[8] * z + m[12]) / w + 1) * (width / 2);
    screen.y[i] = isBehind ? Number.NaN : (1 - (m[1] * x + m[5] * y + m[9] * z + m[13]) / w) * (height / 2);
    screen.depth[i] = w;
  }
  return screen;
}

/** The point nearest to a place on the screen, of those within a radius the one in front; -1 if there is none. */
export function nearest(
  screen: Screen,
  x: number,
  y: number,
  radius: number,
  isShown: (index: number) => boolean,
): number {
  let found = -1;
  let best = Number.POSITIVE_INFINITY;
  const limit = radius * radius;
  for (let i = 0; i < screen.x.length; i++) {
    const dx = screen.x[i] - x;
    const dy = screen.y[i] - y;
    const far = dx * dx + dy * dy;
    if (!(far <= limit) || !isShown(i)) continue;
    const score = screen.depth[i] + (far / limit) * 0.2;
    if (score < best) {
      best = score;
      found = i;
    }
  }
  return found;
}

/** The points inside a rectangle on the screen. */
export function inside(
  screen: Screen,
  left: number,
  top: number,
  right: number,
  bottom: number,
  isShown: (index: number) => boolean,
): number[] {
  const found: number[] = [];
  for (let i = 0; i < screen.x.length; i++) {
    if (
      screen.x[i] >= left &&
      screen.x[i] <= right &&
      screen.y[i] >= top &&
      screen.y[i] <= bottom &&
      isShown(i)
    )
      found.push(i);
  }
  return found;
}

/** Columns of a layout as positions around the middle, so large that nearly all lie in [-1, 1]. */
export function normalised(columns: readonly Float32Array[], count: number): Float32Array {
  const out = new Float32Array(3 * count);
  let largest = 0;
  const middles = columns.map((column) => {
    let low = Number.POSITIVE_INFINITY;
    let high = Number.NEGATIVE_INFINITY;
    for (const value of column) {
      if (value < low) low = value;
      if (value > high) high = value;
    }
    if (!(high >= low)) return 0;
    largest = Math.max(largest, (high - low) / 2);
    return (low + high) / 2;
  });
  columns.slice(0, 3).forEach((column, axis) => {
    for (let i = 0; i < count; i++) out[3 * i + axis] = (column[i] - middles[axis]) / (largest || 1);
  });
  return out;
}
