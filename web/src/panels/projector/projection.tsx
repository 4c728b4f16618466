/** How the points are laid out, and how far that is. */

import { useState } from "preact/hooks";
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
import { cancelJob, job, labelColumn, layout, layoutError, runAgain, unknownEnd } from "./store";
import { t } from "./words";

export function Projection() {
  const lack = sets.value.missing[method.value];
  return (
    <section class="side-section" aria-label={t("projection")}>
      {method.value === "pca" && <Principal />}
      {(method.value === "tsne" || method.value === "umap") && (lack ? <Lack text={lack} /> : <Slow />)}
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
      {layout.value?.message && <p class="side-note">{layout.value.message}</p>}
    </section>
  );
}

/** What is missing, with the command to mend it set apart. */
function Lack({ text }: { text: string }) {
  const [words, command] = text.split(": ", 2);
  return (
    <div class="side-problem" role="alert">
      <p>{words}:</p>
      <code>{command}</code>
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

function Slow() {
  const isTsne = method.value === "tsne";
  const [draft, setDraft] = useState({
    perplexity: perplexity.value,
    neighbors: neighborCount.value,
    distance: minDistance.value,
    iterations: iterations.value,
    metric: layoutMetric.value,
  });
  const isSame =
    draft.perplexity === perplexity.value &&
    draft.neighbors === neighborCount.value &&
    draft.distance === minDistance.value &&
    draft.iterations === iterations.value &&
    draft.metric === layoutMetric.value;
  const now = job.value;
  const isBusy = now?.state === "running" || now?.state === "waiting";
  const run = () => {
    perplexity.value = draft.perplexity;
    neighborCount.value = draft.neighbors;
    minDistance.value = draft.distance;
    iterations.value = draft.iterations;
    layoutMetric.value = draft.metric;
    if (isSame) runAgain();
  };
  return (
    <>
      {isTsne ? (
        <Slider
          label={t("perplexity")}
          tip={t("perplexityTip")}
          value={draft.perplexity}
          min={2}
          max={100}
          step={1}
          text={String(draft.perplexity)}
          onChange={(value) => setDraft({ ...draft, perplexity: value })}
        />
      ) : (
        <>
          <Slider
            label={t("neighborCount")}
            tip={t("neighborCountTip")}
            value={draft.neighbors}
            min={2}
            max={200}
            step={1}
            text={String(draft.neighbors)}
            onChange={(value) => setDraft({ ...draft, neighbors: value })}
          />
          <Slider
            label={t("minDistance")}
            tip={t("minDistanceTip")}
            value={draft.distance}
            min={0}
            max={1}
            step={0.05}
            text={draft.distance.toFixed(2)}
            onChange={(value) => setDraft({ ...draft, distance: value })}
          />
        </>
      )}
      <Slider
        label={t("iterations")}
        tip={t("iterationsTip")}
        value={draft.iterations}
        min={100}
        max={2000}
        step={50}
        text={String(draft.iterations)}
        onChange={(value) => setDraft({ ...draft, iterations: value })}
      />
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
  const { state, iteration, total, message } = now;
  const words = {
    waiting: t("waiting"),
    running: iteration || !message ? t("running", { i: iteration, total }) : t("starting", { what: message }),
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
            value={ends.value[i]}
            aria-label={name}
            onChange={(event) => {
              const text = event.currentTarget.value;
              ends.value = ends.value.map((old, j) => (j === i ? text : old));
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
