/** The page: a bar, the runs, and the panel being shown. */

import { effect } from "@preact/signals";
import { type ComponentType, createElement } from "preact";
import { useEffect, useState } from "preact/hooks";
import { firstPanel, type Panel, panels } from "../panels/registry";
import { Runs } from "../runs/sidebar";
import { failure, info } from "../state/board";
import { runColumns } from "../state/runs";
import { storedSignal } from "../state/stored";
import { panel } from "../state/url";
import { Boundary } from "../ui/boundary";
import { IconButton, Notice } from "../ui/controls";
import { Sheet } from "../ui/dialog";
import { Bar } from "./bar";
import "./shell.css";
import { isNarrow, showsHelp, showsRuns, toggleRuns } from "./shortcuts";
import { t } from "./words";

const NARROWEST = 200;
const WIDEST = 720;
const COLUMN_WIDTH = 72;

const runsWidth = storedSignal("runsWidth", 272);

effect(() => {
  document.title = info.value?.title ? `${info.value.title} · TapeFlow` : "TapeFlow";
});

export function App() {
  return (
    <div class="page">
      <button
        type="button"
        class="skip-link"
        data-tip={t("skip")}
        onClick={() => document.getElementById("panel")?.focus()}
      >
        {t("skip")}
      </button>
      <Bar />
      {failure.value && <Failure />}
      <div class="page-body">
        {showsRuns.value && (
          <>
            <aside
              class="page-runs"
              style={{
                width: `min(${isNarrow.value ? "85vw" : "50vw"}, ${runsWidth.value + runColumns.value.size * COLUMN_WIDTH}px)`,
              }}
            >
              <Runs />
            </aside>
            {isNarrow.value ? (
              <button
                type="button"
                class="page-shade"
                aria-label={t("close")}
                data-tip={t("close")}
                onClick={toggleRuns}
              />
            ) : (
              <Divider />
            )}
          </>
        )}
        <main class="page-panel" id="panel" tabIndex={-1}>
          <Shown />
        </main>
      </div>
      {showsHelp.value && <Help />}
    </div>
  );
}

function Failure() {
  return (
    <div class="failure" role="alert">
      <strong>{t("wrong")}</strong> {failure.value}
      <IconButton icon="close" tip={t("dismiss")} onClick={() => (failure.value = "")} />
    </div>
  );
}

function Divider() {
  const resize = (width: number) => {
    runsWidth.value = Math.max(NARROWEST, Math.min(WIDEST, width));
  };
  return (
    <div
      class="divider"
      role="separator"
      tabIndex={0}
      aria-orientation="vertical"
      aria-label={t("resize")}
      aria-valuemin={NARROWEST}
      aria-valuemax={WIDEST}
      aria-valuenow={runsWidth.value}
      data-tip={t("resize")}
      onKeyDown={(event) => {
        if (event.key === "ArrowLeft") resize(runsWidth.value - 16);
        else if (event.key === "ArrowRight") resize(runsWidth.value + 16);
      }}
      onPointerDown={(event) => event.currentTarget.setPointerCapture(event.pointerId)}
      onPointerMove={(event) => {
        if (event.currentTarget.hasPointerCapture(event.pointerId))
          resize(event.clientX - runColumns.value.size * COLUMN_WIDTH);
      }}
    />
  );
}

/** The panel the address names, or the first that has something to show. */
function current(): Panel | undefined {
  if (panel.value) return panels.value.find(({ id }) => id === panel.value);
  return firstPanel.value;
}

const views = new Map<string, ComponentType>();

function Shown() {
  const chosen = current();
  const [, setLoaded] = useState("");
  const [problem, setProblem] = useState("");
  useEffect(() => {
    if (!chosen || views.has(chosen.id)) return;
    setProblem("");
    chosen.load().then(
      (module) => {
        views.set(chosen.id, module.default);
        setLoaded(chosen.id);
      },
      (error: Error) => setProblem(error.message),
    );
  }, [chosen]);
  if (!chosen) return <Notice title={t("noPanel", { name: panel.value })} />;
  const view = views.get(chosen.id);
  if (view) {
    return (
      <Boundary
        key={chosen.id}
        fallback={(error, retry) => <Broken panel={chosen} error={error} retry={retry} />}
      >
        {createElement(view, {})}
      </Boundary>
    );
  }
  return problem ? (
    <Notice title={t("loadFailed")}>{problem}</Notice>
  ) : (
    <Notice title={t("loading")} isBusy />
  );
}

/** Instead of a panel that failed: the bar, the runs and the other panels go on. */
function Broken({ panel, error, retry }: { panel: Panel; error: Error; retry: () => void }) {
  useEffect(() => console.error(error), [error]);
  return (
    <Notice title={t("panelFailed", { title: panel.title() })}>
      <p>{error.message}</p>
      <button type="button" class="text-button is-accent" data-tip={t("retryTip")} onClick={retry}>
        {t("retry")}
      </button>
    </Notice>
  );
}

function Help() {
  const keys = [
    ["/", t("keySearch")],
    ["f", t("keyRuns")],
    ["[", t("keySidebar")],
    ["1 – 9, 0", t("keyPanels")],
    ["⇧ 1 – 9", t("keyMorePanels")],
    ["t", t("keyTheme")],
    ["← →", t("keyCursor")],
    ["+ − 0", t("keyZoom")],
    ["?", t("keyHelp")],
  ];
  return (
    <Sheet title={t("help")} class="is-small" onClose={() => (showsHelp.value = false)}>
      <header class="sheet-head">
        <h2>{t("help")}</h2>
        <IconButton icon="close" tip={t("close")} onClick={() => (showsHelp.value = false)} />
      </header>
      <dl class="keys">
        {keys.map(([key, text]) => (
          <div key={key}>
            <dt>
              <kbd>{key}</kbd>
            </dt>
            <dd>{text}</dd>
          </div>
        ))}
      </dl>
    </Sheet>
  );
}
