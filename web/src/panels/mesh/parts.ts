/** The parts of a mesh, each logged under a tag of its own, fetched and put together. */

import { useEffect, useState } from "preact/hooks";
import type { MediaItem } from "../../api/schema";
import { source } from "../../api/source";
import { useItems } from "../../media/items";
import { tagsOf } from "../../state/board";
import type { Tag } from "../../state/tags";
import { type Geometry, makeGeometry } from "./geometry";

/** What the tags of points end with, and those of what belongs to them: tensorboardX writes numbers. */
const ENDINGS = [
  { vertices: "_VERTEX", faces: "_FACE", colors: "_COLOR" },
  { vertices: "_1", faces: "_2", colors: "_3" },
] as const;

function endingsOf(tag: string): (typeof ENDINGS)[number] | undefined {
  return ENDINGS.find(({ vertices }) => tag.endsWith(vertices));
}

/** The tags of points, under the names that were logged. */
export function meshTags(): ReadonlyMap<string, Tag> {
  const found = [...tagsOf("mesh")].filter(([tag]) => endingsOf(tag));
  return new Map(found.map(([tag, entry]) => [tag, { ...entry, display_name: nameOf(tag) }]));
}

export function nameOf(tag: string): string {
  const endings = endingsOf(tag);
  return endings ? tag.slice(0, -endings.vertices.length) : tag;
}

/** What was logged with the points: of the same step and, where a step was logged twice, as late. */
function partner(items: readonly MediaItem[], item: MediaItem): MediaItem | undefined {
  const same = items.filter(({ step }) => step === item.step);
  return same.find(({ wall_time }) => wall_time >= item.wall_time) ?? same.at(-1);
}

export interface Loaded {
  geometry: Geometry | null;
  error: string;
}

/** The mesh of a step; while the next one is on its way, the last. */
export function useGeometry(run: string, tag: string, item: MediaItem, sample: number): Loaded {
  const name = nameOf(tag);
  const endings = endingsOf(tag) ?? ENDINGS[0];
  const faces = useItems("mesh", run, name + endings.faces);
  const colors = useItems("mesh", run, name + endings.colors);
  const isWaiting = faces.isLoading || colors.isLoading;
  const parts = [item, partner(faces.items, item), partner(colors.items, item)];
  const urls = parts.map((part) => part?.samples[Math.min(sample, part.samples.length - 1)]?.url);
  const [state, setState] = useState<Loaded>({ geometry: null, error: "" });
  useEffect(() => {
    if (isWaiting) return;
    let isCurrent = true;
    Promise.all(urls.map((url) => (url ? source.bytes(url) : null))).then(
      ([vertices, triangles, paint]) => {
        if (!isCurrent) return;
        const geometry = makeGeometry(vertices ?? new ArrayBuffer(0), triangles, paint);
        setState({ geometry, error: "" });
      },
      (error: Error) => isCurrent && setState({ geometry: null, error: error.message }),
    );
    return () => {
      isCurrent = false;
    };
  }, [isWaiting, urls.join("\n")]);
  return state;
}
