/** The page of a run: everything that is known of it. */

import type { RunPage, RunSection } from "../../api/schema";
import { formatCount, formatDuration, formatTime } from "../../chart/format";
import { joined } from "../../i18n/notes";
import { RunMenu } from "../../runs/run_menu";
import { runs, tagsOf } from "../../state/board";
import { sayOfRun } from "../../state/notes";
import { openedRun } from "../../state/opened";
import { naturally } from "../../state/order";
import { checkOnly, colorOf } from "../../state/runs";
import { panel } from "../../state/url";
import { Notice } from "../../ui/controls";
import { Icon } from "../../ui/icon";
import { panels } from "../registry";
import { sizeText } from "./actions";
import { plain } from "./columns";
import { nameOf } from "./narrowing";
import "./page.css";
import { Media, TextCards } from "./page_media";
import { Notes } from "./page_notes";
import { Profile } from "./page_profile";
import { System } from "./page_system";
import { Values } from "./page_values";
import { usePages } from "./pages";
import { Card, Facts, Section } from "./sections";
import { standingText, standingTip, t } from "./words";

export function RunPageView({ id }: { id: string }) {
  const [page] = usePages([id]);
  if (!page.value) {
    return (
      <div class="panel">
        <div class="toolbar">
          <Back />
        </div>
        {page.error ? (
          <Notice title={page.isGone ? t("gone") : t("failed")}>
            {page.isGone ? undefined : page.error}
          </Notice>
        ) : (
          <Notice title={t("loading")} isBusy />
        )}
      </div>
    );
  }
  return <Loaded page={page.value} />;
}

export function Back() {
  return (
    <button
      type="button"
      class="text-button rp-back"
      data-tip={t("backTip")}
      onClick={() => (openedRun.value = "")}
    >
      <Icon name="chevron" />
      {t("back")}
    </button>
  );
}

function Loaded({ page }: { page: RunPage }) {
  const { row } = page;
  const parts = row.runs.map((id) => runs.value.get(id)).filter((run) => run !== undefined);
  const [main] = parts;
  const name = nameOf(row);
  return (
    <div class="panel">
      <header class="toolbar rp-head">
        <Back />
        <span
          class="rp-color"
          style={{ background: main ? colorOf(main) : "var(--text-3)" }}
          aria-hidden="true"
        />
        <h2 class="rp-name">{name}</h2>
        <span class={`standing is-${row.standing}`} data-tip={standingTip(row.standing)}>
          {standingText(row.standing)}
        </span>
        {main && <RunMenu run={main} text={name} all={parts} archives={parts} />}
        <Panels ids={row.runs} />
      </header>
      <div class="rp-body">
        <p class="rp-facts-line">
          {page.start_time !== null && (
            <span>
              {t("started")}: <b>{formatTime(page.start_time)}</b>
            </span>
          )}
          {page.duration_s !== null && (
            <span>
              {t("duration")}: <b>{formatDuration(page.duration_s)}</b>
            </span>
          )}
          {row.host && (
            <span>
              {t("host")}: <b>{row.host}</b>
            </span>
          )}
          <span>
            {t("points")}: <b>{formatCount(page.points)}</b>
          </span>
        </p>
        <div class="rp-cards">
          {page.notes.length > 0 && (
            <Card title={t("problems")} isWide>
              <p class="rp-problem">{joined(page.notes, sayOfRun)}</p>
            </Card>
          )}
          <Values scalars={page.scalars} />
          <Card title={t("hparams")}>
            {Object.keys(page.hparams).length > 0 ? (
              <Facts facts={settingTexts(page.hparams)} />
            ) : (
              <p class="rp-hint">{t("noHparams")}</p>
            )}
          </Card>
          <Notes id={row.id} />
          {page.sections.filter(({ name }) => name !== LONG).map(sectionCard)}
          <System charts={page.system} />
          <Profile parts={parts} />
          <Media ids={row.runs} />
          <TextCards ids={row.runs} />
          {page.sections.filter(({ name }) => name === LONG).map(sectionCard)}
          <Files page={page} />
        </div>
      </div>
    </div>
  );
}

/** Hundreds of lines that nobody wants to scroll through on the way to the pictures. */
const LONG = "packages";

function sectionCard(section: RunSection) {
  return <Section key={section.name} section={section} />;
}

export function settingTexts(hparams: RunPage["hparams"]): Record<string, string> {
  const text = (value: string | number | boolean) =>
    typeof value === "number" ? plain(value) : String(value);
  const names = Object.keys(hparams).sort(naturally);
  return Object.fromEntries(names.map((name) => [name, text(hparams[name])]));
}

/** The panels that have something of this run; each is opened with nothing else in its charts. */
function Panels({ ids }: { ids: readonly string[] }) {
  const has = (id: string) =>
    id === "profile"
      ? ids.some((run) => Object.keys(runs.value.get(run)?.profiles ?? {}).length > 0)
      : [...tagsOf(id).values()].some((entry) => ids.some((run) => entry.counts.has(run)));
  const open = (id: string) => {
    checkOnly(ids);
    panel.value = id;
  };
  return (
    <nav class="rp-panels" aria-label={t("showCharts")}>
      {panels.value
        .filter(({ id }) => has(id))
        .map(({ id, title }) => (
          <button
            key={id}
            type="button"
            class="text-button"
            data-tip={`${t("openPanel", { title: title() })}. ${t("showChartsTip")}`}
            onClick={() => open(id)}
          >
            {title()}
          </button>
        ))}
    </nav>
  );
}

function Files({ page }: { page: RunPage }) {
  return (
    <Card title={t("files")} isWide>
      <div class="rp-scroll" tabIndex={0} role="region" aria-label={t("files")}>
        <table class="rp-table">
          <thead>
            <tr>
              <th scope="col">{t("file")}</th>
              <th scope="col" class="is-number">
                {t("size")}
              </th>
            </tr>
          </thead>
          <tbody>
            {page.files.map(({ run, name, nbytes }) => (
              <tr key={`${run} ${name}`}>
                <td>{`${runs.value.get(run)?.name ?? run}/${name}`}</td>
                <td class="is-number">{sizeText(nbytes)}</td>
              </tr>
            ))}
          </tbody>
        </table>
      </div>
    </Card>
  );
}
