/** The time of every step, stacked by phase. */

import { useMemo, useRef, useState } from "preact/hooks";
import type { ProfileOverview } from "../../api/schema";
import { escapeXml, fileName, saveBlob, svgToPng } from "../../chart/svg";
import { ticks } from "../../chart/ticks";
import { announce } from "../../ui/announce";
import { Item, Menu, Select } from "../../ui/controls";
import { toCsv } from "../tables/csv";
import { phaseColor } from "./colors";
import { hideFloating, showFloating } from "./floating";
import { formatMoment, formatSeconds } from "./format";
import { phaseName } from "./phases";
import { hiddenPhases, stepWindow, windowOf, windowText } from "./state";
import { entriesOf, PHASES, type Phase } from "./statistics";
import { type Bar, barsOf, pathOf } from "./step_bars";
import { useWidth } from "./width";
import { t } from "./words";

const HEIGHT = 220;
const AXIS = { left: 56, bottom: 24, top: 8, right: 12 };

interface Props {
  overview: ProfileOverview;
  title: string;
  /** Seconds that the scale reaches up to at least. */
  least: number;
}

export function StepsChart({ overview, title, least }: Props) {
  const { steps } = overview;
  const [kind, setKind] = useState("");
  const shownKind = steps.kinds.includes(kind) ? kind : overview.main;
  const host = useRef<HTMLDivElement>(null);
  const width = useWidth(host);
  const plot = Math.max(width - AXIS.left - AXIS.right, 10);
  const hidden = new Set(hiddenPhases.value.split(",")) as ReadonlySet<Phase>;
  const entries = useMemo(() => entriesOf(steps, shownKind), [steps, shownKind]);
  const window = windowOf(stepWindow.value);
  const {
    bars,
    count,
    most: longest,
  } = useMemo(
    () => barsOf(steps, entries, window, plot, hidden),
    [steps, entries, stepWindow.value, plot, hiddenPhases.value],
  );
  const most = Math.max(longest, least);
  const [cursor, setCursor] = useState(-1);
  const [drag, setDrag] = useState<{ from: number; to: number } | null>(null);
  const [begin, end] = window ? [window.begin, window.end] : [0, Math.max(count, 1)];
  const first = entries.length ? steps.numbers[entries[0]] : 0;

  const say = (bar: Bar, place: { left: number; top: number } | null) => {
    const size = steps.counts[bar.entry];
    const number = steps.numbers[bar.entry];
    const heading =
      size > 1 ? t("stepsTitle", { from: number, to: number + size - 1 }) : t("stepTitle", { n: number });
    const rows = PHASES.flatMap((phase) => {
      const seconds = steps.phases[phase][bar.entry] / size;
      return seconds > 0 ? [[phaseName(phase), formatSeconds(seconds), phaseColor(phase)] as const] : [];
    });
    const all = [...rows, [t("total"), formatSeconds(steps.walls[bar.entry] / size)] as const];
    if (place) showFloating(heading, all, place);
    else announce(`${heading}: ${all.map(([name, value]) => `${name} ${value}`).join(", ")}`);
  };
  const at = (event: PointerEvent) => event.clientX - host.current!.getBoundingClientRect().left - AXIS.left;
  const barAt = (x: number) => bars.findIndex((bar) => x >= bar.left && x < bar.left + bar.width);
  const zoomTo = (from: number, to: number) => {
    const scale = (end - begin) / plot;
    const [low, high] = [begin + Math.min(from, to) * scale, begin + Math.max(from, to) * scale];
    stepWindow.value = windowText(Math.max(0, Math.floor(low)), Math.min(count, Math.ceil(high)));
  };
  const svg = () => stepsSvg(`${title}: ${t("steps")}`, bars, most, plot, HEIGHT, begin + first, end + first);
  const csv = () =>
    toCsv(
      [
        ["step", "count", "start", "wall", ...PHASES],
        ...entries.map((i) => [
          steps.numbers[i],
          steps.counts[i],
          steps.starts[i],
          steps.walls[i],
          ...PHASES.map((phase) => steps.phases[phase][i]),
        ]),
      ].map((row) => row.map(String)),
    );
  const height = HEIGHT - AXIS.top - AXIS.bottom;
  const marks = ticks(0, most || 1, 4, "linear");
  const step = marks.length > 1 ? marks[1].at - marks[0].at : most;
  return (
    <section class="profile-block" aria-label={t("steps")}>
      <header class="profile-head">
        <h3>{t("steps")}</h3>
        {steps.kinds.length > 1 && (
          <Select
            label={t("stepsKind")}
            tip={t("stepsKindTip")}
            value={shownKind}
            options={steps.kinds.map((one) => [one, one] as const)}
            onChange={setKind}
          />
        )}
        <div class="profile-tools">
          {window && (
            <button
              type="button"
              class="text-button is-accent"
              data-tip={t("resetZoomTip")}
              onClick={() => (stepWindow.value = "")}
            >
              {t("resetZoom")}
            </button>
          )}
          <Menu icon="download" tip={t("downloadTip")}>
            {(close) => {
              const item = (text: "svg" | "png" | "csv", save: () => void) => (
                <Item
                  tip={t("downloadTip")}
                  onClick={() => {
                    save();
                    close();
                  }}
                >
                  {t(text)}
                </Item>
              );
              return (
                <>
                  {item("svg", () =>
                    saveBlob(new Blob([svg()], { type: "image/svg+xml" }), fileName("steps", "svg")),
                  )}
                  {item("png", async () => saveBlob(await svgToPng(svg(), 3), fileName("steps", "png")))}
                  {item("csv", () =>
                    saveBlob(new Blob([csv()], { type: "text/csv" }), fileName("steps", "csv")),
                  )}
                </>
              );
            }}
          </Menu>
        </div>
      </header>
      <div
        ref={host}
        class="steps-chart"
        role="img"
        tabIndex={0}
        aria-label={t("stepsChart", { n: count })}
        onPointerMove={(event) => {
          const x = at(event);
          if (drag) return setDrag({ ...drag, to: x });
          const index = barAt(x);
          setCursor(index);
          if (index >= 0) say(bars[index], { left: event.clientX, top: event.clientY });
          else hideFloating();
        }}
        onPointerDown={(event) => {
          if (event.button !== 0) return;
          event.currentTarget.setPointerCapture(event.pointerId);
          hideFloating();
          setDrag({ from: at(event), to: at(event) });
        }}
        onPointerUp={() => {
          if (drag && Math.abs(drag.to - drag.from) > 6) zoomTo(drag.from, drag.to);
          setDrag(null);
        }}
        onPointerLeave={() => {
          setCursor(-1);
          hideFloating();
        }}
        onDblClick={() => (stepWindow.value = "")}
        onBlur={() => setCursor(-1)}
        onKeyDown={(event) => {
          if (event.key === "0") stepWindow.value = "";
          else if (event.key === "ArrowLeft" || event.key === "ArrowRight") {
            const by = event.key === "ArrowLeft" ? -1 : 1;
            const next = Math.min(Math.max(cursor + by, 0), bars.length - 1);
            setCursor(next);
            if (bars[next]) say(bars[next], null);
          } else return;
          event.preventDefault();
        }}
      >
        <svg width={width} height={HEIGHT} aria-hidden="true">
          <g transform={`translate(${AXIS.left} ${AXIS.top})`}>
            {marks.map((mark) => {
              const y = height - (mark.at / (most || 1)) * height;
              return (
                <g key={mark.at}>
                  <path class="grid-line" d={`M0 ${y}h${plot}`} />
                  <text class="axis-text" x={-8} y={y + 4} text-anchor="end">
                    {formatMoment(mark.at, step)}
                  </text>
                </g>
              );
            })}
            {PHASES.map((phase, i) => (
              <path key={phase} d={pathOf(bars, i, height, most)} fill={phaseColor(phase)} />
            ))}
            {cursor >= 0 && bars[cursor] && (
              <rect
                class="steps-cursor"
                x={bars[cursor].left}
                y={0}
                width={Math.max(bars[cursor].width, 2)}
                height={height}
              />
            )}
            {drag && (
              <rect
                class="steps-drag"
                x={Math.min(drag.from, drag.to)}
                y={0}
                width={Math.abs(drag.to - drag.from)}
                height={height}
              />
            )}
            {ticks(begin + first, end + first, Math.max(2, plot / 90), "step").map((mark) => (
              <text
                key={mark.at}
                class="axis-text"
                x={((mark.at - first - begin) / (end - begin)) * plot}
                y={height + 18}
                text-anchor="middle"
              >
                {mark.label}
              </text>
            ))}
          </g>
        </svg>
      </div>
    </section>
  );
}

function stepsSvg(
  title: string,
  bars: readonly Bar[],
  most: number,
  plot: number,
  height: number,
  from: number,
  to: number,
): string {
  const [left, top] = [64, 40];
  const colors: Record<Phase, string> = {
    input: "#d55e00",
    compile: "#7551c4",
    dispatch: "#b57a00",
    device: "#0072b2",
    callbacks: "#c0468c",
    host: "#5d6878",
  };
  const [width, total] = [plot + left + 24, height + 120];
  const out = [
    `<svg xmlns="http://www.w3.org/2000/svg" width="${width}" height="${total}" viewBox="0 0 ${width} ${total}" font-family="Helvetica, Arial, sans-serif" font-size="12" fill="#222">`,
    `<rect width="100%" height="100%" fill="#fff"/><text x="${left}" y="24" font-size="15" font-weight="600">${escapeXml(title)}</text>`,
  ];
  const marks = ticks(0, most || 1, 5, "linear");
  const step = marks.length > 1 ? marks[1].at : most;
  for (const { at } of marks) {
    const y = (top + height - (at / (most || 1)) * height).toFixed(2);
    out.push(`<path d="M${left} ${y}h${plot}" stroke="#e4e4e4"/>`);
    out.push(`<text x="${left - 8}" y="${y}" dy="4" text-anchor="end">${formatMoment(at, step)}</text>`);
  }
  out.push(`<g transform="translate(${left} ${top})">`);
  PHASES.forEach((phase, i) => {
    out.push(`<path d="${pathOf(bars, i, height, most)}" fill="${colors[phase]}"/>`);
  });
  out.push("</g>");
  for (const { at, label } of ticks(from, to, 7, "step")) {
    const x = left + ((at - from) / (to - from)) * plot;
    out.push(
      `<text x="${x.toFixed(2)}" y="${top + height + 18}" text-anchor="middle">${escapeXml(label)}</text>`,
    );
  }
  out.push(
    `<text x="${left + plot / 2}" y="${top + height + 36}" text-anchor="middle" fill="#555">${escapeXml(t("stepAxis"))}</text>`,
  );
  PHASES.forEach((phase, i) => {
    const x = left + (i % 3) * 180;
    const y = top + height + 56 + Math.floor(i / 3) * 18;
    out.push(`<rect x="${x}" y="${y - 9}" width="12" height="12" fill="${colors[phase]}"/>`);
    out.push(`<text x="${x + 18}" y="${y + 1}">${escapeXml(phaseName(phase))}</text>`);
  });
  out.push("</svg>");
  return out.join("\n");
}
