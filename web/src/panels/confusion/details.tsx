/** One matrix large, with a table of its classes, and maybe another run's beside it. */

import { useEffect, useMemo, useState } from "preact/hooks";
import type { Run } from "../../api/schema";
import { formatCount } from "../../chart/format";
import { useItems } from "../../media/items";
import { indexAt, StepSlider, useStep } from "../../media/steps";
import { t as shared } from "../../media/words";
import { locale } from "../../state/appearance";
import { tagsOf } from "../../state/board";
import { pattern } from "../../state/order";
import { colorOf, label, visibleRuns } from "../../state/runs";
import { IconButton, Search, Select } from "../../ui/controls";
import { Sheet } from "../../ui/dialog";
import "../tables/tables.css";
import { NO_COUNTS } from "../../state/tags";
import { MatrixChart, windowInside, zoomed } from "./chart";
import { SaveMenu } from "./download";
import { formatShare, type Matrix, type Pair } from "./matrix";
import { MatrixControls, useMatrix, useOrder } from "./shown";
import { mode, opened, part, pinned, togglePin, versus } from "./state";
import { pairText, summaryOf } from "./summary";
import { t } from "./words";

/** As many rows as the table has at first, and as many more whenever its end comes into view. */
const ROWS_AT_ONCE = 60;
const NEAR_END_PX = 400;

export function Details({ run, tag }: { run: Run; tag: string }) {
  const { items, isLoading, error: failure } = useItems("confusion", run.id, tag);
  const [index, move] = useStep(`${run.id}\n${tag}`, items);
  const item = items[index];
  const { matrix, error } = useMatrix(item);
  const order = useOrder(matrix);
  // Hundreds of rows are not made again when the matrix is moved.
  const classes = useMemo(
    () => matrix && <Classes matrix={matrix} order={order} tag={tag} />,
    [matrix, order, tag, locale.value],
  );
  const name = label(run);
  const counts = tagsOf("confusion").get(tag)?.counts ?? NO_COUNTS;
  const others = visibleRuns.value.filter((other) => other.id !== run.id && counts.has(other.id));
  const other = others.find(({ id }) => id === versus.value);
  const pair = pinned.value?.tag === tag ? pinned.value : null;
  const chart = { order, mode: mode.value, window: part.value, pinned: pair };
  const zoom = (factor: number) => {
    part.value = zoomed(part.value, factor, matrix?.size ?? 1);
  };
  const close = () => {
    opened.value = null;
    part.value = null;
  };
  return (
    <Sheet title={tag} onClose={close} class="matrix-sheet">
      <header class="matrix-head">
        <h2 class="card-title">{tag}</h2>
        <MatrixControls />
        <Select
          label={t("versus")}
          tip={t("versusTip")}
          value={other ? other.id : ""}
          options={[["", t("none")], ...others.map((one) => [one.id, label(one)] as const)]}
          onChange={(id) => {
            versus.value = id;
          }}
        />
        <div class="matrix-tools">
          <IconButton icon="plus" tip={t("zoomIn")} onClick={() => zoom(0.5)} />
          <IconButton icon="minus" tip={t("zoomOut")} onClick={() => zoom(2)} />
          <IconButton
            icon="reset"
            tip={t("all")}
            onClick={() => {
              part.value = null;
            }}
          />
          {item && <SaveMenu item={item} title={`${tag} · ${name}`} />}
          <IconButton icon="close" tip={t("close")} onClick={close} />
        </div>
      </header>
      {matrix ? (
        <div class="matrix-main">
          <section class="matrix-side" aria-label={name}>
            <RunName run={run} />
            <MatrixChart
              {...chart}
              title={`${tag}, ${name}`}
              matrix={matrix}
              takesWheel
              onWindow={setPart}
              onPin={(next) => togglePin(tag, next)}
            />
            <p class="matrix-summary">{summaryOf(matrix)}</p>
            {pair && <p class="matrix-summary">{pairText(matrix, pair)}</p>}
          </section>
          {other && <Versus run={other} tag={tag} step={item.step} like={matrix} chart={chart} />}
          {classes}
        </div>
      ) : (
        <p class="media-note matrix-main" role="status">
          {error
            ? t("broken", { error })
            : failure || (isLoading || item ? shared("loading") : shared("nothing"))}
        </p>
      )}
      <StepSlider name={`${tag}, ${name}`} items={items} index={index} onMove={move} />
    </Sheet>
  );
}

function setPart(window: typeof part.value): void {
  part.value = window;
}

/** Moves the part shown so that a row and the same column are in its middle. */
function reveal(matrix: Matrix, place: number): void {
  if (!part.value) return;
  const { span } = part.value;
  part.value = windowInside({ x: place - span / 2, y: place - span / 2, span }, matrix.size);
}

function RunName({ run }: { run: Run }) {
  return (
    <h3 class="card-title">
      <span class="run-dot" style={{ background: colorOf(run) }} /> {label(run)}
    </h3>
  );
}

interface VersusProps {
  run: Run;
  tag: string;
  step: number;
  like: Matrix;
  chart: { order: Uint32Array; mode: typeof mode.value; window: typeof part.value; pinned: Pair | null };
}

/** Another run's matrix of the same step, or the last before it, in the same order. */
function Versus({ run, tag, step, like, chart }: VersusProps) {
  const { items } = useItems("confusion", run.id, tag);
  const item = items[indexAt(items, step)];
  const { matrix, error } = useMatrix(item);
  const own = useOrder(matrix);
  const order = matrix?.size === like.size ? chart.order : own;
  return (
    <section class="matrix-side" aria-label={label(run)}>
      <RunName run={run} />
      {matrix ? (
        <>
          <MatrixChart
            {...chart}
            order={order}
            title={`${tag}, ${label(run)}`}
            matrix={matrix}
            takesWheel
            onWindow={setPart}
            onPin={(next) => togglePin(tag, next)}
          />
          <p class="matrix-summary">
            {shared("step")} {item.step}: {summaryOf(matrix)}
          </p>
          {chart.pinned && <p class="matrix-summary">{pairText(matrix, chart.pinned)}</p>}
        </>
      ) : (
        <p class="media-note">{error ? t("broken", { error }) : shared("loading")}</p>
      )}
    </section>
  );
}

interface ClassesProps {
  matrix: Matrix;
  order: Uint32Array;
  tag: string;
}

/** Precision, recall and F1 of every class, in the order of the matrix. */
function Classes({ matrix, order, tag }: ClassesProps) {
  const [filter, setFilter] = useState("");
  const [count, setCount] = useState(ROWS_AT_ONCE);
  useEffect(() => setFilter(""), [tag]);
  useEffect(() => setCount(ROWS_AT_ONCE), [filter, order]);
  const wanted = pattern(filter);
  const fits = Array.from(order, (index, place) => ({ index, place })).filter(
    ({ index }) => !wanted || wanted.test(matrix.names[index]),
  );
  return (
    <aside class="matrix-classes" aria-label={t("classes")}>
      <Search label={t("find")} tip={t("findTip")} value={filter} onChange={setFilter} />
      <div
        class="table-box"
        tabIndex={0}
        role="region"
        aria-label={t("classes")}
        onScroll={({ currentTarget: box }) => {
          const left = box.scrollHeight - box.scrollTop - box.clientHeight;
          if (left < NEAR_END_PX && count < fits.length) setCount(count + ROWS_AT_ONCE);
        }}
      >
        <table class="data-table" aria-rowcount={fits.length + 1}>
          <thead>
            <tr>
              <th scope="col">{t("class")}</th>
              {(["precision", "recall", "f1", "examples"] as const).map((key) => (
                <th key={key} scope="col" class="is-number">
                  {t(key)}
                </th>
              ))}
              <th scope="col">{t("takenFor")}</th>
            </tr>
          </thead>
          <tbody>
            {fits.slice(0, count).map(({ index, place }, i) => (
              <ClassRow key={i} matrix={matrix} index={index} place={place} tag={tag} />
            ))}
          </tbody>
        </table>
      </div>
    </aside>
  );
}

function ClassRow(props: { matrix: Matrix; index: number; place: number; tag: string }) {
  const { matrix, index, place, tag } = props;
  const name = matrix.names[index];
  const worst = matrix.takenFor(index);
  const show = () => {
    reveal(matrix, place);
    togglePin(tag, worst ?? { row: index, column: index });
  };
  return (
    <tr>
      <th scope="row">
        <button type="button" data-tip={t("show", { name })} onClick={show}>
          {name}
        </button>
      </th>
      <td class="is-number">{formatShare(matrix.precision(index))}</td>
      <td class="is-number">{formatShare(matrix.recall(index))}</td>
      <td class="is-number">{formatShare(matrix.f1(index))}</td>
      <td class="is-number">{formatCount(matrix.support[index])}</td>
      <td>{worst ? `${matrix.names[worst.column]} (${formatCount(matrix.at(worst))})` : "–"}</td>
    </tr>
  );
}
