/** The first view: the verdict, the figures of steps, and their time, one by one. */

import type { ProfileOverview } from "../../api/schema";
import { formatCount } from "../../chart/format";
import { formatBytes, formatSeconds, formatShare } from "./format";
import { PhaseBar, PhaseLegend } from "./phases";
import { type Figures, figures } from "./statistics";
import { StepsChart } from "./steps_chart";
import { boundBy, VerdictCard } from "./verdict";
import { t } from "./words";

interface Named {
  overview: ProfileOverview;
  title: string;
}

const MOST_PROGRAMS = 8;
const MARK = 'with tf.profiler.experimental.Trace("train", step_num=step):';

export function Overview({ one, other }: { one: Named; other: Named | null }) {
  // Beside each other, both charts of steps have one scale.
  const most = Math.max(
    ...[one, other].map((named) => (named ? (figures(named.overview)?.longest ?? 0) : 0)),
  );
  return (
    <div class="profile-page">
      <div class={other ? "verdicts are-two" : "verdicts"}>
        <VerdictCard {...one} />
        {other ? <VerdictCard {...other} /> : <Tiles overview={one.overview} />}
      </div>
      {other && <Comparison one={one} other={other} />}
      {[one, ...(other ? [other] : [])].map((named) => (
        <Steps key={named.title} {...named} isNamed={other !== null} least={other ? most : 0} />
      ))}
      <Programs overview={one.overview} />
    </div>
  );
}

function Steps({ overview, title, isNamed, least }: Named & { isNamed: boolean; least: number }) {
  const hasSteps = overview.steps.total > 0;
  return (
    <>
      <section class="profile-block" aria-label={isNamed ? `${t("phases")}, ${title}` : t("phases")}>
        <header class="profile-head">
          <h3>{t("phases")}</h3>
          {isNamed && <span class="profile-of">{title}</span>}
        </header>
        <PhaseBar overview={overview} />
        <PhaseLegend overview={overview} />
      </section>
      {hasSteps ? (
        <StepsChart overview={overview} title={title} least={least} />
      ) : (
        <p class="profile-note">
          {t("noSteps")} <code>{MARK}</code>
        </p>
      )}
    </>
  );
}

function peakOf({ memory }: ProfileOverview): number {
  return [...memory.process, memory.allocator_peak].reduce((a, b) => Math.max(a, b), 0);
}

function compiling({ compiles }: ProfileOverview): number {
  return compiles.reduce((sum, one) => sum + one.wall, 0);
}

function Tiles({ overview }: { overview: ProfileOverview }) {
  const found = figures(overview);
  const time = (key: keyof Figures) => (found ? formatSeconds(found[key]) : "–");
  const peak = peakOf(overview);
  const tiles: [string, string][] = [
    [t("mean"), time("mean")],
    [t("median"), time("median")],
    [t("p95"), time("p95")],
    [t("longest"), time("longest")],
    [t("stepCount"), found ? formatCount(found.count) : "–"],
    ...(found?.left ? [[t("left"), formatCount(found.left)] as [string, string]] : []),
    [t("duration"), formatSeconds(overview.duration)],
    [t("compiled"), overview.is_measured ? formatSeconds(compiling(overview)) : "–"],
    [t("peak"), peak ? formatBytes(peak) : "–"],
    [t("device"), overview.device || "–"],
  ];
  if (overview.low_precision_share > 0) tiles.push([t("low"), formatShare(overview.low_precision_share)]);
  return (
    <dl class="tiles">
      {tiles.map(([name, value]) => (
        <div key={name}>
          <dt>{name}</dt>
          <dd>{value}</dd>
        </div>
      ))}
    </dl>
  );
}

/** The figures of both profiles, and what has changed. */
function Comparison({ one, other }: { one: Named; other: Named }) {
  const both = [one.overview, other.overview];
  const found = both.map(figures);
  const share = (overview: ProfileOverview, phase: string) => {
    const whole = Object.values(overview.breakdown).reduce((a, b) => a + b, 0);
    return whole ? (overview.breakdown[phase] ?? 0) / whole : Number.NaN;
  };
  const seconds = (name: string, key: keyof Figures) =>
    row(
      name,
      found.map((one) => (one ? one[key] : Number.NaN)),
      formatSeconds,
    );
  const row = (name: string, [a, b]: number[], format: (value: number) => string) => ({
    name,
    texts: [a, b].map((value) => (Number.isFinite(value) ? format(value) : "–")),
    change: Number.isFinite(b / a) ? b / a - 1 : Number.NaN,
  });
  const points = (name: string, phase: string) => {
    const [a, b] = both.map((one) => share(one, phase));
    return { ...row(name, [a, b], formatShare), change: Number.NaN, points: (b - a) * 100 };
  };
  const rows: { name: string; texts: string[]; change: number; points?: number }[] = [
    seconds(t("mean"), "mean"),
    seconds(t("median"), "median"),
    seconds(t("p95"), "p95"),
    seconds(t("longest"), "longest"),
    points(t("phaseInput"), "input"),
    points(t("phaseDevice"), "device"),
    row(
      t("peak"),
      both.map((one) => peakOf(one) || Number.NaN),
      formatBytes,
    ),
  ];
  return (
    <table class="profile-table comparison">
      <thead>
        <tr>
          <th>{t("figure")}</th>
          <th class="is-number">
            {one.title} <em>{boundBy(one.overview.verdict.kind)}</em>
          </th>
          <th class="is-number">
            {other.title} <em>{boundBy(other.overview.verdict.kind)}</em>
          </th>
          <th class="is-number" data-tip={t("changeTip")}>
            {t("change")}
          </th>
        </tr>
      </thead>
      <tbody>
        {rows.map(({ name, texts, change, points }) => (
          <tr key={name}>
            <td>{name}</td>
            <td class="is-number">{texts[0]}</td>
            <td class="is-number">{texts[1]}</td>
            <td class={`is-number ${change < -0.02 ? "is-less" : change > 0.02 ? "is-more" : ""}`}>
              {points === undefined ? signed(change * 100, "%") : signed(points, ` ${t("points")}`)}
            </td>
          </tr>
        ))}
      </tbody>
    </table>
  );
}

function signed(value: number, unit: string): string {
  if (!Number.isFinite(value)) return "–";
  return `${value < 0 ? "−" : "+"}${Math.abs(value).toFixed(0)}${unit}`;
}

function Programs({ overview }: { overview: ProfileOverview }) {
  if ([overview.hooks, overview.callbacks, overview.compiles].every((all) => Object.keys(all).length === 0))
    return null;
  return (
    <div class="profile-columns">
      {overview.compiles.length > 0 && (
        <section class="profile-block" aria-label={t("programs")}>
          <header class="profile-head">
            <h3>{t("programs")}</h3>
          </header>
          <table class="profile-table">
            <tbody>
              {overview.compiles.slice(0, MOST_PROGRAMS).map((one, i) => (
                <tr key={i}>
                  <td class="is-long">{one.name}</td>
                  <td class="is-faint">{one.is_cached ? t("cached") : ""}</td>
                  <td class="is-number">{formatSeconds(one.wall)}</td>
                </tr>
              ))}
            </tbody>
          </table>
        </section>
      )}
      <Times title={t("callbacksOfSteps")} times={overview.callbacks} />
      <Times title={t("between")} times={overview.hooks} />
    </div>
  );
}

/** What took how long, by name, the slowest first. */
function Times({ title, times }: { title: string; times: Record<string, number> }) {
  const sorted = Object.entries(times).sort(([, a], [, b]) => b - a);
  if (sorted.length === 0) return null;
  return (
    <section class="profile-block" aria-label={title}>
      <header class="profile-head">
        <h3>{title}</h3>
      </header>
      <table class="profile-table">
        <tbody>
          {sorted.map(([name, seconds]) => (
            <tr key={name}>
              <td class="is-long">{name}</td>
              <td class="is-number">{formatSeconds(seconds)}</td>
            </tr>
          ))}
        </tbody>
      </table>
    </section>
  );
}
