/** Which hparams matter for a metric: bars, what they mean in words, and correlations beside them. */

import { useEffect, useRef, useState } from "preact/hooks";
import type { ImportanceAnswer } from "../../api/schema";
import { source, withQuery } from "../../api/source";
import { formatValue } from "../../chart/format";
import { joined } from "../../i18n/notes";
import { Notice, Select } from "../../ui/controls";
import { answer, point } from "./sessions";
import { isShown, metrics, target, titleOf } from "./state";
import { say, t } from "./words";

/** Below this share of the spread, the forest knows next to nothing; below the other, not much. */
const NOTHING = 0.1;
const LITTLE = 0.4;
const PAUSE_MS = 2000;

/** The answer for a metric, asked for again when sessions change, but not while one is under way. */
function useImportance(key: string): { found: ImportanceAnswer | null; error: string } {
  const [state, setState] = useState({ key: "", found: null as ImportanceAnswer | null, error: "" });
  const table = answer.value;
  const value = point.value;
  const asked = useRef("");
  useEffect(() => {
    if (!key) return;
    const name = `${key}\n${value}`;
    const isAgain = asked.current === name;
    asked.current = name;
    const [, group, ...tag] = key.split(":");
    const query = { tag: tag.join(":"), group: decodeURIComponent(group), value };
    const ask = async () => {
      try {
        const found = await source.get<ImportanceAnswer>(withQuery("api/v1/hparams/importance", query));
        if (asked.current === name) setState({ key, found, error: "" });
      } catch (error) {
        const text = source.isLive ? (error as Error).message : t("notExported");
        if (asked.current === name) setState({ key, found: null, error: text });
      }
    };
    // An answer that is on its way is taken though sessions have changed since; the next follows after a while.
    if (!isAgain) {
      void ask();
      return;
    }
    const timer = setTimeout(ask, PAUSE_MS);
    return () => clearTimeout(timer);
  }, [key, value, table]);
  return state.key === key ? state : { found: null, error: "" };
}

export function Importance() {
  const all = metrics.value;
  const chosen = all.find(({ key }) => key === target.value) ?? all.find(isShown) ?? all[0];
  const { found, error } = useImportance(chosen?.key ?? "");
  if (!chosen) return <Notice title={t("noAxes")}>{t("noAxesText")}</Notice>;
  const name = titleOf(chosen);
  return (
    <div class="hp-importance" tabIndex={0} role="region" aria-label={t("importance")}>
      <Select
        label={t("metric")}
        tip={t("metricTip")}
        value={chosen.key}
        options={all.map((column) => [column.key, titleOf(column)] as const)}
        onChange={(key) => (target.value = key)}
      />
      {error && <p class="hp-words">{error}</p>}
      {!found && !error && <Notice title={t("loading")} isBusy />}
      {found && (
        <>
          <Bars found={found} />
          <p class="hp-words">
            {found.explained === null ? (
              t("cannot", { reason: joined(found.notes, say) })
            ) : (
              <Trust found={found} />
            )}
          </p>
          <p class="hp-words">{t("what", { metric: name })}</p>
        </>
      )}
    </div>
  );
}

function Trust({ found }: { found: ImportanceAnswer }) {
  const explained = found.explained ?? 0;
  const percent = Math.max(0, Math.round(100 * explained));
  return (
    <>
      {t("explained", { n: found.sessions, percent })}{" "}
      {explained < NOTHING ? <strong>{t("unsure")}</strong> : explained < LITTLE && t("somewhat")}
    </>
  );
}

const MOST_BARS = 100;

function Bars({ found }: { found: ImportanceAnswer }) {
  const longest = Math.max(1e-9, ...found.hparams.map((one) => (one.importance ?? 0) + (one.error ?? 0)));
  const share = (value: number | null) => `${(100 * (value ?? 0)) / longest}%`;
  return (
    <table class="hp-bars">
      <thead>
        <tr>
          <th>{t("hparamColumns")}</th>
          <th class="is-bar">{t("importance")}</th>
          <th data-tip={t("correlationTip")}>{t("correlation")}</th>
        </tr>
      </thead>
      <tbody>
        {found.hparams.slice(0, MOST_BARS).map((one) => (
          <tr key={one.name} class={one.is_constant ? "is-constant" : undefined}>
            <td class="hp-bar-name" data-tip={one.name}>
              {one.display_name || one.name}
            </td>
            <td class="is-bar">
              {one.importance === null ? (
                one.is_constant && t("constant")
              ) : (
                <div class="hp-bar-line">
                  <span class="hp-bar-track">
                    <span class="hp-bar" style={{ width: share(one.importance) }} />
                    <span
                      class="hp-bar-error"
                      style={{
                        left: share(Math.max(0, one.importance - (one.error ?? 0))),
                        width: share(Math.min(one.importance, one.error ?? 0) + (one.error ?? 0)),
                      }}
                    />
                  </span>
                  <span class="hp-bar-value">
                    {formatValue(one.importance, 2)} ± {formatValue(one.error ?? 0, 1)}
                  </span>
                </div>
              )}
            </td>
            <td>
              {!one.is_constant && <Correlation value={one.correlation} hasSign={one.kind === "number"} />}
            </td>
          </tr>
        ))}
      </tbody>
    </table>
  );
}

/** From −1 at the left to 1 at the right of a middle line. */
function Correlation({ value, hasSign }: { value: number | null; hasSign: boolean }) {
  if (value === null) return <span class="hp-weak">{t("undefinedCorrelation")}</span>;
  const left = value < 0 ? 50 + 50 * value : 50;
  return (
    <div class="hp-bar-line">
      <span class="hp-bar-track is-middle">
        <span
          class={value < 0 ? "hp-bar is-negative" : "hp-bar"}
          style={{ left: `${left}%`, width: `${50 * Math.abs(value)}%` }}
        />
      </span>
      <span class="hp-bar-value">
        {hasSign && value > 0 ? "+" : ""}
        {formatValue(value, 2)}
      </span>
    </div>
  );
}
