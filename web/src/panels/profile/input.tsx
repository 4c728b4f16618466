/** The input pipeline: its stages from the source on, what each took, and what to change. */

import type { ProfileOverview, ProfilePipeline, ProfileStage } from "../../api/schema";
import { formatCount } from "../../chart/format";
import { Notice } from "../../ui/controls";
import { phaseColor } from "./colors";
import { formatSeconds, formatShare } from "./format";
import { shares } from "./statistics";
import { VerdictCard } from "./verdict";
import { t } from "./words";

const LITTLE = 0.02;

export function InputView({ overview, title }: { overview: ProfileOverview; title: string }) {
  if (overview.pipelines.length === 0) return <Notice title={t("noPipeline")}>{t("noPipelineText")}</Notice>;
  const waited = shares(overview.breakdown).find(({ phase }) => phase === "input");
  return (
    <div class="profile-page">
      <p class="profile-note">
        {waited && waited.share > LITTLE
          ? t("waits", { share: formatShare(waited.share), time: formatSeconds(waited.seconds) })
          : t("hidden")}
      </p>
      {overview.pipelines.map((pipeline, i) => (
        <Pipeline
          key={i}
          pipeline={pipeline}
          name={overview.pipelines.length > 1 ? t("pipelineOf", { n: i + 1 }) : t("pipeline")}
        />
      ))}
      {overview.verdict.kind === "input" && <VerdictCard overview={overview} title={title} />}
    </div>
  );
}

function stageName({ method, function: name }: ProfileStage): string {
  return `${method}(${name})`;
}

function Pipeline({ pipeline, name }: { pipeline: ProfilePipeline; name: string }) {
  const { stages } = pipeline;
  const most = stages.reduce((a, { busy }) => Math.max(a, busy), 0);
  const whole = stages.reduce((sum, { busy }) => sum + busy, 0);
  const slowest = stages.find(({ busy }) => busy === most);
  return (
    <section class="profile-block" aria-label={name}>
      <header class="profile-head">
        <h3>{name}</h3>
        <span class="profile-of">
          {pipeline.reads > 0
            ? t("reads", { n: formatCount(pipeline.reads), time: formatSeconds(pipeline.wall) })
            : t("noReads")}
        </span>
      </header>
      {slowest && most > 0 && (
        <p class="profile-note">
          {t("slowest", { stage: stageName(slowest), share: formatShare(most / whole) })}
        </p>
      )}
      <ol class="stages">
        {stages.map((stage, i) => (
          <li key={i} class={stage.busy === most && most > 0 ? "is-slowest" : ""}>
            <code class="stage-name">{stageName(stage)}</code>
            <span class="stage-share">
              <span
                style={{
                  width: `${most ? (100 * stage.busy) / most : 0}%`,
                  background: phaseColor("input"),
                }}
              />
            </span>
            <span class="stage-time">{stage.busy > 0 ? formatSeconds(stage.busy) : ""}</span>
            <span class="stage-more">
              {stage.calls > 0
                ? t("calls", { n: formatCount(stage.calls), time: formatSeconds(stage.busy / stage.calls) })
                : t("noCost")}
              {stage.workers > 1 && `, ${t("workers", { n: stage.workers })}`}
            </span>
          </li>
        ))}
      </ol>
    </section>
  );
}
