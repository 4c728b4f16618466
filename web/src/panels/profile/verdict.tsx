/** The verdict on a profile: what training waits for, and what to do about it. */

import type { ProfileOverview, ProfileRemedy, VerdictKind } from "../../api/schema";
import { withCode } from "../../ui/with_code";
import { formatSeconds, formatShare } from "./format";
import { remedyText } from "./remedies";
import { t } from "./words";

const WORDS = {
  input: ["boundInput", "saysInput"],
  callbacks: ["boundCallbacks", "saysCallbacks"],
  host: ["boundHost", "saysHost"],
  device: ["boundDevice", "saysDevice"],
  compile: ["boundCompile", "saysCompile"],
  unknown: ["boundUnknown", "saysUnknown"],
} as const;

const TONES: Record<VerdictKind, string> = {
  input: "is-warn",
  callbacks: "is-warn",
  host: "is-warn",
  compile: "is-warn",
  device: "is-good",
  unknown: "",
};

/** The share of compiling from which on it is said that the verdict leaves it out: the bars below show it. */
const LEAST_TOLD = 0.05;
/** From this share on, compiling is the verdict: what steps without it do matters less. */
const MOSTLY = 0.5;

export function boundBy(kind: VerdictKind): string {
  return t(WORDS[kind][0]);
}

/** A remedy in words. A profile that another tool wrote is of a program that may not have TapeFlow's ways. */
function adviceText(remedy: ProfileRemedy, isOurs: boolean): string {
  return !isOurs && remedy.kind === "staging" ? t("stagingElsewhere") : remedyText(remedy);
}

export function VerdictCard({ overview, title }: { overview: ProfileOverview; title: string }) {
  const { verdict } = overview;
  const [name, says] = WORDS[verdict.kind];
  const whole = Object.values(overview.breakdown).reduce((a, b) => a + b, 0);
  const compiling = overview.breakdown.compile ?? 0;
  if (verdict.kind === "device" && compiling > MOSTLY * whole) {
    const values = { share: formatShare(compiling / whole), rest: formatShare(verdict.share) };
    return (
      <section class={`verdict ${TONES.compile}`} aria-label={title}>
        <p class="verdict-of">{title}</p>
        <h2>{boundBy("compile")}</h2>
        <p class="verdict-says">{t("mostlyOf", values)}</p>
        <p>{t("moreSteps")}</p>
      </section>
    );
  }
  return (
    <section class={`verdict ${TONES[verdict.kind]}`} aria-label={title}>
      <p class="verdict-of">{title}</p>
      <h2>{t(name)}</h2>
      <p class="verdict-says">{t(says, { share: formatShare(verdict.share) })}</p>
      {verdict.remedies.length > 0 ? (
        <>
          <h3>{t("todo")}</h3>
          <ol>
            {verdict.remedies.map((remedy) => (
              <li key={remedy.text}>{withCode(adviceText(remedy, overview.is_measured))}</li>
            ))}
          </ol>
        </>
      ) : verdict.kind === "device" ? (
        <p>
          {t("nothingToDo")} {overview.ops.length > 0 && t("fasterOps")}
        </p>
      ) : (
        <p>{verdict.kind === "compile" ? t("moreSteps") : withCode(t("markSteps"))}</p>
      )}
      {verdict.kind !== "compile" && compiling > LEAST_TOLD * whole && (
        <p class="verdict-note">
          {t("withoutCompiling", { time: formatSeconds(compiling), share: formatShare(compiling / whole) })}
        </p>
      )}
      {!overview.is_measured && verdict.kind !== "unknown" && <p class="verdict-note">{t("judged")}</p>}
    </section>
  );
}
