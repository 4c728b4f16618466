/** Draws points with WebGL: discs or pictures, some of them lit up. It knows nothing of where they come from. */

import { linkedProgram } from "../../chart/shaders";
import { fairOrder } from "./pace";
import { type Stroke, Strokes } from "./strokes";

const VERTEX = `#version 300 es
uniform mat4 view;
uniform float size;
uniform float depthScale;
uniform bool hasPictures;
uniform float litScale;
layout(location = 0) in vec3 place;
layout(location = 1) in vec4 color;
layout(location = 2) in float state;
out vec4 tint;
flat out int number;
void main() {
  gl_Position = view * vec4(place, 1.0);
  float away = gl_Position.w;
  // 0: plain, 1: lit up, 2: pale because others are lit up, 3: not there.
  if (state > 2.5 || !(place.x == place.x)) gl_Position = vec4(2.0, 2.0, 2.0, 1.0);
  float lit = state > 0.5 && state < 1.5 ? 1.0 : 0.0;
  float pale = state > 1.5 ? 1.0 : 0.0;
  float fog = depthScale > 0.0 ? (1.0 - 0.7 * lit) * clamp((away / depthScale - 0.72) / 0.62, 0.0, 0.6) : 0.0;
  tint = vec4(color.rgb, (1.0 - 0.78 * pale) * (1.0 - fog));
  float near = depthScale > 0.0 ? clamp(depthScale / away, 0.4, 6.0) : 1.0;
  gl_PointSize = max(1.5, size * near * (1.0 + litScale * lit) * (hasPictures ? 1.0 : 1.0 - 0.2 * pale));
  // What is lit up is in front of what is not.
  gl_Position.z -= lit * 0.4 * gl_Position.w;
  number = gl_VertexID;
}`;

const FRAGMENT = `#version 300 es
precision mediump float;
uniform vec3 ground;
uniform bool hasPictures;
uniform sampler2D pictures;
uniform vec2 cell;
uniform vec2 fit;
uniform int perRow;
in vec4 tint;
flat in int number;
out vec4 result;
void main() {
  if (hasPictures) {
    vec2 at = (gl_PointCoord - 0.5) * fit + 0.5;
    if (at.x < 0.0 || at.x > 1.0 || at.y < 0.0 || at.y > 1.0) discard;
    vec2 corner = vec2(float(number % perRow), float(number / perRow));
    vec3 seen = texture(pictures, (corner + at) * cell).rgb;
    seen = mix(seen, seen * tint.rgb, 0.75);
    result = vec4(mix(ground, seen, tint.a), 1.0);
    return;
  }
  vec2 from = gl_PointCoord - 0.5;
  float far = dot(from, from);
  if (far > 0.25) discard;
  result = vec4(mix(ground, tint.rgb, tint.a * (far > 0.15 ? 0.68 : 1.0)), 1.0);
}`;

export interface Pictures {
  image: ImageBitmap;
  width: number;
  height: number;
}

export interface Look {
  matrix: Float32Array;
  is3d: boolean;
  /** How far away the middle is, in three dimensions. */
  away: number;
  size: number;
  /** How much larger than others what is lit up is, as a part. */
  litScale: number;
  ground: readonly [number, number, number];
}

export class PointsView {
  private readonly gl: WebGL2RenderingContext;
  private program: WebGLProgram | null = null;
  private strokes: Strokes | null = null;
  private buffers: (WebGLBuffer | null)[] = [];
  private texture: WebGLTexture | null = null;
  private data: [Float32Array, Uint8Array, Uint8Array] = [
    new Float32Array(0),
    new Uint8Array(0),
    new Uint8Array(0),
  ];
  private pictures: Pictures | null = null;
  private order: WebGLBuffer | null = null;
  private ordered = -1;

  /** Throws if the browser cannot do it. */
  constructor(private readonly canvas: HTMLCanvasElement) {
    const gl = canvas.getContext("webgl2", { antialias: false, alpha: false, powerPreference: "low-power" });
    if (!gl) throw new Error("no WebGL 2");
    this.gl = gl;
    this.begin();
  }

  /** Builds everything the graphics card holds, at first and after it has lost it. */
  begin(): void {
    const gl = this.gl;
    const program = linkedProgram(gl, VERTEX, FRAGMENT);
    this.program = program;
    this.strokes = new Strokes(gl);
    this.buffers = [gl.createBuffer(), gl.createBuffer(), gl.createBuffer()];
    this.order = gl.createBuffer();
    this.ordered = -1;
    this.texture = null;
    this.data.forEach((_, i) => {
      this.upload(i);
    });
    this.setPictures(this.pictures);
  }

  setPlaces(places: Float32Array): void {
    this.data[0] = places;
    this.upload(0);
  }

  /** Four bytes a point. */
  setColors(colors: Uint8Array): void {
    this.data[1] = colors;
    this.upload(1);
  }

  /** A byte a point: 0 plain, 1 lit up, 2 pale, 3 not there. */
  setStates(states: Uint8Array): void {
    this.data[2] = states;
    this.upload(2);
  }

  private upload(which: number): void {
    const gl = this.gl;
    gl.bindBuffer(gl.ARRAY_BUFFER, this.buffers[which]);
    gl.bufferData(gl.ARRAY_BUFFER, this.data[which], gl.DYNAMIC_DRAW);
  }

  /** Whether the graphics card takes a picture of this size. */
  takes(image: ImageBitmap): boolean {
    const most = this.gl.getParameter(this.gl.MAX_TEXTURE_SIZE) as number;
    return image.width <= most && image.height <= most;
  }

  setPictures(pictures: Pictures | null): void {
    const gl = this.gl;
    this.pictures = pictures;
    if (this.texture) gl.deleteTexture(this.texture);
    this.texture = null;
    if (!pictures) return;
    this.texture = gl.createTexture();
    gl.bindTexture(gl.TEXTURE_2D, this.texture);
    gl.texImage2D(gl.TEXTURE_2D, 0, gl.RGBA, gl.RGBA, gl.UNSIGNED_BYTE, pictures.image);
    for (const [name, value] of [
      [gl.TEXTURE_MIN_FILTER, gl.LINEAR],
      [gl.TEXTURE_MAG_FILTER, gl.NEAREST],
      [gl.TEXTURE_WRAP_S, gl.CLAMP_TO_EDGE],
      [gl.TEXTURE_WRAP_T, gl.CLAMP_TO_EDGE],
    ])
      gl.texParameteri(gl.TEXTURE_2D, name, value);
  }

  private shuffle(count: number): void {
    const gl = this.gl;
    gl.bindBuffer(gl.ELEMENT_ARRAY_BUFFER, this.order);
    if (count === this.ordered) return;
    gl.bufferData(gl.ELEMENT_ARRAY_BUFFER, fairOrder(count), gl.STATIC_DRAW);
    this.ordered = count;
  }

  /** Draws at most so many of the points; gives how many. */
  draw({ matrix, is3d, away, size, litScale, ground }: Look, most: number): number {
    const { gl, program } = this;
    if (!program || gl.isContextLost()) return 0;
    gl.viewport(0, 0, this.canvas.width, this.canvas.height);
    gl.clearColor(ground[0], ground[1], ground[2], 1);
    gl.clear(gl.COLOR_BUFFER_BIT | gl.DEPTH_BUFFER_BIT);
    const count = Math.min(this.data[0].length / 3, this.data[1].length / 4, this.data[2].length);
    if (count === 0) return 0;
    gl.useProgram(program);
    const at = (name: string) => gl.getUniformLocation(program, name);
    gl.uniformMatrix4fv(at("view"), false, matrix);
    gl.uniform1f(at("size"), size);
    gl.uniform1f(at("depthScale"), is3d ? away : 0);
    gl.uniform1f(at("litScale"), litScale);
    gl.uniform3f(at("ground"), ...ground);
    gl.uniform1i(at("hasPictures"), this.texture ? 1 : 0);
    if (this.texture && this.pictures) {
      const { image, width, height } = this.pictures;
      const side = Math.max(width, height);
      gl.activeTexture(gl.TEXTURE0);
      gl.bindTexture(gl.TEXTURE_2D, this.texture);
      gl.uniform1i(at("pictures"), 0);
      gl.uniform2f(at("cell"), width / image.width, height / image.height);
      gl.uniform2f(at("fit"), side / width, side / height);
      gl.uniform1i(at("perRow"), Math.max(1, Math.floor(image.width / width)));
    }
    gl.enable(gl.DEPTH_TEST);
    // On one plane, what comes later, and what is lit up, lies above.
    gl.depthFunc(gl.LEQUAL);
    const attributes: [number, number, boolean][] = [
      [3, gl.FLOAT, false],
      [4, gl.UNSIGNED_BYTE, true],
      [1, gl.UNSIGNED_BYTE, false],
    ];
    attributes.forEach(([length, kind, isShare], i) => {
      gl.bindBuffer(gl.ARRAY_BUFFER, this.buffers[i]);
      gl.enableVertexAttribArray(i);
      gl.vertexAttribPointer(i, length, kind, isShare, 0, 0);
    });
    if (count <= most) gl.drawArrays(gl.POINTS, 0, count);
    else {
      this.shuffle(count);
      gl.drawElements(gl.POINTS, most, gl.UNSIGNED_INT, 0);
    }
    return Math.min(count, most);
  }

  /** Draws strokes over the points, in the same frame. */
  drawStrokes(strokes: readonly Stroke[], thickness: number, ink: readonly [number, number, number]): void {
    if (!this.gl.isContextLost()) this.strokes?.draw(strokes, thickness, ink);
  }
}
