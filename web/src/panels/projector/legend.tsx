/** What the colours mean. */

import { formatCount, formatValue } from "../../chart/format";
import { Select } from "../../ui/controls";
import { SCALE_CSS } from "./colors";
import { colorBy, labelBy, searchText, selected } from "./state";
import { colorColumn, coloring, facts } from "./store";
import { t } from "./words";

const MOST_ROWS = 50;

export function Legend() {
  const columns = facts.value.value?.columns ?? [];
  if (columns.length === 0) return null;
  const names = columns.map(({ name }) => [name, name] as const);
  const shown = columns.some(({ name }) => name === colorBy.value) ? colorBy.value : names[0][0];
  return (
    <section class="side-section" aria-label={t("color")}>
      <Select
        label={t("colorBy")}
        tip={t("colorByTip")}
        value={colorBy.value === "-" ? "-" : shown}
        options={[...names, ["-", t("noColor")]]}
        onChange={(value) => {
          colorBy.value = value === names[0][0] ? "" : value;
        }}
      />
      <Keys />
      {columns.length > 1 && (
        <Select
          label={t("labelBy")}
          tip={t("labelByTip")}
          value={columns.some(({ name }) => name === labelBy.value) ? labelBy.value : names[0][0]}
          options={names}
          onChange={(value) => {
            labelBy.value = value === names[0][0] ? "" : value;
          }}
        />
      )}
    </section>
  );
}

function Keys() {
  const { keys, others, range } = coloring.value;
  const column = colorColumn.value.value;
  if (colorBy.value === "-" || !column) return null;
  if (range) {
    return (
      <div class="scale">
        <div class="scale-bar" style={{ background: SCALE_CSS }} />
        <span>{formatValue(range.min)}</span>
        <span>{formatValue(range.max)}</span>
      </div>
    );
  }
  if (keys.length === 0)
    return <p class="side-note">{t("tooMany", { n: formatCount(column.values.length) })}</p>;
  const light = (code: number) => {
    searchText.value = "";
    const found: number[] = [];
    column.codes.forEach((one, i) => {
      if (one === code) found.push(i);
    });
    selected.value = found;
  };
  return (
    <ul class="keys-list">
      {keys.slice(0, MOST_ROWS).map(({ code, name, count, color }) => (
        <li key={code}>
          <button type="button" data-tip={t("keyTip", { n: count, name })} onClick={() => light(code)}>
            <span class="key-dot" style={{ background: color }} />
            <span class="key-name">{name || "–"}</span>
            <span class="key-count">{formatCount(count)}</span>
          </button>
        </li>
      ))}
      {others > 0 && <li class="side-note">{t("others", { n: others })}</li>}
    </ul>
  );
}
