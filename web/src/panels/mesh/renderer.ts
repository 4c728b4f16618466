/**
 * Draws meshes with WebGL. There is one context for all cards, as browsers allow only a few: each mesh is drawn out of
 * sight, and the picture then handed to the canvas of its card.
 */

import { linkedProgram } from "../../chart/shaders";
import type { Bounds, Camera } from "./camera";
import { projected } from "./camera";
import { edgesOf, type Geometry } from "./geometry";

export type Drawing = "surface" | "wires" | "points";

export interface Picture {
  geometry: Geometry;
  bounds: Bounds;
  camera: Camera;
  drawing: Drawing;
  isLit: boolean;
  /** In pixels of the page. */
  pointSize: number;
  /** Whether another will follow at once: of a large cloud only as many points are drawn as keep up. */
  isMoving: boolean;
  /** Where no colours were logged: three numbers up to 1. */
  color: readonly [number, number, number];
}

const VERTEX = `#version 300 es
uniform mat4 view;
uniform float pointSize;
layout(location = 0) in vec3 position;
layout(location = 1) in vec3 color;
layout(location = 2) in vec3 normal;
out vec3 paint;
out vec3 side;
void main() {
  gl_Position = view * vec4(position, 1.0);
  gl_PointSize = pointSize;
  paint = color;
  side = normal;
}`;

const FRAGMENT = `#version 300 es
precision highp float;
uniform vec3 light;
uniform bool isLit;
uniform bool isPoint;
in vec3 paint;
in vec3 side;
out vec4 result;
void main() {
  // Points are round.
  if (isPoint && distance(gl_PointCoord, vec2(0.5)) > 0.5) discard;
  float size = length(side);
  // Both sides of a surface are seen: nobody says which is the outer one.
  float bright = isLit && size > 0.0 ? 0.3 + 0.75 * abs(dot(side / size, light)) : 1.0;
  result = vec4(min(paint * bright, 1.0), 1.0);
}`;

interface Uploaded {
  array: WebGLVertexArrayObject;
  buffers: WebGLBuffer[];
  triangles: WebGLBuffer | null;
  edges: WebGLBuffer | null;
  /** The points in any order, so that the first of them are a fair choice. */
  shuffled: WebGLBuffer | null;
}

/** How long a picture may take while a mesh is being turned. */
const PATIENCE_MS = 50;
const FEWEST_POINTS = 20_000;
const POLL_MS = 4;

const NAMES = ["view", "pointSize", "light", "isLit", "isPoint"] as const;

export class Renderer {
  private readonly canvas = new OffscreenCanvas(1, 1);
  private readonly gl: WebGL2RenderingContext;
  private places!: Record<(typeof NAMES)[number], WebGLUniformLocation | null>;
  private uploaded = new Map<Geometry, Uploaded>();
  /** How many points can be drawn while one is being turned; found out by drawing. */
  private affordable = Infinity;
  private isBusy = false;
  private readonly waiting = new Set<() => void>();

  /**
   * Smooth edges, which surfaces need, make points three times as slow. `restored` is called when everything has to be
   * drawn again.
   */
  constructor(antialias: boolean, restored: () => void) {
    const gl = this.canvas.getContext("webgl2", { antialias, alpha: true, premultipliedAlpha: true });
    if (!gl) throw new Error("WebGL 2 is not to be had.");
    this.gl = gl;
    this.prepare();
    this.canvas.addEventListener("webglcontextlost", (event) => event.preventDefault());
    this.canvas.addEventListener("webglcontextrestored", () => {
      this.uploaded = new Map();
      this.isBusy = false;
      this.prepare();
      restored();
    });
  }

  private prepare(): void {
    const { gl } = this;
    const program = linkedProgram(gl, VERTEX, FRAGMENT);
    gl.useProgram(program);
    gl.enable(gl.DEPTH_TEST);
    this.places = Object.fromEntries(
      NAMES.map((name) => [name, gl.getUniformLocation(program, name)]),
    ) as typeof this.places;
  }

  /** Draws into a canvas, which has its size already. While a picture is in the making, `again` is called after it. */
  draw(target: HTMLCanvasElement, picture: Picture, again: () => void): void {
    const { gl, canvas, places } = this;
    const { width, height } = target;
    if (gl.isContextLost() || width === 0 || height === 0) return;
    if (this.isBusy) {
      this.waiting.add(again);
      return;
    }
    if (canvas.width !== width || canvas.height !== height) [canvas.width, canvas.height] = [width, height];
    const { geometry, camera, bounds, drawing, isLit, pointSize, color } = picture;
    gl.viewport(0, 0, width, height);
    gl.clearColor(0, 0, 0, 0);
    gl.clear(gl.COLOR_BUFFER_BIT | gl.DEPTH_BUFFER_BIT);
    const { matrix, light } = projected(camera, bounds, width / height);
    const isCloud = !geometry.triangles || drawing === "points";
    gl.uniformMatrix4fv(places.view, false, matrix);
    gl.uniform3fv(places.light, light);
    gl.uniform1f(places.pointSize, pointSize * devicePixelRatio);
    gl.uniform1i(places.isLit, Number(isLit && drawing === "surface"));
    gl.uniform1i(places.isPoint, Number(isCloud));
    const there = this.upload(geometry);
    gl.bindVertexArray(there.array);
    gl.vertexAttrib3fv(1, color);
    if (isCloud) this.drawPoints(there, geometry.positions.length / 3, picture.isMoving);
    else if (drawing === "wires") {
      there.edges ??= this.indexes(edgesOf(geometry.triangles!));
      gl.bindBuffer(gl.ELEMENT_ARRAY_BUFFER, there.edges);
      gl.drawElements(gl.LINES, 2 * geometry.triangles!.length, gl.UNSIGNED_INT, 0);
    } else {
      there.triangles ??= this.indexes(geometry.triangles!);
      gl.bindBuffer(gl.ELEMENT_ARRAY_BUFFER, there.triangles);
      gl.drawElements(gl.TRIANGLES, geometry.triangles!.length, gl.UNSIGNED_INT, 0);
    }
    gl.bindVertexArray(null);
    target.getContext("bitmaprenderer")?.transferFromImageBitmap(canvas.transferToImageBitmap());
  }

  private drawPoints(there: Uploaded, total: number, isMoving: boolean): void {
    const { gl } = this;
    const count = isMoving ? Math.min(total, Math.max(FEWEST_POINTS, Math.floor(this.affordable))) : total;
    if (count < total) {
      there.shuffled ??= this.indexes(shuffled(total));
      gl.bindBuffer(gl.ELEMENT_ARRAY_BUFFER, there.shuffled);
      gl.drawElements(gl.POINTS, count, gl.UNSIGNED_INT, 0);
    } else gl.drawArrays(gl.POINTS, 0, total);
    if (count >= FEWEST_POINTS) this.measure(count);
  }

  /** Looks how long the points take, without waiting for them; nothing else is drawn meanwhile. */
  private measure(count: number): void {
    const { gl } = this;
    const begin = performance.now();
    const fence = gl.fenceSync(gl.SYNC_GPU_COMMANDS_COMPLETE, 0);
    if (!fence) return;
    gl.flush();
    this.isBusy = true;
    const look = () => {
      if (!this.isBusy) return;
      const state = gl.clientWaitSync(fence, 0, 0);
      if (state === gl.TIMEOUT_EXPIRED) {
        setTimeout(look, POLL_MS);
        return;
      }
      gl.deleteSync(fence);
      this.isBusy = false;
      const fits = (count * PATIENCE_MS) / Math.max(1, performance.now() - begin);
      // Quickly fewer, slowly more: one slow picture is noticed, one fast one may be luck.
      this.affordable = Math.min(fits, Math.max(FEWEST_POINTS, this.affordable) * 1.5);
      const waiting = [...this.waiting];
      this.waiting.clear();
      for (const again of waiting) again();
    };
    setTimeout(look, POLL_MS);
  }

  private upload(geometry: Geometry): Uploaded {
    const known = this.uploaded.get(geometry);
    if (known) return known;
    const { gl } = this;
    const array = gl.createVertexArray();
    gl.bindVertexArray(array);
    const buffers: WebGLBuffer[] = [];
    const attribute = (place: number, data: Float32Array | Uint8Array | null, type: number) => {
      if (!data) return;
      const buffer = gl.createBuffer();
      gl.bindBuffer(gl.ARRAY_BUFFER, buffer);
      gl.bufferData(gl.ARRAY_BUFFER, data, gl.STATIC_DRAW);
      gl.enableVertexAttribArray(place);
      gl.vertexAttribPointer(place, 3, type, type === gl.UNSIGNED_BYTE, 0, 0);
      buffers.push(buffer);
    };
    attribute(0, geometry.positions, gl.FLOAT);
    attribute(1, geometry.colors, gl.UNSIGNED_BYTE);
    attribute(2, geometry.normals, gl.FLOAT);
    const made = { array, buffers, triangles: null, edges: null, shuffled: null };
    this.uploaded.set(geometry, made);
    return made;
  }

  private indexes(data: Uint32Array): WebGLBuffer {
    const { gl } = this;
    const buffer = gl.createBuffer();
    gl.bindBuffer(gl.ELEMENT_ARRAY_BUFFER, buffer);
    gl.bufferData(gl.ELEMENT_ARRAY_BUFFER, data, gl.STATIC_DRAW);
    return buffer;
  }

  /** Frees what was made for a mesh that is shown no more. */
  forget(geometry: Geometry): void {
    const known = this.uploaded.get(geometry);
    if (!known) return;
    const { gl } = this;
    gl.deleteVertexArray(known.array);
    for (const buffer of [...known.buffers, known.triangles, known.edges, known.shuffled])
      gl.deleteBuffer(buffer);
    this.uploaded.delete(geometry);
  }
}

/** The numbers below `count` in any order, the same every time. */
function shuffled(count: number): Uint32Array {
  const order = Uint32Array.from({ length: count }, (_, i) => i);
  let seed = 1;
  for (let i = count - 1; i > 0; i--) {
    seed = (Math.imul(seed, 1664525) + 1013904223) >>> 0;
    const j = Math.floor((seed / 2 ** 32) * (i + 1));
    [order[i], order[j]] = [order[j], order[i]];
  }
  return order;
}
