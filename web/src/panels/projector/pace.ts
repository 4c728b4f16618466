/** So long without movement is rest. */
const REST_MS = 250;
const [TOO_SLOW_MS, QUICK_MS] = [36, 22];
const FEWEST = 5000;

/** While the view moves, as many points as can be drawn thirty times a second; at rest, all of them. */
export class Pace {
  private share = 1;
  private last = 0;
  private isMoving = false;
  private timer: ReturnType<typeof setTimeout> | undefined;

  constructor(private readonly redraw: () => void) {}

  /** The view has moved. */
  move(): void {
    this.isMoving = true;
    this.redraw();
  }

  /** How many points the next frame may have, of `count`. */
  most(count: number): number {
    const now = performance.now();
    const took = now - this.last;
    if (!this.isMoving) return count;
    if (this.last > 0) {
      if (took > TOO_SLOW_MS) this.share *= Math.max(0.4, TOO_SLOW_MS / took);
      else if (took < QUICK_MS) this.share = Math.min(1, this.share * 1.1);
      this.share = Math.min(1, Math.max(this.share, FEWEST / Math.max(count, 1)));
    }
    this.last = now;
    clearTimeout(this.timer);
    // A frame that takes long is not rest.
    this.timer = setTimeout(() => this.rest(), Math.max(REST_MS, Math.min(3 * took, 1500)));
    return Math.ceil(this.share * count);
  }

  private rest(): void {
    this.isMoving = false;
    this.last = 0;
    this.redraw();
  }

  close(): void {
    clearTimeout(this.timer);
  }
}
