/** The graph as a file to keep, and the colours of the page as a canvas needs them. */

import { themeColor } from "../../state/appearance";
import { CanvasBrush, SvgBrush } from "./brush";
import { drawScene, type Look } from "./drawing";
import type { Shown } from "./stage";

const MARGIN = 24;
/** Browsers draw no larger pictures than this. */
const MOST_SIDE = 8000;
const MOST_PIXELS = 64e6;
const EVERYWHERE = { left: -Infinity, top: -Infinity, right: Infinity, bottom: Infinity };

export function readLook(isDark: boolean): Look {
  return {
    ground: themeColor("--bg"),
    raised: themeColor("--bg-side"),
    text: themeColor("--text"),
    quiet: themeColor("--text-2"),
    line: themeColor("--line-strong"),
    edge: isDark ? "#5b6676" : "#aab2be",
    accent: themeColor("--accent"),
    isDark,
  };
}

export function vector(shown: Shown): Blob {
  const brush = new SvgBrush();
  drawScene(brush, shown.scene, { ...shown, scale: 1, window: EVERYWHERE });
  const { width, height } = shown.scene;
  return new Blob([brush.finish(width, height, MARGIN, shown.look.ground)], { type: "image/svg+xml" });
}

export function picture(shown: Shown): Promise<Blob> {
  const [width, height] = [shown.scene.width + 2 * MARGIN, shown.scene.height + 2 * MARGIN];
  const scale = Math.min(2, MOST_SIDE / Math.max(width, height), Math.sqrt(MOST_PIXELS / (width * height)));
  const canvas = document.createElement("canvas");
  canvas.width = Math.ceil(width * scale);
  canvas.height = Math.ceil(height * scale);
  const context = canvas.getContext("2d")!;
  context.fillStyle = shown.look.ground;
  context.fillRect(0, 0, canvas.width, canvas.height);
  context.setTransform(scale, 0, 0, scale, MARGIN * scale, MARGIN * scale);
  drawScene(new CanvasBrush(context), shown.scene, {
    ...shown,
    scale: Math.max(scale, 1),
    window: EVERYWHERE,
  });
  return new Promise((done, fail) =>
    canvas.toBlob(
      (blob) => (blob ? done(blob) : fail(new Error(`${canvas.width}×${canvas.height}`))),
      "image/png",
    ),
  );
}
