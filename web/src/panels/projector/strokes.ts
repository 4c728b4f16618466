/** Draws straight strokes with WebGL, over what is there: a canvas of their own would take longer to be put on the page than all points. */

import { linkedProgram } from "../../chart/shaders";

const VERTEX = `#version 300 es
uniform vec2 size;
layout(location = 0) in vec2 place;
void main() { gl_Position = vec4(place / size * 2.0 - 1.0, 0.0, 1.0); }`;

const FRAGMENT = `#version 300 es
precision mediump float;
uniform vec3 ink;
out vec4 result;
void main() { result = vec4(ink, 1.0); }`;

/** From one place to another, in pixels from the lower left. */
export type Stroke = readonly [x1: number, y1: number, x2: number, y2: number];

export class Strokes {
  private readonly program: WebGLProgram;
  private readonly buffer: WebGLBuffer | null;

  constructor(private readonly gl: WebGL2RenderingContext) {
    this.program = linkedProgram(gl, VERTEX, FRAGMENT);
    this.buffer = gl.createBuffer();
  }

  draw(strokes: readonly Stroke[], thickness: number, ink: readonly [number, number, number]): void {
    const { gl, program } = this;
    const corners = new Float32Array(strokes.flatMap((one) => cornersOf(one, thickness / 2)));
    gl.useProgram(program);
    gl.uniform2f(gl.getUniformLocation(program, "size"), gl.drawingBufferWidth, gl.drawingBufferHeight);
    gl.uniform3f(gl.getUniformLocation(program, "ink"), ...ink);
    gl.disable(gl.DEPTH_TEST);
    gl.bindBuffer(gl.ARRAY_BUFFER, this.buffer);
    gl.bufferData(gl.ARRAY_BUFFER, corners, gl.STREAM_DRAW);
    for (const other of [1, 2]) gl.disableVertexAttribArray(other);
    gl.enableVertexAttribArray(0);
    gl.vertexAttribPointer(0, 2, gl.FLOAT, false, 0, 0);
    gl.drawArrays(gl.TRIANGLES, 0, corners.length / 2);
  }
}

/** The two triangles that a stroke is. */
function cornersOf([x1, y1, x2, y2]: Stroke, half: number): number[] {
  const length = Math.hypot(x2 - x1, y2 - y1) || 1;
  const [dx, dy] = [((x2 - x1) / length) * half, ((y2 - y1) / length) * half];
  const [a, b] = [
    [x1 - dy, y1 + dx],
    [x1 + dy, y1 - dx],
  ];
  const [c, d] = [
    [x2 - dy, y2 + dx],
    [x2 + dy, y2 - dx],
  ];
  return [...a, ...b, ...c, ...b, ...d, ...c];
}
