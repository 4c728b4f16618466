/** So long without movement is rest. */
const REST_MS = 250;
const [TOO_SLOW_MS, QUICK_MS] = [36, 22];
/** The least that are drawn, with WebGL and by the processor. */
const [FEWEST, FEWEST_SKETCHED] = [5000, 20_000];
/** So many frames, one after the other, say that it is slow; one alone may have other reasons. */
const SLOW_FRAMES = 3;

/** While the view moves, as many points as can be drawn thirty times a second; at rest, all of them. */
export class Pace {
  isMoving = false;
  /** Whether all points at once have been found to take too long. */
  isSlow = false;
  private share = 1;
  private last = 0;
  private slowFrames = 0;
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
      const fewest = this.isSlow ? FEWEST_SKETCHED : FEWEST;
      this.share = Math.min(1, Math.max(this.share, fewest / Math.max(count, 1)));
      this.slowFrames = took > TOO_SLOW_MS ? this.slowFrames + 1 : 0;
      if (this.slowFrames === SLOW_FRAMES && !this.isSlow) {
        this.isSlow = true;
        this.share = 1; // they are drawn otherwise from now on
      }
    }
    this.last = now;
    clearTimeout(this.timer);
    // A frame that takes long is not rest.
    this.timer = setTimeout(() => this.rest(), Math.max(REST_MS, Math.min(3 * took, 1500)));
    return Math.ceil(this.share * count);
  }

  /** The view moves no more. */
  rest(): void {
    clearTimeout(this.timer);
    this.isMoving = false;
    this.last = 0;
    this.redraw();
  }

  close(): void {
    clearTimeout(this.timer);
  }
}

const orders = new Map<number, Uint32Array>();

/** All of so many indices; any first part of them is a fair sample, however the points themselves are sorted. */
export function fairOrder(count: number): Uint32Array {
  let order = orders.get(count);
  if (!order) {
    order = Uint32Array.from({ length: count }, (_, i) => i);
    let random = 1;
    for (let i = count - 1; i > 0; i--) {
      random = (Math.imul(random, 1_664_525) + 1_013_904_223) >>> 0;
      const j = random % (i + 1);
      [order[i], order[j]] = [order[j], order[i]];
    }
    orders.clear();
    orders.set(count, order);
  }
  return order;
}
