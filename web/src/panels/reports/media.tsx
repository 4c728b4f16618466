/** Pictures, clips, sounds, texts and tables of a view in a text: of one step, or of the last. */

import type { TextBlob } from "../../api/schema";
import { source } from "../../api/source";
import { useBlob, useItems } from "../../media/items";
import { indexAt } from "../../media/steps";
import { t as shared } from "../../media/words";
import { runs, tagsOf } from "../../state/board";
import { colorOf, labelOf, visibleRuns } from "../../state/runs";
import { TableBody } from "../tables/body";
import { Embeds, Markdown } from "../text/markdown";
import { expression, type View } from "./address";
import { runsOf } from "./charts";
import { Cut, Nothing } from "./nothing";

const PANELS = ["images", "video", "audio", "text", "tables"];
const MOST_ITEMS = 12;

export function isMedia(panel: string): boolean {
  return PANELS.includes(panel);
}

interface Place {
  run: string;
  tag: string;
  /** The step to show, or the last before it; null for the last there is. */
  step: number | null;
}

/** The picture that is open in a view, as the panel of images writes it: run, step and tag. */
function openPicture(query: URLSearchParams): Place | null {
  const [run, step, ...tag] = (query.get("picture") ?? "").split(":");
  return tag.length > 0 && Number.isFinite(Number(step))
    ? { run, tag: tag.join(":"), step: Number(step) }
    : null;
}

function placesOf(view: View): readonly Place[] {
  const { panel, query } = view;
  const picture = panel === "images" ? openPicture(query) : null;
  if (picture) return tagsOf(panel).get(picture.tag)?.counts.has(picture.run) ? [picture] : [];
  const wanted = expression(query.get("mtags") ?? "");
  const ids = runsOf(view) ?? visibleRuns.value.map(({ id }) => id);
  const asked = query.get("step");
  const step = asked !== null && Number.isFinite(Number(asked)) ? Number(asked) : null;
  return [...tagsOf(panel).values()]
    .filter(({ tag }) => !wanted || wanted.test(tag))
    .flatMap(({ tag, counts }) => ids.filter((run) => counts.has(run)).map((run) => ({ run, tag, step })));
}

export function EmbeddedMedia({ view }: { view: View }) {
  const places = placesOf(view);
  if (places.length === 0) return <Nothing view={view} />;
  const shown = places.slice(0, MOST_ITEMS);
  return (
    <>
      <div class={`embed-media is-${view.panel}`}>
        {shown.map((place) => (
          <Item key={`${place.run}\n${place.tag}`} panel={view.panel} place={place} />
        ))}
      </div>
      <Cut shown={shown.length} total={places.length} />
    </>
  );
}

function Item({ panel, place }: { panel: string; place: Place }) {
  const { items, isLoading, error } = useItems(panel, place.run, place.tag);
  const item = items[place.step === null ? items.length - 1 : indexAt(items, place.step)];
  const run = runs.value.get(place.run);
  const title = `${place.tag}, ${labelOf(place.run)}`;
  return (
    <section class="embed-item" aria-label={title}>
      <h3>
        {run && <span class="run-dot" style={{ background: colorOf(run) }} />}
        <span>{title}</span>
        {item && (
          <span class="embed-step">
            {shared("step")} {item.step}
          </span>
        )}
      </h3>
      {!item && <p class="media-note">{isLoading ? shared("loading") : error || shared("nothing")}</p>}
      {item && panel === "tables" && <TableBody item={item} />}
      {item && panel === "text" && <Words url={item.samples[0]?.url} />}
      {item &&
        !["tables", "text"].includes(panel) &&
        item.samples.map(({ url, mime }) => <Sample key={url} url={url} mime={mime} title={title} />)}
    </section>
  );
}

function Sample({ url, mime, title }: { url: string; mime: string; title: string }) {
  const from = source.blobUrl(url);
  if (mime.startsWith("image/")) return <img src={from} alt={title} loading="lazy" />;
  if (mime.startsWith("video/")) return <video src={from} controls loop muted aria-label={title} />;
  // biome-ignore lint/a11y/useMediaCaption: what was logged has no captions
  return <audio src={from} controls preload="none" aria-label={title} />;
}

/** What a program has logged: it has no views of the board in it, whatever it says. */
function Words({ url }: { url: string | undefined }) {
  const { value, error } = useBlob<TextBlob>(url);
  if (!value) return <p class="media-note">{error || shared("loading")}</p>;
  return (
    <Embeds.Provider value={null}>
      {value.texts.map((text, i) => (
        <Markdown key={i} text={text} />
      ))}
    </Embeds.Provider>
  );
}
