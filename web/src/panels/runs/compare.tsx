/** Two to five runs side by side: their values, what they were given, and where their code and surroundings differ. */

import { useState } from "preact/hooks";
import type { RunPage, RunRow, RunSection } from "../../api/schema";
import { formatCount, formatDuration, formatTime, formatValue } from "../../chart/format";
import { runs as allRuns } from "../../state/board";
import { comparedRuns, openedRun } from "../../state/opened";
import { naturally } from "../../state/order";
import { checkOnly, colorOf } from "../../state/runs";
import { panel } from "../../state/url";
import { IconButton, Notice, Toggle } from "../../ui/controls";
import { Icon } from "../../ui/icon";
import { MOST_COMPARED } from "./actions";
import { betterOf } from "./better";
import { lineDiff, shortened } from "./lines";
import { nameOf } from "./narrowing";
import { settingTexts } from "./page";
import { bestOf } from "./page_values";
import "./page.css";
import { usePages } from "./pages";
import { Card, DiffText, sectionTitle } from "./sections";
import { standingText, t } from "./words";

export function Compare() {
  const ids = [...comparedRuns.value].slice(0, MOST_COMPARED);
  const loaded = usePages(ids);
  const [isShort, setShort] = useState(true);
  const found = loaded.map(({ value }) => value).filter((page) => page !== null);
  // An address may name two parts of one run.
  const pages = [...new Map(found.map((page) => [page.row.id, page])).values()];
  const isWaiting = loaded.some(({ value, error }) => value === null && error === "");
  const failures = loaded.filter(({ error, isGone }) => error !== "" && !isGone);
  return (
    <div class="panel">
      <header class="toolbar rp-head">
        <button
          type="button"
          class="text-button rp-back"
          data-tip={t("backTip")}
          onClick={() => (comparedRuns.value = new Set())}
        >
          <Icon name="chevron" />
          {t("back")}
        </button>
        <h2 class="rp-name">{t("comparing", { n: pages.length })}</h2>
        <Toggle label={t("differences")} tip={t("differencesTip")} isOn={isShort} onChange={setShort} />
        <button
          type="button"
          class="text-button is-accent"
          data-tip={t("showChartsTip")}
          onClick={() => {
            checkOnly(pages.flatMap(({ row }) => row.runs));
            panel.value = "scalars";
          }}
        >
          {t("showCharts")}
        </button>
      </header>
      {failures.length > 0 && <Notice title={t("failed")}>{failures[0].error}</Notice>}
      {isWaiting ? (
        <Notice title={t("loading")} isBusy />
      ) : pages.length < 2 ? (
        <Notice title={t("compareFew")} />
      ) : (
        <div class="rp-body">
          <div class="rp-cards">
            <Metrics pages={pages} />
            <Differences title={t("facts")} pages={pages} of={factsOf} isShort={isShort} />
            <Differences
              title={t("hparams")}
              pages={pages}
              of={({ hparams }) => settingTexts(hparams)}
              isShort={isShort}
            />
            <Sections pages={pages} isShort={isShort} />
          </div>
        </div>
      )}
    </div>
  );
}

function Heads({ pages }: { pages: readonly RunPage[] }) {
  const leave = ({ id, runs }: RunRow) => {
    comparedRuns.value = new Set([...comparedRuns.value].filter((one) => one !== id && !runs.includes(one)));
  };
  return (
    <>
      {pages.map(({ row }) => {
        const run = allRuns.value.get(row.id);
        return (
          <th key={row.id} scope="col">
            <span class="rp-head-run">
              <span
                class="rp-color"
                style={{ background: run ? colorOf(run) : "var(--text-3)" }}
                aria-hidden="true"
              />
              <button
                type="button"
                class="text-button rp-link"
                data-tip={t("open", { name: nameOf(row) })}
                onClick={() => {
                  comparedRuns.value = new Set();
                  openedRun.value = row.id;
                }}
              >
                {nameOf(row)}
              </button>
              {pages.length > 2 && (
                <IconButton
                  icon="close"
                  tip={t("leaveOut", { name: nameOf(row) })}
                  onClick={() => leave(row)}
                />
              )}
            </span>
          </th>
        );
      })}
    </>
  );
}

function Metrics({ pages }: { pages: readonly RunPage[] }) {
  const names = [...new Set(pages.flatMap(({ scalars }) => scalars.map(({ name }) => name)))];
  return (
    <Card title={t("values")} isWide>
      <div class="rp-scroll" tabIndex={0} role="region" aria-label={t("values")}>
        <table class="rp-table">
          <thead>
            <tr>
              <th scope="col">{t("scalar")}</th>
              <Heads pages={pages} />
            </tr>
          </thead>
          <tbody>
            {names.map((name) => (
              <MetricRow key={name} name={name} pages={pages} />
            ))}
          </tbody>
        </table>
      </div>
    </Card>
  );
}

/** The last value of each run, with the best and its step below; the best of all is set in bold. */
function MetricRow({ name, pages }: { name: string; pages: readonly RunPage[] }) {
  const found = pages.map(({ scalars }) => scalars.find((scalar) => scalar.name === name));
  const values = found.map((scalar) => (scalar ? bestOf(scalar).value : Number.NaN));
  const finite = values.filter(Number.isFinite);
  const better = betterOf(name);
  const top = better === "less" ? Math.min(...finite) : Math.max(...finite);
  const hasBest = better !== undefined && new Set(values).size > 1;
  return (
    <tr>
      <th scope="row">{name}</th>
      {found.map((scalar, i) =>
        scalar ? (
          <td key={pages[i].row.id} class="is-number">
            {formatValue(Number(scalar.last))}
            {better && (
              <span class={`rp-small ${hasBest && values[i] === top ? "is-best" : ""}`}>
                {t("best")} {formatValue(values[i])} ·{" "}
                {t("atStep", { step: formatCount(bestOf(scalar).step) })}
              </span>
            )}
          </td>
        ) : (
          <td key={pages[i].row.id} class="is-number">
            –
          </td>
        ),
      )}
    </tr>
  );
}

function factsOf(page: RunPage): Record<string, string> {
  const { row } = page;
  return {
    [t("state")]: standingText(row.standing),
    [t("started")]: page.start_time === null ? "" : formatTime(page.start_time),
    [t("duration")]: page.duration_s === null ? "" : formatDuration(page.duration_s),
    [t("host")]: row.host,
    [t("points")]: formatCount(page.points),
  };
}

interface DifferencesProps {
  title: string;
  pages: readonly RunPage[];
  of: (page: RunPage) => Record<string, string>;
  isShort: boolean;
}

/** Names and values of each run, those that differ first. */
function Differences({ title, pages, of, isShort }: DifferencesProps) {
  const facts = pages.map(of);
  const names = [...new Set(facts.flatMap(Object.keys))].sort(naturally);
  if (names.length === 0) return null;
  const differs = (name: string) => new Set(facts.map((one) => one[name])).size > 1;
  const differing = names.filter(differs);
  const shown = isShort ? differing : [...differing, ...names.filter((name) => !differs(name))];
  return (
    <Card title={title} isWide>
      {shown.length === 0 ? (
        <p class="rp-hint">{t("allSame")}</p>
      ) : (
        <div class="rp-scroll" tabIndex={0} role="region" aria-label={title}>
          <table class="rp-table">
            <thead>
              <tr>
                <th scope="col">{t("name")}</th>
                <Heads pages={pages} />
              </tr>
            </thead>
            <tbody>
              {shown.map((name) => (
                <tr key={name} class={differs(name) ? "is-different" : ""}>
                  <th scope="row">{name}</th>
                  {facts.map((one, i) => (
                    <td key={pages[i].row.id}>
                      {one[name] ?? <span class="rp-hint">{t("missingIn")}</span>}
                    </td>
                  ))}
                </tr>
              ))}
            </tbody>
          </table>
        </div>
      )}
    </Card>
  );
}

/** What the runs say of themselves: facts as a table, texts as what differs from those of the first run. */
function Sections({ pages, isShort }: { pages: readonly RunPage[]; isShort: boolean }) {
  const names = [...new Set(pages.flatMap(({ sections }) => sections.map(({ name }) => name)))];
  const find = (page: RunPage, name: string) => page.sections.find((section) => section.name === name);
  return (
    <>
      {names.map((name) => {
        const hasFacts = pages.some((page) => Object.keys(find(page, name)?.facts ?? {}).length > 0);
        // What two runs print differs in every line that has a time in it.
        const hasText = pages.some((page) => find(page, name)?.text && find(page, name)?.kind !== "console");
        return [
          hasFacts && (
            <Differences
              key={`${name} facts`}
              title={sectionTitle(name)}
              pages={pages}
              of={(page) => find(page, name)?.facts ?? {}}
              isShort={isShort}
            />
          ),
          hasText && <TextDifferences key={name} name={name} pages={pages} find={find} />,
        ];
      })}
    </>
  );
}

interface TextDifferencesProps {
  name: string;
  pages: readonly RunPage[];
  find: (page: RunPage, name: string) => RunSection | undefined;
}

function TextDifferences({ name, pages, find }: TextDifferencesProps) {
  const [first, ...others] = pages;
  const title = sectionTitle(name);
  return (
    <Card title={title} isWide>
      {others.map((page) => {
        const [before, after] = [find(first, name)?.text ?? "", find(page, name)?.text ?? ""];
        const lines = before === after ? [] : lineDiff(before, after);
        const names = { name: nameOf(page.row), base: nameOf(first.row) };
        return (
          <div key={page.row.id}>
            <h3>{t("against", names)}</h3>
            {lines === null ? (
              <p class="rp-hint">{t("tooLong")}</p>
            ) : lines.length === 0 ? (
              <p class="rp-hint">{t("sameText")}</p>
            ) : (
              <DiffText lines={shortened(lines)} title={t("against", names)} />
            )}
          </div>
        );
      })}
    </Card>
  );
}
