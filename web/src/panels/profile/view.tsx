/** The profile panel: which profile, which other beside it, and a view of it. */

import type { ProfileOverview } from "../../api/schema";
import { runs } from "../../state/board";
import { IconButton, Notice, Segmented, Select } from "../../ui/controls";
import { type Loaded, useOverview } from "./data";
import { InputView } from "./input";
import { MemoryView } from "./memory";
import { OpsView } from "./ops";
import { Overview } from "./overview";
import "./profile.css";
import { chosen, chosenKey, host, other, otherKey, type Session, sessionName, sessions, view } from "./state";
import { TraceView } from "./trace";
import { t } from "./words";

const CODE = 'with tf.profiler.experimental.Profile("logs"): model.fit(dataset)';

export default function Profile() {
  const session = chosen.value;
  const loaded = useOverview(session, host.value);
  if (!session) return <Empty />;
  return (
    <div class="panel profile">
      <Toolbar session={session} hosts={loaded.value?.hosts ?? []} />
      <div class="panel-body profile-body">
        <Body session={session} loaded={loaded} />
      </div>
    </div>
  );
}

function Empty() {
  const isAny = [...runs.value.values()].some((run) => Object.keys(run.profiles).length > 0);
  if (isAny) return <Notice title={t("noRuns")}>{t("noRunsText")}</Notice>;
  return (
    <Notice title={t("empty")}>
      <p>{t("emptyText")}</p>
      <pre class="profile-code">{CODE}</pre>
      <p>{t("emptyMore")}</p>
    </Notice>
  );
}

function Toolbar({ session, hosts }: { session: Session; hosts: readonly string[] }) {
  const all = sessions.value;
  const named = all.map((one) => [one.key, sessionName(one)] as const);
  const beside = other.value;
  return (
    <div class="toolbar" role="toolbar" aria-label={t("toolbar")}>
      <Segmented
        label={t("view")}
        tip={t("viewTip")}
        value={view.value}
        options={(["overview", "input", "ops", "memory", "trace"] as const).map(
          (one) => [one, t(one)] as const,
        )}
        onChange={(value) => {
          view.value = value;
        }}
      />
      <Select
        label={t("session")}
        tip={t("sessionTip")}
        value={chosenKey.value === session.key ? session.key : ""}
        options={[["", t("latest", { name: sessionName(all[0]) })] as const, ...named]}
        onChange={(value) => {
          chosenKey.value = value;
          host.value = "";
        }}
      />
      {all.length > 1 && (
        <Select
          label={t("compare")}
          tip={t("compareTip")}
          value={beside?.key ?? ""}
          options={[["", t("none")] as const, ...named.filter(([key]) => key !== session.key)]}
          onChange={(value) => {
            otherKey.value = value;
          }}
        />
      )}
      {beside && (
        <IconButton
          icon="compare"
          tip={t("swap")}
          onClick={() => {
            [chosenKey.value, otherKey.value] = [beside.key, session.key];
            host.value = "";
          }}
        />
      )}
      {hosts.length > 1 && <Hosts hosts={hosts} />}
    </div>
  );
}

function Hosts({ hosts }: { hosts: readonly string[] }) {
  return (
    <Select
      label={t("host")}
      tip={t("hostTip")}
      value={hosts.includes(host.value) ? host.value : hosts[0]}
      options={hosts.map((one) => [one, one] as const)}
      onChange={(value) => {
        host.value = value;
      }}
    />
  );
}

function Body({ session, loaded: one }: { session: Session; loaded: Loaded<ProfileOverview> }) {
  const beside = other.value;
  const two = useOverview(beside, "");
  if (one.error) return <Notice title={t("broken")}>{one.error}</Notice>;
  if (!one.value) return <Notice title={t("loading")} isBusy />;
  const overview = one.value;
  const title = sessionName(session);
  return (
    <>
      {overview.damages.length > 0 && view.value !== "trace" && (
        <ul class="profile-damages" aria-label={t("damages")}>
          {overview.damages.map((damage) => (
            <li key={damage}>{damage}</li>
          ))}
        </ul>
      )}
      {view.value === "overview" && (
        <Overview
          one={{ overview, title }}
          other={beside && two.value ? { overview: two.value, title: sessionName(beside) } : null}
        />
      )}
      {view.value === "input" && <InputView overview={overview} title={title} />}
      {view.value === "ops" && <OpsView overview={overview} other={beside ? two.value : null} />}
      {view.value === "memory" && <MemoryView overview={overview} />}
      {view.value === "trace" && <TraceView session={session} />}
    </>
  );
}
