/** The projector: points in many dimensions, laid out in two or three. */

import type { Signal } from "@preact/signals";
import { useEffect } from "preact/hooks";
import { formatCount } from "../../chart/format";
import { runs } from "../../state/board";
import { label } from "../../state/runs";
import { IconButton, Notice, Search, Segmented, Select, Slider, Toggle } from "../../ui/controls";
import { Bookmarks } from "./bookmarks";
import { START } from "./camera";
import { Download } from "./download";
import { Legend } from "./legend";
import { MethodChoice, Projection } from "./projection";
import "./projector.css";
import { Selection } from "./selection";
import { isAsked, isViewed, sets } from "./sets";
import { Stage } from "./stage";
import {
  camera,
  chosenSet,
  chosenStep,
  dimensions,
  is3d,
  isBoxing,
  method,
  pointSize,
  searchText,
  selected,
  showsLabels,
  showsPictures,
} from "./state";
import { current, currentStep, facts, isLayingOut, keyOf, layout, shownSets, stepIndex } from "./store";
import { say, t } from "./words";

const EXAMPLE = 'tf.summary.embedding("digits", features, labels=y, images=x, step=epoch)';

export default function Projector() {
  useEffect(() => {
    isViewed.value = true;
    return () => {
      isViewed.value = false;
    };
  }, []);
  if (sets.value.sets.length === 0) return <Empty />;
  if (!current.value) return <Notice title={t("noRuns")}>{t("noRunsText")}</Notice>;
  return (
    <div class="panel projector">
      <Toolbar />
      {facts.value.error ? (
        <Notice title={t("broken")}>{facts.value.error}</Notice>
      ) : (
        <div class="projector-body">
          <div class="projector-main">
            <Stage />
            <StageBar />
            {!layout.value && isLayingOut.value && (
              <div class="projector-wait">
                <Notice title={t("loading")} isBusy />
              </div>
            )}
          </div>
          <aside class="projector-side">
            <Projection />
            <Legend />
            <Selection />
            <Bookmarks />
            <Facts />
          </aside>
        </div>
      )}
    </div>
  );
}

function Empty() {
  if (!isAsked.value) return <Notice title={t("loading")} isBusy />;
  return (
    <Notice title={t("empty")}>
      <p>{t("emptyText")}</p>
      <code>{EXAMPLE}</code>
      {sets.value.problems.map((problem) => (
        <p key={problem.text} class="side-problem">
          {say(problem)}
        </p>
      ))}
    </Notice>
  );
}

function Toolbar() {
  const set = current.value!;
  const steps = set.steps;
  const step = currentStep.value?.step;
  const title = (run: string, fallback: string) => {
    const known = runs.value.get(run);
    return known ? label(known) : fallback;
  };
  return (
    <div class="toolbar" role="toolbar" aria-label={t("toolbar")}>
      <Select
        label={t("set")}
        tip={t("setTip")}
        value={keyOf(set)}
        options={shownSets.value.map(
          (one) => [keyOf(one), `${one.name} · ${title(one.run, one.run_name)}`] as const,
        )}
        onChange={(value) => {
          chosenSet.value = value;
          chosenStep.value = "";
          selected.value = [];
        }}
      />
      {steps.length > 1 && (
        <Slider
          label={t("step")}
          tip={t("stepTip", { step: String(step), index: stepIndex.value + 1, total: steps.length })}
          value={stepIndex.value}
          min={0}
          max={steps.length - 1}
          step={1}
          text={String(step ?? "–")}
          onChange={(index) => {
            // At its end the slider goes on to show the newest.
            chosenStep.value = index === steps.length - 1 ? "" : String(steps[index].step);
          }}
        />
      )}
      <MethodChoice />
      {method.value !== "axes" && (
        <Segmented<"2" | "3">
          label={t("dims")}
          tip={t("dimsTip")}
          value={dimensions.value}
          options={[
            ["2", "2D"],
            ["3", "3D"],
          ]}
          onChange={(value) => {
            dimensions.value = value;
            camera.value = START;
          }}
        />
      )}
      <Search
        label={t("search")}
        tip={t("searchTip")}
        value={searchText.value}
        shortcut="/"
        onChange={(text) => {
          searchText.value = text;
          selected.value = [];
        }}
      />
    </div>
  );
}

/** What changes the drawing, in its corner. */
function StageBar() {
  return (
    <>
      <div class="stage-bar">
        <Switch name="boxMode" of={isBoxing} />
        <Switch name="labels" of={showsLabels} />
        {currentStep.value?.sprite && <Switch name="pictures" of={showsPictures} />}
        <Slider
          label={t("size")}
          tip={t("sizeTip")}
          value={pointSize.value}
          min={1}
          max={30}
          step={1}
          text={String(pointSize.value)}
          onChange={(value) => {
            pointSize.value = value;
          }}
        />
        <IconButton
          icon="reset"
          tip={t("reset")}
          onClick={() => {
            camera.value = START;
          }}
        />
        <Download />
      </div>
      <p class="stage-hint">{t(is3d.value ? "hint3d" : "hint2d")}</p>
    </>
  );
}

/** A button for what is on or off; its words go by its name. */
function Switch({ name, of }: { name: "boxMode" | "labels" | "pictures"; of: Signal<boolean> }) {
  return (
    <Toggle
      label={t(name)}
      tip={t(`${name}Tip`)}
      isOn={of.value}
      onChange={(isOn) => {
        of.value = isOn;
      }}
    />
  );
}

function Facts() {
  const found = facts.value.value;
  if (!found) return null;
  return (
    <section class="side-section" aria-label={t("notes")}>
      <p class="side-note">{t("facts", { n: formatCount(found.points), d: found.dimensions })}</p>
      {[...found.notes, ...sets.value.problems].map((note) => (
        <p key={note.text} class="side-warning">
          {say(note)}
        </p>
      ))}
    </section>
  );
}
