/** Views that TensorBoard's projector saved: their projection, components, colours and chosen points. */

import { batch } from "@preact/signals";
import { source } from "../../api/source";
import { colorBy, components, dimensions, method, perplexity, selected } from "./state";
import { facts } from "./store";
import { t } from "./words";

interface Bookmark {
  label?: unknown;
  selectedProjection?: unknown;
  pcaComponentDimensions?: unknown;
  tSNEPerplexity?: unknown;
  selectedColorOptionName?: unknown;
  selectedPoints?: unknown;
  tSNEis3d?: unknown;
}

const METHODS: Record<string, "pca" | "tsne" | "umap" | "axes"> = {
  pca: "pca",
  tsne: "tsne",
  "t-sne": "tsne",
  umap: "umap",
  custom: "axes",
};

function numbers(value: unknown): number[] {
  return Array.isArray(value) ? value.filter((one): one is number => Number.isInteger(one) && one >= 0) : [];
}

/** Shows a view. What of it is not known here stays as it is. */
export function show(mark: Bookmark): void {
  batch(() => {
    const named = METHODS[String(mark.selectedProjection).toLowerCase()];
    if (named && source.isLive) method.value = named;
    const chosen = numbers(mark.pcaComponentDimensions).filter((one) => one < 10);
    if (chosen.length >= 2) {
      components.value = [...chosen, chosen[chosen.length - 1]].slice(0, 3);
      dimensions.value = chosen.length === 2 ? "2" : "3";
    }
    if (named === "tsne" && mark.tSNEis3d === false) dimensions.value = "2";
    const wanted = Number(mark.tSNEPerplexity);
    if (wanted >= 2 && wanted <= 100) perplexity.value = wanted;
    const name = mark.selectedColorOptionName;
    if (facts.value.value?.columns.some((column) => column.name === name)) colorBy.value = String(name);
    selected.value = numbers(mark.selectedPoints);
  });
}

export function Bookmarks() {
  const marks = (facts.value.value?.bookmarks ?? []) as Bookmark[];
  if (marks.length === 0) return null;
  return (
    <section class="side-section" aria-label={t("bookmarks")}>
      <h3>{t("bookmarks")}</h3>
      <ul class="points-list">
        {marks.map((mark, i) => (
          <li key={i}>
            <button type="button" data-tip={t("bookmarkTip")} onClick={() => show(mark ?? {})}>
              <span class="key-name">{String(mark?.label || i + 1)}</span>
            </button>
          </li>
        ))}
      </ul>
    </section>
  );
}
