/** How meshes are shown; all of it is in the address. */

import { signal } from "@preact/signals";
import { choiceCodec, decoded, flagCodec, numberCodec, urlSignal } from "../../state/url";
import { type Camera, START } from "./camera";
import type { Drawing } from "./renderer";

export const drawing = urlSignal<Drawing>("mdraw", "surface", choiceCodec("surface", "wires", "points"));
export const isLit = urlSignal("mlight", true, flagCodec);
/** In pixels; 0 for what suits their number. */
export const pointSize = urlSignal("mpoint", 0, numberCodec(0, 12));
export const isTogether = urlSignal("mtogether", true, flagCodec);
/** Which mesh of a step, where several were logged. */
export const sample = urlSignal("msample", 0, numberCodec(0, 999));

/** Cameras that are not where they started, by card; "" is the one that all share. */
export const cameras = urlSignal<ReadonlyMap<string, Camera>>("mcam", new Map(), {
  parse(text) {
    const found = text.split(",").map((pair) => {
      const [key, numbers = ""] = pair.split("=", 2);
      return [decoded(key), numbers.split(";").map(Number)] as const;
    });
    const good = found.filter(([, numbers]) => numbers.length === 6 && numbers.every(Number.isFinite));
    return new Map(
      good.map(([key, [yaw, pitch, zoom, x, y, z]]) => [key, { yaw, pitch, zoom, target: [x, y, z] }]),
    );
  },
  format: (value) =>
    [...value]
      .map(([key, { yaw, pitch, zoom, target }]) => {
        const numbers = [yaw, pitch, zoom, ...target].map((one) => Number(one.toPrecision(5)));
        return `${encodeURIComponent(key)}=${numbers.join(";")}`;
      })
      .join(","),
});

function keyOf(card: string): string {
  return isTogether.value ? "" : card;
}

export function cameraOf(card: string): Camera {
  return cameras.value.get(keyOf(card)) ?? START;
}

/** Whether a camera has just been moved, and probably will be again. */
export const isMoving = signal(false);
const REST_MS = 250;
let resting: ReturnType<typeof setTimeout> | undefined;

export function moveCamera(card: string, change: (camera: Camera) => Camera): void {
  isMoving.value = true;
  clearTimeout(resting);
  resting = setTimeout(() => {
    isMoving.value = false;
  }, REST_MS);
  cameras.value = new Map(cameras.value).set(keyOf(card), change(cameraOf(card)));
}

export function resetCamera(card: string): void {
  const next = new Map(cameras.value);
  next.delete(keyOf(card));
  cameras.value = next;
}
