/** Step time by phase: one bar, and what each part of it is. */

import type { ProfileOverview } from "../../api/schema";
import { phaseColor } from "./colors";
import { formatSeconds, formatShare } from "./format";
import { hiddenPhases } from "./state";
import { PHASES, type Phase, shares } from "./statistics";
import { t } from "./words";

const NAMES = {
  input: "phaseInput",
  compile: "phaseCompile",
  dispatch: "phaseDispatch",
  device: "phaseDevice",
  callbacks: "phaseCallbacks",
  host: "phaseHost",
} as const;

export function phaseName(phase: Phase): string {
  return t(NAMES[phase]);
}

function toggle(phase: Phase): void {
  const now = new Set(hiddenPhases.value.split(",").filter(Boolean));
  if (!now.delete(phase)) now.add(phase);
  hiddenPhases.value = PHASES.filter((one) => now.has(one)).join(",");
}

export function PhaseBar({ overview }: { overview: ProfileOverview }) {
  const parts = shares(overview.breakdown);
  if (parts.length === 0) return null;
  const text = parts.map(({ phase, share }) => `${phaseName(phase)} ${formatShare(share)}`).join(", ");
  return (
    <div class="phase-bar" role="img" aria-label={`${t("phases")}: ${text}`}>
      {parts.map(({ phase, share }) => (
        <span key={phase} style={{ flexGrow: share, background: phaseColor(phase) }} />
      ))}
    </div>
  );
}

/** What each phase took; a click takes it out of the chart of steps. */
export function PhaseLegend({ overview }: { overview: ProfileOverview }) {
  const hidden = new Set(hiddenPhases.value.split(","));
  return (
    <ul class="phase-legend">
      {shares(overview.breakdown).map(({ phase, seconds, share }) => (
        <li key={phase}>
          <button
            type="button"
            aria-pressed={!hidden.has(phase)}
            data-tip={t("phaseTip")}
            onClick={() => toggle(phase)}
          >
            <span class="phase-mark" style={{ background: phaseColor(phase) }} />
            <span class="phase-name">{phaseName(phase)}</span>
            <span class="phase-time">{formatSeconds(seconds)}</span>
            <strong>{formatShare(share)}</strong>
          </button>
        </li>
      ))}
    </ul>
  );
}
