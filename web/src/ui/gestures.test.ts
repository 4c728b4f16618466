import { describe, expect, it } from "vitest";
import { Fingers, wheelZoom } from "./gestures";

function finger(pointerId: number, clientX: number, clientY = 0): PointerEvent {
  return { pointerId, clientX, clientY } as PointerEvent;
}

describe("wheelZoom", () => {
  it("zooms by a notch of the wheel, in pixels or in lines", () => {
    expect(wheelZoom({ deltaY: -100, deltaMode: 0, ctrlKey: false })).toBeCloseTo(1.17, 2);
    expect(wheelZoom({ deltaY: 3, deltaMode: 1, ctrlKey: false })).toBeCloseTo(0.89, 2);
    expect(wheelZoom({ deltaY: 1e9, deltaMode: 0, ctrlKey: false })).toBeGreaterThan(0.4);
  });

  it("takes the small steps of a trackpad's pinch for more than those of a wheel", () => {
    expect(wheelZoom({ deltaY: -10, deltaMode: 0, ctrlKey: true })).toBeCloseTo(1.105, 3);
    expect(wheelZoom({ deltaY: -100, deltaMode: 0, ctrlKey: true })).toBeCloseTo(1.17, 2);
  });
});

describe("Fingers", () => {
  it("tells how far two fingers have moved apart, and where their middle is", () => {
    const fingers = new Fingers(document.createElement("div"));
    fingers.down(finger(1, 100));
    expect(fingers.move(finger(1, 110))).toBeNull();
    fingers.down(finger(2, 210));
    expect(fingers.move(finger(2, 310))).toEqual({ factor: 2, x: 210, y: 0, dx: 50, dy: 0 });
    expect(fingers.move(finger(3, 500))).toBeNull();
  });

  it("pinches until the last finger is up: what that does meanwhile is not meant", () => {
    const fingers = new Fingers(document.createElement("div"));
    fingers.down(finger(1, 0));
    expect(fingers.isPinching).toBe(false);
    fingers.down(finger(2, 100));
    fingers.up(finger(1, 0));
    expect([fingers.isPinching, fingers.move(finger(2, 120))]).toEqual([true, null]);
    fingers.up(finger(2, 120));
    expect(fingers.isPinching).toBe(false);
  });

  it("does not tear things apart where two fingers meet", () => {
    const fingers = new Fingers(document.createElement("div"));
    fingers.down(finger(1, 100));
    fingers.down(finger(2, 100));
    expect(fingers.move(finger(2, 101))?.factor).toBe(1);
  });
});
