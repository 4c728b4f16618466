/** Thousands of lines, drawn into a picture of their own a few at a time, so that the page may answer in between. */

import type { Line } from "./line";
import { drawNever, drawSoon } from "./queue";

/** From so many lines on. */
export const CROWD = 1000;
/** Lines that are drawn without a pause: a few milliseconds. */
const AT_ONCE = 300;

type Draw = (context: CanvasRenderingContext2D, lines: readonly Line[]) => void;

export class Crowd {
  private lines: readonly Line[] = [];
  private key = "";
  private next = 0;
  private draw: Draw = () => {};
  private making = document.createElement("canvas");
  private made: HTMLCanvasElement | null = null;
  private readonly goOn = () => this.drawSome();

  /** `done` is called when a picture is whole. */
  constructor(private readonly done: () => void) {}

  /**
   * The picture of these lines; while it is being made, the one before, if there is any.
   *
   * `key` says all that it depends on beside the lines.
   */
  picture(lines: readonly Line[], key: string, width: number, height: number, draw: Draw) {
    const isSame = lines === this.lines && key === this.key;
    // One that is being made is finished first: while a slider moves, there is a new one to make in every frame.
    const isBusy =
      this.next < this.lines.length && width === this.making.width && height === this.making.height;
    if (!isSame && !isBusy) {
      if (this.made === this.making) this.making = document.createElement("canvas");
      [this.lines, this.key, this.next, this.draw] = [lines, key, 0, draw];
      // Setting a size clears it, too.
      [this.making.width, this.making.height] = [width, height];
      drawSoon(this.goOn);
    }
    return this.made;
  }

  stop(): void {
    drawNever(this.goOn);
  }

  private drawSome(): void {
    const context = this.making.getContext("2d");
    if (!context) return;
    this.draw(context, this.lines.slice(this.next, this.next + AT_ONCE));
    this.next += AT_ONCE;
    if (this.next < this.lines.length) {
      drawSoon(this.goOn);
      return;
    }
    this.made = this.making;
    this.done();
  }
}
