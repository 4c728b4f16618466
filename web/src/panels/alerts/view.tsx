/** The alerts panel: what is wrong with the runs being shown, the worst first. */

import { formatCount, formatTime } from "../../chart/format";
import { alerts, alertText, canNotify, notifies, type RunAlert, setNotifies } from "../../state/alerts";
import { pattern } from "../../state/order";
import { checkOnly, colorOf, label, visibleRuns } from "../../state/runs";
import { choiceCodec, textCodec, urlSignal } from "../../state/url";
import { Notice, Search, Segmented, Toggle } from "../../ui/controls";
import { Name } from "../../ui/name";
import "./alerts.css";
import { t } from "./words";

const level = urlSignal<"all" | "error" | "warning" | "info">(
  "alertLevel",
  "all",
  choiceCodec("all", "error", "warning", "info"),
);
/** As many as anybody reads; the filter finds the others. */
const MOST = 500;
const search = urlSignal("alertSearch", "", textCodec);

export default function Alerts() {
  const ids = new Set(visibleRuns.value.map((run) => run.id));
  const wanted = pattern(search.value);
  const shown = alerts.value.filter(
    ({ run, alert }) =>
      ids.has(run.id) &&
      (level.value === "all" || alert.level === level.value) &&
      (!wanted || wanted.test(alertText(alert)) || wanted.test(label(run))),
  );
  return (
    <div class="panel alerts">
      <div class="toolbar" role="toolbar" aria-label={t("toolbar")}>
        <Search
          label={t("search")}
          tip={t("searchTip")}
          value={search.value}
          onChange={(text) => {
            search.value = text;
          }}
        />
        <Segmented
          label={t("level")}
          tip={t("levelTip")}
          value={level.value}
          options={(["all", "error", "warning", "info"] as const).map((one) => [one, t(one)] as const)}
          onChange={(value) => {
            level.value = value;
          }}
        />
        {canNotify && (
          <Toggle
            label={t("notify")}
            tip={t("notifyTip")}
            isOn={notifies.value}
            onChange={(isOn) => void setNotifies(isOn)}
          />
        )}
      </div>
      <div class="panel-body">
        <Shown shown={shown} />
      </div>
    </div>
  );
}

function Shown({ shown }: { shown: readonly RunAlert[] }) {
  if (alerts.value.length === 0) return <Notice title={t("none")}>{t("noneText")}</Notice>;
  if (shown.length === 0) return <Notice title={t("noneOfRuns")}>{t("noneOfRunsText")}</Notice>;
  return (
    <ul class="alert-list">
      {shown.slice(0, MOST).map((one) => (
        <AlertRow key={one.key} run={one.run} alert={one.alert} />
      ))}
      {shown.length > MOST && (
        <li class="alert-more">{t("more", { n: formatCount(shown.length - MOST) })}</li>
      )}
    </ul>
  );
}

const LEVELS = { error: "isError", warning: "isWarning", info: "isInfo" } as const;

function AlertRow({ run, alert }: Omit<RunAlert, "key">) {
  const facts = [];
  if (alert.step !== null) facts.push(t("atStep", { step: formatCount(alert.step) }));
  if (alert.wall_time !== null) facts.push(formatTime(alert.wall_time));
  if (alert.count > 1) facts.push(t("times", { n: formatCount(alert.count) }));
  return (
    <li class={`alert is-${alert.level}`}>
      <span class="alert-level" role="img" aria-label={t(LEVELS[alert.level])}>
        {alert.level === "info" ? "i" : "!"}
      </span>
      <div class="alert-body">
        <p class="alert-text">{alertText(alert)}</p>
        <p class="alert-facts">
          <button
            type="button"
            class="alert-run"
            data-tip={`${run.name} · ${t("onlyTip")}`}
            aria-label={`${label(run)}: ${t("only")}`}
            onClick={() => checkOnly([run.id])}
          >
            <span class="alert-color" style={{ background: colorOf(run) }} />
            <Name text={label(run)} />
          </button>
          {facts.map((fact) => (
            <span key={fact}>{fact}</span>
          ))}
        </p>
        {alert.detail && (
          <details>
            <summary data-tip={t("detailTip")}>{t("detail")}</summary>
            <pre>{alert.detail}</pre>
          </details>
        )}
      </div>
    </li>
  );
}
