/** Draws the timeline: the ruler, the names of tracks, and of all events those in view. */

import { fittedName } from "../../chart/names";
import { ticks } from "../../chart/ticks";
import { formatMoment } from "./format";
import { LANE, type Row } from "./layout";
import { type Timeline, visitLane } from "./timeline";

export interface Span {
  begin: number;
  end: number;
}

export interface TraceColors {
  text: string;
  faint: string;
  line: string;
  background: string;
  side: string;
  accent: string;
  onEvent: string;
  events: readonly string[];
}

/** What is drawn, and where: `gutter` pixels are for names, `plotWidth` for the window of time. */
export interface Scene {
  timeline: Timeline | null;
  rows: readonly Row[];
  collapsed: ReadonlySet<number>;
  window: Span;
  scroll: number;
  width: number;
  height: number;
  gutter: number;
  plotWidth: number;
  contentHeight: number;
  range: Span | null;
  selectedRow: number;
  /** Labels that were searched for; null if none were. */
  matches: ReadonlySet<number> | null;
  colors: TraceColors;
  labelColors: readonly string[];
}

export const RULER = 24;
const FONT = '11px system-ui, -apple-system, "Segoe UI", Roboto, "Liberation Sans", sans-serif';
const LETTER = 6;
const LEAST_TEXT = 28;

export class TracePainter {
  private scene!: Scene;

  constructor(private readonly context: CanvasRenderingContext2D) {}

  paint(scene: Scene): void {
    this.scene = scene;
    const { colors, width, height, gutter, timeline } = this.scene;
    const { context } = this;
    const ratio = context.canvas.width / width;
    context.setTransform(ratio, 0, 0, ratio, 0, 0);
    context.font = FONT;
    context.textBaseline = "middle";
    context.fillStyle = colors.background;
    context.fillRect(0, 0, width, height);
    if (!timeline) return;
    this.paintRuler();
    context.save();
    context.beginPath();
    context.rect(0, RULER, width, height - RULER);
    context.clip();
    for (const row of this.scene.rows) {
      const top = RULER + row.top - this.scene.scroll;
      if (top > height || top + row.height < RULER) continue;
      if (row.track < 0) this.paintHeading(row, top);
      else this.paintTrack(timeline, row, top);
    }
    context.restore();
    if (this.scene.range) this.paintRange(this.scene.range);
    context.fillStyle = colors.line;
    context.fillRect(gutter - 1, RULER, 1, height - RULER);
    context.fillRect(0, RULER - 1, width, 1);
    this.paintScrollbar();
  }

  private paintRuler(): void {
    const { colors, gutter, plotWidth, height } = this.scene;
    const { context } = this;
    const [begin, end] = [this.scene.window.begin / 1e9, this.scene.window.end / 1e9];
    const marks = ticks(begin, end, Math.max(2, plotWidth / 110), "linear");
    const step = marks.length > 1 ? marks[1].at - marks[0].at : end - begin;
    for (const { at } of marks) {
      const x = gutter + ((at - begin) / (end - begin)) * plotWidth;
      context.fillStyle = colors.line;
      context.fillRect(Math.round(x), RULER - 6, 1, height);
      context.fillStyle = colors.faint;
      const text = formatMoment(at, step);
      if (x + 4 + context.measureText(text).width < this.scene.width)
        context.fillText(text, x + 4, RULER / 2);
    }
  }

  private paintHeading(row: Row, top: number): void {
    const { colors, width } = this.scene;
    const { context } = this;
    context.fillStyle = colors.side;
    context.fillRect(0, top, width, row.height - 2);
    context.fillStyle = colors.text;
    context.font = `600 ${FONT}`;
    context.fillText(cut(row.title, width - 16), 8, top + row.height / 2 - 1);
    context.font = FONT;
  }

  private paintTrack(timeline: Timeline, row: Row, top: number): void {
    const { colors, gutter, plotWidth } = this.scene;
    const { context } = this;
    const track = timeline.tracks[row.track];
    context.save();
    context.beginPath();
    context.rect(gutter, top, plotWidth, row.height);
    context.clip();
    for (let lane = 0; lane < row.lanes; lane++) {
      const y = top + lane * LANE;
      if (y > this.scene.height || y + LANE < RULER) continue;
      visitLane(
        timeline,
        track.lanes[lane],
        this.scene.window.begin,
        this.scene.window.end,
        plotWidth,
        (at, left, wide, isMany) => this.paintEvent(timeline, at, gutter + left, wide, y, isMany),
      );
    }
    context.restore();
    context.save();
    context.beginPath();
    context.rect(0, top, gutter - 4, row.height);
    context.clip();
    context.fillStyle = colors.text;
    const isClosed = this.scene.collapsed.has(row.track);
    if (track.lanes.length > 1) context.fillText(isClosed ? "▸" : "▾", 6, top + LANE / 2);
    context.fillText(fittedName(context, track.name, gutter - 26), 18, top + LANE / 2);
    context.restore();
  }

  private paintEvent(
    timeline: Timeline,
    at: number,
    left: number,
    wide: number,
    y: number,
    isMany: boolean,
  ): void {
    const { colors, gutter } = this.scene;
    const { context } = this;
    const label = timeline.labelIds[at];
    const isFaint = this.scene.matches !== null && !this.scene.matches.has(label);
    const right = Math.min(left + wide, this.scene.width);
    const from = Math.max(left, gutter);
    const shown = Math.max(right - from, 1);
    context.globalAlpha = isFaint ? 0.18 : isMany ? 0.75 : 1;
    context.fillStyle = this.scene.labelColors[label];
    // A hairline between neighbours, where there is room for one.
    context.fillRect(from, y + 1, wide > 3 ? shown - 1 : shown, LANE - 2);
    context.globalAlpha = 1;
    if (shown > LEAST_TEXT && !isFaint) {
      context.fillStyle = colors.onEvent;
      context.fillText(cut(timeline.labels[label].name, shown - 8), from + 4, y + LANE / 2);
    }
    if (at === this.scene.selectedRow) {
      context.strokeStyle = colors.text;
      context.lineWidth = 2;
      context.strokeRect(from + 1, y + 1, Math.max(shown - 2, 2), LANE - 2);
    }
  }

  private paintRange(range: Span): void {
    const { colors, gutter, plotWidth, height } = this.scene;
    const { context } = this;
    const span = this.scene.window.end - this.scene.window.begin;
    const x = (time: number) =>
      gutter + Math.min(Math.max((time - this.scene.window.begin) / span, 0), 1) * plotWidth;
    const [left, right] = [x(range.begin), x(range.end)];
    context.globalAlpha = 0.12;
    context.fillStyle = colors.accent;
    context.fillRect(left, 0, right - left, height);
    context.globalAlpha = 1;
    context.fillRect(left, 0, 1, height);
    context.fillRect(right, 0, 1, height);
  }

  private paintScrollbar(): void {
    const { colors, width, height } = this.scene;
    const { context } = this;
    const view = height - RULER;
    if (this.scene.contentHeight <= view) return;
    const size = Math.max(24, (view * view) / this.scene.contentHeight);
    const top = RULER + (this.scene.scroll / (this.scene.contentHeight - view)) * (view - size);
    context.fillStyle = colors.faint;
    context.globalAlpha = 0.5;
    context.fillRect(width - 5, top, 4, size);
    context.globalAlpha = 1;
  }
}

/** A text that fits into so many pixels, by the usual width of a letter: measuring each one would be slow. */
function cut(text: string, width: number): string {
  const most = Math.floor(width / LETTER);
  return text.length <= most ? text : most > 2 ? `${text.slice(0, most - 1)}…` : "";
}
