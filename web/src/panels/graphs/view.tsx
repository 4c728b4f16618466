/** The graphs panel: one graph of one run at a time. */

import { batch } from "@preact/signals";
import type { ComponentChildren } from "preact";
import { useEffect, useMemo, useRef, useState } from "preact/hooks";
import type { GraphBlob, Run } from "../../api/schema";
import { fileName, saveBlob } from "../../chart/svg";
import { joined } from "../../i18n/notes";
import { useBlob, useItems } from "../../media/items";
import { locale, theme } from "../../state/appearance";
import { tagsOf } from "../../state/board";
import { label, visibleRuns } from "../../state/runs";
import { announce } from "../../ui/announce";
import { IconButton, Item, Menu, Notice, Search, Select } from "../../ui/controls";
import { coloring } from "./colors";
import { Details, type Place } from "./details";
import { nodesText, parametersText, sizeOf } from "./drawing";
import "./graphs.css";
import { type GraphNode, Model } from "./model";
import { picture, readLook, vector } from "./saving";
import { makeScene } from "./scene";
import { search } from "./search";
import { describeShape, Stage } from "./stage";
import { type ColorBy, chosenRun, chosenStep, chosenTag, colorBy, opened, query, selected } from "./state";
import { say, t } from "./words";

const PANEL = "graphs";
const RUN_GRAPH = "graph_def";
const MODEL_TAG = "keras";
/** Scopes that are opened at first hold no more than this. */
const MOST_AT_ONCE = 400;
const LOG_GRAPH = "tf.summary.trace_on(); f(x); tf.summary.trace_export('f', step=0)";
const LOG_MODEL = "model.fit(x, y, callbacks=[tf.keras.callbacks.TensorBoard('runs')])";

function tagsOfRun(run: Run): string[] {
  const found = [...tagsOf(PANEL).values()].filter((entry) => entry.counts.has(run.id)).map(({ tag }) => tag);
  const first = (tag: string) => (tag === MODEL_TAG ? 0 : tag === RUN_GRAPH ? 1 : 2);
  return found.sort((a, b) => first(a) - first(b));
}

/** Another graph has other nodes. */
function choose(run: string, tag: string): void {
  batch(() => {
    chosenRun.value = run;
    chosenTag.value = tag;
    chosenStep.value = "";
    selected.value = "";
    opened.value = null;
  });
}

export default function Graphs() {
  const tags = tagsOf(PANEL);
  const runs = visibleRuns.value.filter((run) =>
    [...tags.values()].some((entry) => entry.counts.has(run.id)),
  );
  const run = runs.find(({ id }) => id === chosenRun.value) ?? runs[0];
  const ofRun = run ? tagsOfRun(run) : [];
  const tag = ofRun.includes(chosenTag.value) ? chosenTag.value : ofRun[0];
  const all = new Set([...tags.values()].flatMap((entry) => [...entry.counts.runs()]));
  if (!run) {
    return (
      <div class="panel">
        {all.size > 0 ? (
          <Notice title={t("noRuns")}>{t("noRunsText", { n: all.size })}</Notice>
        ) : (
          <Notice title={t("empty")}>
            <p>{t("emptyText")}</p>
            <p>
              <code>{LOG_MODEL}</code>
            </p>
            <p>
              <code>{LOG_GRAPH}</code>
            </p>
          </Notice>
        )}
      </div>
    );
  }
  const chooser = (
    <>
      <Select
        label={t("run")}
        tip={t("runTip")}
        value={run.id}
        options={runs.map((one) => [one.id, label(one)] as const)}
        onChange={(id) => choose(id, "")}
      />
      <Select
        label={t("tag")}
        tip={t("tagTip")}
        value={tag}
        options={ofRun.map((name) => [name, name === RUN_GRAPH ? t("runGraph") : name] as const)}
        onChange={(name) => choose(run.id, name)}
      />
    </>
  );
  return <Chosen key={`${run.id}\n${tag}`} run={run} tag={tag} chooser={chooser} />;
}

interface ChosenProps {
  run: Run;
  tag: string;
  chooser: ComponentChildren;
}

function Chosen({ run, tag, chooser }: ChosenProps) {
  const { items, isLoading, error } = useItems(PANEL, run.id, tag);
  const last = items.length - 1;
  const wanted = chosenStep.value === "" ? last : Math.trunc(Number(chosenStep.value));
  const at = wanted >= 0 && wanted <= last ? wanted : last;
  const url = items[at]?.samples[0]?.url;
  const bar = (
    <>
      {chooser}
      {items.length > 1 && (
        <Select
          label={t("step")}
          tip={t("stepTip")}
          value={String(at)}
          options={items.map((item, i) => [String(i), String(item.step)] as const)}
          onChange={(value) => {
            chosenStep.value = value;
          }}
        />
      )}
    </>
  );
  if (url) return <Loaded key={url} url={url} run={run} tag={tag} chooser={bar} />;
  return (
    <Waiting chooser={bar}>
      {error ? (
        <Notice title={t("broken")}>{error}</Notice>
      ) : (
        isLoading && <Notice title={t("loading")} isBusy />
      )}
    </Waiting>
  );
}

function Loaded({ url, run, tag, chooser }: ChosenProps & { url: string }) {
  const { value: blob, error } = useBlob<GraphBlob>(url);
  const index = new URLSearchParams(url.split("?")[1]).get("index") ?? "";
  if (blob && blob.names.length > 0) {
    const place = { run: run.id, tag, index };
    return <Graph blob={blob} name={`${tag}, ${label(run)}`} place={place} chooser={chooser} />;
  }
  return (
    <Waiting chooser={chooser}>
      {blob ? (
        <Notice title={t("nothing")}>{joined(blob.notes, say)}</Notice>
      ) : error ? (
        <Notice title={t("broken")}>{error}</Notice>
      ) : (
        <Notice title={t("loading")} isBusy />
      )}
    </Waiting>
  );
}

/** Instead of a graph: what may be chosen, and why there is none. */
function Waiting({ chooser, children }: { chooser: ComponentChildren; children: ComponentChildren }) {
  return (
    <div class="panel">
      <div class="toolbar" role="toolbar" aria-label={t("toolbar")}>
        {chooser}
      </div>
      {children}
    </div>
  );
}

interface GraphProps {
  blob: GraphBlob;
  name: string;
  place: Place;
  chooser: ComponentChildren;
}

function Graph({ blob, name, place, chooser }: GraphProps) {
  const model = useMemo(() => new Model(blob), [blob]);
  const canvas = useRef<HTMLCanvasElement>(null);
  const map = useRef<HTMLCanvasElement>(null);
  const stage = useRef<Stage | null>(null);
  const [failure, setFailure] = useState("");

  const first = useMemo(() => alone(model), [model]);
  const open = opened.value ?? first;
  // Series exist once their scope has been looked at: those in the address are found from the outside in.
  const scene = useMemo(() => makeScene(model, open, sizeOf), [model, open, locale.value]);
  const node = (selected.value && model.find(selected.value)) || null;
  const found = useMemo(() => (query.value.trim() ? search(model, query.value) : null), [model, query.value]);
  const by: ColorBy =
    !blob.stats && (colorBy.value === "time" || colorBy.value === "memory") ? "structure" : colorBy.value;
  const isDark = theme.value === "dark";
  const colors = useMemo(
    () =>
      coloring(
        by,
        model,
        scene.nodes.filter((one) => !one.isOpen).map((one) => one.node),
        isDark,
      ),
    [by, model, scene, isDark],
  );
  const lit = useMemo(() => {
    const ids = new Set<string>();
    for (const one of found?.nodes ?? [])
      for (let up: GraphNode | null = one; up; up = up.parent) ids.add(up.id);
    return ids;
  }, [found]);

  const toggle = (one: GraphNode) => {
    const next = new Set(opened.peek() ?? first);
    const isOpening = !next.has(one.id);
    if (isOpening) next.add(one.id);
    else for (const id of next) if (id === one.id || id.startsWith(`${one.id}/`)) next.delete(id);
    stage.current?.hold(one.id);
    opened.value = next;
    announce(t(isOpening ? "opened" : "closed", { name: one.label, n: one.count }));
  };
  const select = (one: GraphNode | null) => {
    selected.value = one?.id ?? "";
    if (one) announce(describe(model, one).replaceAll("\n", ", "));
  };
  /** Selects a node wherever it is: opens what is around it, and goes there. */
  const reveal = (one: GraphNode | null) => {
    select(one);
    if (!one) return;
    const around = model.around(one).map(({ id }) => id);
    const now = opened.peek() ?? first;
    if (around.some((id) => !now.has(id))) opened.value = new Set([...now, ...around]);
    stage.current?.goTo(one.id);
  };

  const actions = useRef({ select, toggle });
  actions.current = { select, toggle };
  useEffect(() => {
    const made = new Stage(canvas.current!, map.current!, {
      select: (one) => actions.current.select(one),
      toggle: (one) => actions.current.toggle(one),
      describe: (one) => describe(model, one),
    });
    stage.current = made;
    if (node) reveal(node);
    return () => made.close();
  }, []);
  useEffect(() => {
    const look = readLook(isDark);
    stage.current?.show({ scene, look, color: colors.of, selected: selected.value, found: lit });
  }, [scene, colors, selected.value, lit, isDark]);

  const save = async (kind: "png" | "svg") => {
    const drawing = {
      scene,
      look: readLook(isDark),
      color: colors.of,
      selected: "",
      found: new Set<string>(),
    };
    try {
      const data = kind === "png" ? await picture(drawing) : vector(drawing);
      saveBlob(data, fileName(`graph-${name}`, kind));
    } catch (error) {
      setFailure(t("saveFailed", { error: (error as Error).message }));
    }
  };

  const options: [ColorBy, string][] = [
    ["structure", t("structure")],
    ["op", t("op")],
    ["device", t("device")],
  ];
  if (blob.stats) options.push(["time", t("time")], ["memory", t("memory")]);
  const note = [joined(blob.notes, say), failure].filter(Boolean).join("; ");
  return (
    <div class="panel">
      <div class="toolbar" role="toolbar" aria-label={t("toolbar")}>
        {chooser}
        <Select
          label={t("color")}
          tip={t("colorTip")}
          value={by}
          options={options}
          onChange={(value) => {
            colorBy.value = value as ColorBy;
          }}
        />
        <Search
          label={t("search")}
          tip={t("searchTip")}
          value={query.value}
          shortcut="/"
          onChange={(text) => {
            query.value = text;
          }}
        />
        <Menu tip={t("save")} icon="download">
          {(close) =>
            (["png", "svg"] as const).map((kind) => (
              <Item
                key={kind}
                tip={t("saveTip")}
                onClick={() => {
                  close();
                  void save(kind);
                }}
              >
                {kind === "png" ? t("savePng") : t("saveSvg")}
              </Item>
            ))
          }
        </Menu>
      </div>
      {note && (
        <p class="graph-problem" role="status">
          {note}
        </p>
      )}
      <div class="graph-body">
        <div class="graph-stage">
          <div
            class="graph-focus"
            tabIndex={0}
            role="application"
            aria-label={t("canvas", { name, n: blob.names.length })}
          >
            <canvas ref={canvas} class="graph-canvas" />
          </div>
          <div class="graph-tools">
            <IconButton icon="plus" tip={t("zoomIn")} onClick={() => stage.current?.zoomBy(1.25)} />
            <IconButton icon="minus" tip={t("zoomOut")} onClick={() => stage.current?.zoomBy(0.8)} />
            <IconButton icon="expand" tip={t("fit")} onClick={() => stage.current?.fit()} />
            <IconButton
              icon="layers"
              tip={t("collapse")}
              onClick={() => {
                opened.value = new Set();
                requestAnimationFrame(() => stage.current?.fit());
              }}
            />
          </div>
          {colors.legend.length > 0 && (
            <ul class="graph-legend" aria-label={t("color")}>
              {colors.legend.map(({ color, text }) => (
                <li key={text}>
                  <span class="graph-swatch" style={{ background: color }} />
                  <span>{text}</span>
                </li>
              ))}
            </ul>
          )}
          <canvas ref={map} class="graph-map" data-tip={t("minimap")} />
        </div>
        <aside class="graph-pane" aria-label={node ? node.id : t("summary")} tabIndex={0}>
          <Details
            {...{ model, place, node, found }}
            isOpen={(one) => open.has(one.id)}
            onSelect={reveal}
            onToggle={toggle}
          />
        </aside>
      </div>
    </div>
  );
}

/** Scopes to begin with: those that are the only one among a few nodes. */
function alone(model: Model): ReadonlySet<string> {
  const found = new Set<string>();
  let scope = model.root;
  for (;;) {
    const { nodes } = model.level(scope);
    const inside = nodes.filter(({ kind }) => kind === "scope");
    if (nodes.length > 8 || inside.length !== 1 || model.level(inside[0]).nodes.length > MOST_AT_ONCE)
      return found;
    scope = inside[0];
    found.add(scope.id);
  }
}

function describe(model: Model, node: GraphNode): string {
  const { blob } = model;
  const lines = [node.leaf >= 0 ? blob.names[node.leaf] : node.id];
  if (node.op) lines.push(node.op);
  const shapes = node.leaf >= 0 ? blob.texts[blob.outputs[node.leaf]] : "";
  if (shapes) lines.push(describeShape(shapes));
  if (node.leaf < 0) lines.push(nodesText(node.count));
  if (node.parameters > 0) lines.push(parametersText(node.parameters));
  return lines.join("\n");
}
