/** How the points are laid out, and how far that is. */

import { batch } from "@preact/signals";
import { useState } from "preact/hooks";
import { source } from "../../api/source";
import { Segmented, Select, Slider } from "../../ui/controls";
import { sets } from "./sets";
import {
  components,
  dimensions,
  ends,
  iterations,
  layoutMetric,
  type Method,
  type Metric,
  method,
  minDistance,
  neighborCount,
  perplexity,
} from "./state";
import { axisEnds, cancelJob, job, labelColumn, layout, layoutError, runAgain, unknownEnd } from "./store";
import { say, t } from "./words";

const INSTALL = 'pip install "tapeflow[projector]"';

export function Projection() {
  const lack = sets.value.missing[method.value];
  return (
    <section class="side-section" aria-label={t("projection")}>
      {method.value === "pca" && <Principal />}
      {!source.isLive && <p class="side-note">{t("savedMethods")}</p>}
      {(method.value === "tsne" || method.value === "umap") &&
        (lack ? <Lack name={method.value} /> : <Slow name={method.value} />)}
      {method.value === "axes" && <Axes />}
      {unknownEnd.value && (
        <p class="side-problem" role="alert">
          {t("unknownEnd", { text: unknownEnd.value })}
        </p>
      )}
      {layoutError.value && (
        <p class="side-problem" role="alert">
          {layoutError.value}
        </p>
      )}
      {layout.value?.note && <p class="side-note">{say(layout.value.note)}</p>}
    </section>
  );
}

/** What is missing, with the command to mend it set apart. */
function Lack({ name }: { name: "tsne" | "umap" }) {
  return (
    <div class="side-problem" role="alert">
      <p>{t("lack", { name: t(name) })}</p>
      <code>{INSTALL}</code>
    </div>
  );
}

function Principal() {
  const shares = layout.value?.variance ?? [];
  const shown = components.value.slice(0, Number(dimensions.value));
  const text = (share: number) => (100 * share).toFixed(1);
  const options = (shares.length ? shares : [0, 0, 0]).map(
    (share, i) => [String(i), t("componentName", { n: i + 1, share: text(share) })] as const,
  );
  const total = [...new Set(shown)].reduce((sum, i) => sum + (shares[i] ?? 0), 0);
  return (
    <>
      {shown.map((component, place) => (
        <Select
          key={place}
          label={t("component", { axis: "XYZ"[place] })}
          tip={t("componentTip")}
          value={String(component)}
          options={options}
          onChange={(value) => {
            components.value = components.value.map((old, i) => (i === place ? Number(value) : old));
          }}
        />
      ))}
      {shares.length > 0 && <p class="side-note">{t("explained", { share: text(total) })}</p>}
    </>
  );
}

/** What the slow methods can be told, and how far. */
const DIALS = {
  perplexity: { of: perplexity, min: 2, max: 100, step: 1 },
  neighborCount: { of: neighborCount, min: 2, max: 200, step: 1 },
  minDistance: { of: minDistance, min: 0, max: 1, step: 0.05 },
  iterations: { of: iterations, min: 100, max: 2000, step: 50 },
};

type Dial = keyof typeof DIALS;

const ALL_DIALS = Object.keys(DIALS) as Dial[];
const DIALS_OF: Record<"tsne" | "umap", readonly Dial[]> = {
  tsne: ["perplexity", "iterations"],
  umap: ["neighborCount", "minDistance", "iterations"],
};

/** The slow methods: what they are told is a draft until they are run. */
function Slow({ name }: { name: "tsne" | "umap" }) {
  const [draft, setDraft] = useState({
    ...(Object.fromEntries(ALL_DIALS.map((dial) => [dial, DIALS[dial].of.value])) as Record<Dial, number>),
    metric: layoutMetric.value,
  });
  const isSame =
    ALL_DIALS.every((dial) => draft[dial] === DIALS[dial].of.value) && draft.metric === layoutMetric.value;
  const now = job.value;
  const isBusy = now?.state === "running" || now?.state === "waiting";
  const run = () =>
    batch(() => {
      for (const dial of ALL_DIALS) DIALS[dial].of.value = draft[dial];
      layoutMetric.value = draft.metric;
      if (isSame) runAgain();
    });
  return (
    <>
      {DIALS_OF[name].map((dial) => (
        <Slider
          key={dial}
          label={t(dial)}
          tip={t(`${dial}Tip`)}
          value={draft[dial]}
          min={DIALS[dial].min}
          max={DIALS[dial].max}
          step={DIALS[dial].step}
          text={draft[dial].toFixed(DIALS[dial].step < 1 ? 2 : 0)}
          onChange={(value) => setDraft({ ...draft, [dial]: value })}
        />
      ))}
      <Segmented<Metric>
        label={t("metric")}
        tip={t("metricTip")}
        value={draft.metric}
        options={[
          ["euclidean", t("euclidean")],
          ["cosine", t("cosine")],
        ]}
        onChange={(value) => setDraft({ ...draft, metric: value })}
      />
      <Progress />
      <div class="side-row">
        {isBusy && (
          <button type="button" class="text-button" data-tip={t("cancelTip")} onClick={cancelJob}>
            {t("cancel")}
          </button>
        )}
        {(!isSame || !isBusy) && (!isSame || now?.state !== "done") && (
          <button type="button" class="text-button is-accent" data-tip={t("runTip")} onClick={run}>
            {t("run")}
          </button>
        )}
      </div>
    </>
  );
}

function Progress() {
  const now = job.value;
  if (!now) return null;
  const { state, iteration, total, message, note } = now;
  const words = {
    waiting: t("waiting"),
    running: iteration || !note ? t("running", { i: iteration, total }) : t("starting", { what: say(note) }),
    done: t("done", { total }),
    cancelled: t("cancelled", { i: iteration }),
    failed: t("failed", { error: message }),
  }[state];
  return (
    <div class="side-progress">
      {(state === "running" || state === "waiting") && (
        <progress
          aria-label={t("projection")}
          {...(iteration || state === "waiting" ? { value: iteration } : {})}
          max={total}
        />
      )}
      <p class={state === "failed" ? "side-problem" : "side-note"}>{words}</p>
    </div>
  );
}

function Axes() {
  const values = labelColumn.value.value?.values ?? [];
  const names = [t("left"), t("right"), t("down"), t("up")];
  return (
    <>
      <p class="side-note">{t("axesHint")}</p>
      {names.map((name, i) => (
        <label key={name} class="side-field" data-tip={t("endTip")}>
          <span class="field-label">{name}</span>
          <input
            type="text"
            class="text-input"
            list="projector-labels"
            value={axisEnds.value[i]}
            aria-label={name}
            onChange={(event) => {
              const text = event.currentTarget.value;
              ends.value = axisEnds.value.map((old, j) => (j === i ? text : old));
            }}
          />
        </label>
      ))}
      <datalist id="projector-labels">
        {values.slice(0, 300).map((value) => (
          <option key={value} value={value} />
        ))}
      </datalist>
    </>
  );
}

export function MethodChoice() {
  if (!source.isLive) return null;
  return (
    <Segmented<Method>
      label={t("method")}
      tip={t("methodTip")}
      value={method.value}
      options={[
        ["pca", t("pca")],
        ["tsne", t("tsne")],
        ["umap", t("umap")],
        ["axes", t("axes")],
      ]}
      onChange={(value) => {
        method.value = value;
      }}
    />
  );
}
