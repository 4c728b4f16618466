/** What is chosen: a point with its cells and neighbours, the points of a box, or those that a search found. */

import { source } from "../../api/source";
import { formatValue } from "../../chart/format";
import { Segmented, Slider } from "../../ui/controls";
import { textAt } from "./columns";
import { hovered, isIsolated, type Metric, nearCount, nearMetric, searchText, selected } from "./state";
import { clearSelection, coloring, facts, focus, found, labelColumn, near, row } from "./store";
import { t } from "./words";

const MOST_LISTED = 100;

export function Selection() {
  const isAny = selected.value.length > 0 || searchText.value !== "";
  return (
    <section class="side-section" aria-label={t("selection")}>
      <div class="side-row">
        <h3>{t("selection")}</h3>
        {isAny && (
          <>
            <button
              type="button"
              class="toggle"
              aria-pressed={isIsolated.value}
              data-tip={t("isolateTip")}
              onClick={() => {
                isIsolated.value = !isIsolated.value;
              }}
            >
              {t("isolate")}
            </button>
            <button type="button" class="text-button" data-tip={t("clearTip")} onClick={clearSelection}>
              {t("clear")}
            </button>
          </>
        )}
      </div>
      {!isAny && <p class="side-note">{t("nothing")}</p>}
      {focus.value >= 0 ? <Focus /> : isAny && <Listed />}
    </section>
  );
}

/** Points that a search found or a box holds. */
function Listed() {
  const isChosen = selected.value.length > 0;
  const indices = isChosen ? selected.value : found.value;
  return (
    <>
      <p class="side-note" role="status">
        {t(isChosen ? "chosen" : "found", { n: indices.length })}
      </p>
      <Points indices={indices} />
    </>
  );
}

/** One point. */
function Focus() {
  const cells = row.value.value?.index === focus.value ? row.value.value.cells : [];
  return (
    <>
      <h4>{t("point", { n: focus.value })}</h4>
      <dl class="cells">
        {cells.map(([name, text]) => (
          <div key={name}>
            <dt>{name}</dt>
            <dd>{text}</dd>
          </div>
        ))}
      </dl>
      <h4>{t("near")}</h4>
      {source.isLive ? <Near /> : <p class="side-note">{t("savedNear")}</p>}
    </>
  );
}

function Near() {
  const neighbours = near.value.value?.index === focus.value ? near.value.value : null;
  return (
    <>
      <div class="side-row">
        <Segmented<Metric>
          label={t("metric")}
          tip={t("metricTip")}
          value={nearMetric.value}
          options={[
            ["cosine", t("cosine")],
            ["euclidean", t("euclidean")],
          ]}
          onChange={(value) => {
            nearMetric.value = value;
          }}
        />
      </div>
      <Slider
        label={t("nearCount")}
        tip={t("nearCountTip")}
        value={nearCount.value}
        min={1}
        max={Math.max(1, Math.min(200, (facts.value.value?.points ?? 2) - 1))}
        step={1}
        text={String(nearCount.value)}
        onChange={(value) => {
          nearCount.value = value;
        }}
      />
      {near.value.error && <p class="side-problem">{near.value.error}</p>}
      {neighbours && <Points indices={neighbours.indices} distances={neighbours.distances} />}
    </>
  );
}

interface PointsProps {
  indices: readonly number[];
  distances?: readonly number[];
}

function Points({ indices, distances }: PointsProps) {
  const { colors } = coloring.value;
  const hover = (index: number) => () => {
    hovered.value = index;
  };
  return (
    <ul class="points-list">
      {indices.slice(0, MOST_LISTED).map((index, i) => {
        const name = textAt(labelColumn.value.value, index);
        const rgb = [...colors.slice(4 * index, 4 * index + 3)].join(" ");
        return (
          <li key={index}>
            <button
              type="button"
              data-tip={t("pick", { name })}
              onPointerEnter={hover(index)}
              onPointerLeave={hover(-1)}
              onFocus={hover(index)}
              onBlur={hover(-1)}
              onClick={() => {
                selected.value = [index];
              }}
            >
              <span class="key-dot" style={{ background: `rgb(${rgb})` }} />
              <span class="key-name">{name}</span>
              <span class="key-count">{distances ? formatValue(distances[i], 3) : `#${index}`}</span>
            </button>
          </li>
        );
      })}
      {indices.length > MOST_LISTED && (
        <li class="side-note">{t("more", { n: indices.length - MOST_LISTED })}</li>
      )}
    </ul>
  );
}
