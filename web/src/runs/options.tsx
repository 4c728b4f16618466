/** The menu of the list: order, groups, columns, hidden runs. */

import { isReadOnly, runs, settings } from "../state/board";
import * as state from "../state/runs";
import { Check, Menu, Select } from "../ui/controls";
import { t } from "./words";

export function ListOptions() {
  const hparams = state.hparamNames.value;
  const by = state.groupBy.value;
  const isPattern = by.startsWith("name:");
  const hidden = Object.entries(settings.value.runs).filter(
    ([id, run]) => run.hidden && runs.value.has(id),
  ).length;
  const isUsed = by !== "" || state.runSort.value !== "name" || state.runColumns.value.size > 0;
  return (
    <Menu icon="sliders" tip={t("options")} isPressed={isUsed}>
      {() => (
        <>
          <Select
            label={t("sort")}
            tip={t("sortTip")}
            value={state.runSort.value}
            options={[
              ["name", t("byName")],
              ["newest", t("byNewest")],
              ["active", t("byActive")],
              ...hparams.map((name) => [`hparam:${name}`, name] as const),
            ]}
            onChange={(value) => (state.runSort.value = value)}
          />
          <Select
            label={t("group")}
            tip={t("groupTip")}
            value={isPattern ? "name:" : by}
            options={[
              ["", t("byFolder")],
              ["name:", t("byPattern")],
              ...hparams.map((name) => [`hparam:${name}`, name] as const),
            ]}
            onChange={(value) => (state.groupBy.value = value === "name:" ? "name:^([^/]+)" : value)}
          />
          {isPattern && (
            <input
              class="text-input"
              type="text"
              spellcheck={false}
              value={by.slice("name:".length)}
              aria-label={t("pattern")}
              data-tip={t("pattern")}
              onInput={(event) => (state.groupBy.value = `name:${event.currentTarget.value}`)}
            />
          )}
          <hr />
          <p class="sheet-title">{t("columns")}</p>
          <div class="sheet-list">
            {hparams.length === 0 && <p class="sheet-empty">{t("noHparams")}</p>}
            {hparams.map((name) => (
              <Check
                key={name}
                label={name}
                tip={t("columnsTip")}
                isOn={state.runColumns.value.has(name)}
                onChange={(isOn) => {
                  const next = new Set(state.runColumns.value);
                  if (isOn) next.add(name);
                  else next.delete(name);
                  state.runColumns.value = next;
                }}
              />
            ))}
          </div>
          <hr />
          <Check
            label={t("showHidden", { n: hidden })}
            tip={t("showHiddenTip")}
            isOn={state.showsHidden.value}
            onChange={(isOn) => (state.showsHidden.value = isOn)}
          />
          {isReadOnly.value && <p class="sheet-title">{t("readOnly")}</p>}
        </>
      )}
    </Menu>
  );
}
