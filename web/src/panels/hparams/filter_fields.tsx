/** The filter of one column: a range of numbers; a pattern, or some of the values, of anything else. */

import { Check, Item } from "../../ui/controls";
import type { Column } from "./columns";
import type { Condition } from "./conditions";
import { conditions, setConditions } from "./narrowing";
import { t } from "./words";

const MOST_VALUES = 50;

export function FilterFields({ column }: { column: Column }) {
  const condition = conditions.value.get(column.key);
  const set = (next: Condition | null) => setConditions([[column.key, next]]);
  return (
    <>
      {column.isNumber ? (
        <Range condition={condition} onChange={set} />
      ) : (
        <Values column={column} condition={condition} onChange={set} />
      )}
      {condition && (
        <Item icon="close" tip={t("clearColumn")} onClick={() => set(null)}>
          {t("clearColumn")}
        </Item>
      )}
    </>
  );
}

interface Props {
  condition: Condition | undefined;
  onChange: (condition: Condition | null) => void;
}

function Range({ condition, onChange }: Props) {
  const range = condition?.kind === "range" ? condition : { min: -Infinity, max: Infinity };
  const change = (min: number, max: number) => {
    if (min <= max) onChange(min === -Infinity && max === Infinity ? null : { kind: "range", min, max });
  };
  return (
    <div class="hp-range">
      <NumberField
        label={t("from")}
        tip={t("fromTip")}
        value={range.min}
        open={-Infinity}
        onChange={(min) => change(min, range.max)}
      />
      <NumberField
        label={t("to")}
        tip={t("toTip")}
        value={range.max}
        open={Infinity}
        onChange={(max) => change(range.min, max)}
      />
    </div>
  );
}

interface NumberFieldProps {
  label: string;
  tip: string;
  value: number;
  /** What an empty field stands for. */
  open: number;
  onChange: (value: number) => void;
}

function NumberField({ label, tip, value, open, onChange }: NumberFieldProps) {
  return (
    <label class="run-field" data-tip={tip}>
      {label}
      <input
        class="text-input"
        type="text"
        inputMode="decimal"
        value={value === open ? "" : String(Number(value.toPrecision(6)))}
        onChange={(event) => {
          const text = event.currentTarget.value.trim();
          const next = text === "" ? open : Number(text);
          if (!Number.isNaN(next)) onChange(next);
        }}
      />
    </label>
  );
}

function Values({ column, condition, onChange }: Props & { column: Column }) {
  const listed = column.categories.slice(0, MOST_VALUES);
  const isOn = (value: string) => condition?.kind === "choice" && condition.values.has(value);
  const choose = (value: string, isChosen: boolean) => {
    const next = new Set(condition?.kind === "choice" ? condition.values : []);
    if (isChosen) next.add(value);
    else next.delete(value);
    onChange(next.size ? { kind: "choice", values: next } : null);
  };
  return (
    <>
      <label class="run-field" data-tip={t("matchTip")}>
        {t("match")}
        <input
          class="text-input"
          type="text"
          spellcheck={false}
          value={condition?.kind === "match" ? condition.text : ""}
          onInput={(event) => {
            const text = event.currentTarget.value;
            onChange(text ? { kind: "match", text } : null);
          }}
        />
      </label>
      <div class="sheet-list">
        {listed.map((value) => (
          <Check
            key={value}
            label={value}
            tip={t("choiceTip")}
            isOn={isOn(value)}
            onChange={(isChosen) => choose(value, isChosen)}
          />
        ))}
      </div>
      {column.categories.length > listed.length && (
        <p class="sheet-title">{t("moreValues", { n: column.categories.length - listed.length })}</p>
      )}
    </>
  );
}
