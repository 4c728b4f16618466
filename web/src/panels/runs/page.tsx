/** The page of a run: everything that is known of it. */

import { useEffect, useState } from "preact/hooks";
import type {
  ProfileOverview,
  Run,
  RunChart,
  RunPage,
  RunScalar,
  RunSection,
  TextBlob,
} from "../../api/schema";
import { source, withQuery } from "../../api/source";
import { formatCount, formatDuration, formatTime, formatValue } from "../../chart/format";
import { joined } from "../../i18n/notes";
import { useBlob } from "../../media/items";
import { RunMenu, tagsIn } from "../../runs/run_menu";
import { changeRun, runs, settings, tagsOf } from "../../state/board";
import { sayOfRun } from "../../state/notes";
import { openedRun } from "../../state/opened";
import { naturally } from "../../state/order";
import { checkOnly, colorOf } from "../../state/runs";
import { panel } from "../../state/url";
import { Notice } from "../../ui/controls";
import { Icon } from "../../ui/icon";
import "../profile/profile.css";
import { VerdictCard } from "../profile/verdict";
import { panels } from "../registry";
import { Markdown } from "../text/markdown";
import { sizeText } from "./actions";
import { betterOf } from "./better";
import { plain } from "./columns";
import { nameOf } from "./narrowing";
import { type LastItem, useLastItems, usePages } from "./pages";
import "./page.css";
import { Card, Facts, Section } from "./sections";
import { standingText, standingTip, systemTitle, t } from "./words";

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
      : [...tagsOf(id).values()].some((entry) => ids.some((run) => (entry.counts[run] ?? 0) > 0));
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

export interface Best {
  value: number;
  step: number;
}

/** The best value of a scalar, and where it was. */
export function bestOf(scalar: RunScalar): Best {
  return betterOf(scalar.name) === "less"
    ? { value: Number(scalar.least), step: scalar.least_step }
    : { value: Number(scalar.largest), step: scalar.largest_step };
}

function Values({ scalars }: { scalars: readonly RunScalar[] }) {
  if (scalars.length === 0) {
    return (
      <Card title={t("values")}>
        <p class="rp-hint">{t("noScalars")}</p>
      </Card>
    );
  }
  return (
    <Card title={t("values")} isWide>
      <div class="rp-scroll" tabIndex={0} role="region" aria-label={t("values")}>
        <table class="rp-table">
          <thead>
            <tr>
              <th scope="col">{t("scalar")}</th>
              {[t("last"), t("best"), t("bestStep"), t("min"), t("max"), t("stepsSeen")].map((title) => (
                <th key={title} scope="col" class="is-number">
                  {title}
                </th>
              ))}
            </tr>
          </thead>
          <tbody>
            {scalars.map((scalar) => {
              const best = bestOf(scalar);
              const cells = [scalar.last, best.value, best.step, scalar.least, scalar.largest, scalar.count];
              return (
                <tr key={scalar.name}>
                  <th scope="row">{scalar.name}</th>
                  {cells.map((value, i) => (
                    <td key={i} class="is-number">
                      {i === 2 || i === 5 ? formatCount(Number(value)) : formatValue(Number(value))}
                    </td>
                  ))}
                </tr>
              );
            })}
          </tbody>
        </table>
      </div>
    </Card>
  );
}

/** Notes in Markdown and tags, kept with the board. */
function Notes({ id }: { id: string }) {
  const own = settings.value.runs[id] ?? {};
  const [draft, setDraft] = useState<string | null>(null);
  const [tags, setTags] = useState<string | null>(null);
  const keepNote = () => {
    if (draft !== null && draft.trim() !== (own.note ?? "")) changeRun(id, { note: draft.trim() || null });
    setDraft(null);
  };
  const keepTags = () => {
    if (tags !== null) changeRun(id, { tags: tagsIn(tags) });
    setTags(null);
  };
  return (
    <Card title={t("notes")}>
      {draft !== null ? (
        <textarea
          class="text-input rp-notes"
          rows={8}
          maxLength={20_000}
          value={draft}
          aria-label={t("notesTip")}
          placeholder={t("notesPlaceholder")}
          ref={(field) => field?.focus()}
          onInput={(event) => setDraft(event.currentTarget.value)}
          onBlur={keepNote}
        />
      ) : own.note ? (
        <Markdown text={own.note} />
      ) : (
        <p class="rp-hint">{t("notesPlaceholder")}</p>
      )}
      <button
        type="button"
        class="text-button is-accent"
        data-tip={t("notesTip")}
        onClick={() => (draft === null ? setDraft(own.note ?? "") : keepNote())}
      >
        {draft === null ? t("edit") : t("done")}
      </button>
      <label class="run-field" data-tip={t("tagsTip")}>
        {t("tags")}
        <input
          class="text-input"
          type="text"
          value={tags ?? (own.tags ?? []).join(", ")}
          onInput={(event) => setTags(event.currentTarget.value)}
          onBlur={keepTags}
          onKeyDown={(event) => {
            if (event.key === "Enter") keepTags();
          }}
        />
      </label>
    </Card>
  );
}

const UNITS: Record<string, (value: number) => string> = {
  "%": (value) => `${Number(value.toPrecision(3))} %`,
  B: sizeText,
  "B/s": (value) => `${sizeText(value)}/s`,
};

/** What the machine did meanwhile, a small chart for each metric. */
function System({ charts }: { charts: readonly RunChart[] }) {
  if (charts.length === 0) return null;
  return (
    <Card title={t("system")} isWide>
      <div class="rp-system">
        {charts.map((chart) => (
          <SystemChart key={chart.tag} chart={chart} />
        ))}
      </div>
    </Card>
  );
}

const WIDTH = 240;
const HEIGHT = 56;

function SystemChart({ chart }: { chart: RunChart }) {
  const values = chart.values.map(Number);
  const show = UNITS[chart.unit] ?? formatValue;
  const finite = values.filter(Number.isFinite);
  const last = finite[finite.length - 1] ?? Number.NaN;
  const top = Math.max(...finite, chart.unit === "%" ? 100 : 1e-9);
  const end = Math.max(chart.seconds[chart.seconds.length - 1] ?? 0, 1);
  const points = values
    .map((value, i) => [(chart.seconds[i] / end) * WIDTH, HEIGHT - (value / top) * (HEIGHT - 2) - 1])
    .filter(([, y]) => Number.isFinite(y))
    .map(([x, y]) => `${x.toFixed(1)},${y.toFixed(1)}`);
  const title = systemTitle(chart);
  return (
    <figure>
      <figcaption>
        {title}: <b>{show(last)}</b>
        <span class="rp-small">{t("upTo", { value: show(Math.max(...finite)) })}</span>
      </figcaption>
      <svg viewBox={`0 0 ${WIDTH} ${HEIGHT}`} preserveAspectRatio="none" role="img" aria-label={title}>
        <polyline points={points.join(" ")} />
      </svg>
    </figure>
  );
}

/** What the latest profile of the run says. */
function Profile({ parts }: { parts: readonly Run[] }) {
  const [overview, setOverview] = useState<ProfileOverview | null>(null);
  const all = parts.flatMap((run) =>
    Object.entries(run.profiles).map(([name, version]) => ({ run, name, version })),
  );
  const latest = all.sort((a, b) => naturally(b.name, a.name))[0];
  const key = latest ? `${latest.run.id} ${latest.name} ${latest.version}` : "";
  useEffect(() => {
    if (!latest) return;
    let isCurrent = true;
    const query = { run: latest.run.id, session: latest.name, host: "" };
    source.get<ProfileOverview>(withQuery("api/v1/profile/overview", query)).then(
      (found) => isCurrent && setOverview(found),
      // The panel of profiles says what is wrong with one that cannot be read.
      () => isCurrent && setOverview(null),
    );
    return () => {
      isCurrent = false;
    };
  }, [key]);
  if (!latest || !overview) return null;
  return (
    <Card title={t("profile")}>
      <VerdictCard overview={overview} title={latest.name} />
    </Card>
  );
}

const MOST_MEDIA = 24;
const MOST_SAMPLES = 4;

function Media({ ids }: { ids: readonly string[] }) {
  const items = useLastItems(["images", "video", "audio"], ids, MOST_MEDIA);
  if (items.length === 0) return null;
  return (
    <Card title={t("media")} isWide>
      <div class="rp-media">
        {items.map((one) => (
          <Medium key={`${one.panel} ${one.run} ${one.tag}`} one={one} ids={ids} />
        ))}
      </div>
    </Card>
  );
}

function tagTitle({ run, tag }: LastItem, ids: readonly string[]): string {
  const part = ids.length > 1 ? runs.value.get(run)?.path.slice(-1)[0] : undefined;
  return part ? `${part}/${tag}` : tag;
}

function Medium({ one, ids }: { one: LastItem; ids: readonly string[] }) {
  const title = tagTitle(one, ids);
  const { item } = one;
  return (
    <figure>
      <figcaption data-tip={title}>
        <b>{title}</b> · {t("atStep", { step: item.step })}
      </figcaption>
      <div class="rp-samples">
        {item.samples.slice(0, MOST_SAMPLES).map(({ url }) =>
          one.panel === "audio" ? (
            // Sounds that were logged have no captions.
            // biome-ignore lint/a11y/useMediaCaption: see above
            <audio key={url} controls preload="none" src={source.blobUrl(url)} aria-label={title} />
          ) : (
            <img key={url} src={source.blobUrl(url)} alt={title} loading="lazy" />
          ),
        )}
      </div>
    </figure>
  );
}

const MOST_TEXTS = 12;

function TextCards({ ids }: { ids: readonly string[] }) {
  const items = useLastItems(["text"], ids, MOST_TEXTS);
  if (items.length === 0) return null;
  return (
    <Card title={t("texts")} isWide>
      {items.map((one) => (
        <TextItem key={`${one.run} ${one.tag}`} one={one} title={tagTitle(one, ids)} />
      ))}
    </Card>
  );
}

function TextItem({ one, title }: { one: LastItem; title: string }) {
  const { value } = useBlob<TextBlob>(one.item.samples[0]?.url);
  return (
    <article class="rp-words">
      <h3>
        {title} · {t("atStep", { step: one.item.step })}
      </h3>
      <div class="rp-scroll" tabIndex={0} role="region" aria-label={title}>
        {value?.texts.map((text, i) => (
          <Markdown key={i} text={text} />
        ))}
      </div>
    </article>
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
