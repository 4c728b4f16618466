/** Zooming by hand, alike wherever something can be zoomed: the wheel, a trackpad's pinch, and two fingers. */

const WHEEL = 0.0016;
/** Browsers tell of a trackpad's pinch as of a wheel with Ctrl, in steps a tenth as large. */
const PINCH = 0.01;
const LINE_PX = 24;
const MOST_PX = 500;

/** How much larger things become by a turn of the wheel or a pinch; below 1 they become smaller. */
export function wheelZoom(event: Pick<WheelEvent, "deltaY" | "deltaMode" | "ctrlKey">): number {
  const pixels = event.deltaY * (event.deltaMode === 1 ? LINE_PX : 1);
  // A mouse's wheel with Ctrl comes in whole notches, and is no pinch.
  const isPinch = event.ctrlKey && Math.abs(pixels) < 50;
  return Math.exp(-Math.max(-MOST_PX, Math.min(MOST_PX, pixels)) * (isPinch ? PINCH : WHEEL));
}

interface Place {
  x: number;
  y: number;
}

export interface Pinch {
  /** How much further apart the fingers are than before. */
  factor: number;
  /** Their middle, and how far that has moved. */
  x: number;
  y: number;
  dx: number;
  dy: number;
}

const NEAREST = 8;

/** The fingers on an element: what two of them do together is no drag of either. */
export class Fingers {
  private readonly places = new Map<number, Place>();

  /** Whether two are down, or were until a moment ago: what the last one does then is not meant. */
  isPinching = false;

  constructor(private readonly element: HTMLElement) {}

  down(event: PointerEvent): void {
    this.places.set(event.pointerId, this.placeOf(event));
    if (this.places.size > 1) this.isPinching = true;
  }

  up(event: PointerEvent): void {
    this.places.delete(event.pointerId);
    if (this.places.size === 0) this.isPinching = false;
  }

  /** What a movement does together with the other finger; null if there is no other. */
  move(event: PointerEvent): Pinch | null {
    const before = this.places.get(event.pointerId);
    if (!before) return null;
    const now = this.placeOf(event);
    this.places.set(event.pointerId, now);
    if (this.places.size !== 2) return null;
    const other = [...this.places].find(([id]) => id !== event.pointerId)![1];
    const apart = (place: Place) => Math.max(NEAREST, Math.hypot(place.x - other.x, place.y - other.y));
    return {
      factor: apart(now) / apart(before),
      x: (now.x + other.x) / 2,
      y: (now.y + other.y) / 2,
      dx: (now.x - before.x) / 2,
      dy: (now.y - before.y) / 2,
    };
  }

  private placeOf(event: PointerEvent): Place {
    const box = this.element.getBoundingClientRect();
    return { x: event.clientX - box.left, y: event.clientY - box.top };
  }
}
