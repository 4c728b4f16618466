/** What cards and the large view have in common: the settings, the matrix of a step, the order of its classes. */

import { useMemo, useRef } from "preact/hooks";
import type { ConfusionBlob, MediaItem } from "../../api/schema";
import { joined } from "../../i18n/notes";
import { useBlob } from "../../media/items";
import { playing } from "../../media/play";
import { Segmented, Select } from "../../ui/controls";
import { Matrix, type Sort } from "./matrix";
import { mode, SORTS, sort } from "./state";
import { say, t } from "./words";

/** What cells show, and in which order classes stand. */
export function MatrixControls() {
  return (
    <>
      <Segmented
        label={t("mode")}
        tip={t("modeTip")}
        value={mode.value}
        options={[
          ["counts", t("counts")],
          ["row", t("row")],
          ["column", t("column")],
        ]}
        onChange={(value) => {
          mode.value = value;
        }}
      />
      <Select
        label={t("sort")}
        tip={t("sortTip")}
        value={sort.value}
        options={SORTS.map((value) => [value, t(value)] as const)}
        onChange={(value) => {
          sort.value = value as Sort;
        }}
      />
    </>
  );
}

/** The matrix of a step, or why there is none. */
export function useMatrix(item: MediaItem | undefined): { matrix: Matrix | null; error: string } {
  const { value, error } = useBlob<ConfusionBlob>(item?.samples[0]?.url);
  const matrix = useMemo(() => (value && !value.problem ? new Matrix(value) : null), [value]);
  return { matrix, error: error || joined(value?.notes ?? [], say) };
}

/** The order of classes. While steps are played it stays as it was: rows that jump cannot be followed. */
export function useOrder(matrix: Matrix | null): Uint32Array {
  const kept = useRef<Uint32Array>(new Uint32Array(0));
  const isHeld = playing.value !== "" && kept.current.length === matrix?.size;
  const by = sort.value;
  const next = useMemo(() => (isHeld || !matrix ? null : matrix.order(by)), [matrix, by, isHeld]);
  if (next) kept.current = next;
  return kept.current;
}
