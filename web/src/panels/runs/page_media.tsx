/** Pictures, sounds, clips and texts of the last step of a run. */

import type { TextBlob } from "../../api/schema";
import { source } from "../../api/source";
import { useBlob } from "../../media/items";
import { runs } from "../../state/board";
import { Markdown } from "../text/markdown";
import { type LastItem, useLastItems } from "./pages";
import { Card } from "./sections";
import { t } from "./words";

const MOST_MEDIA = 24;
const MOST_SAMPLES = 4;

export function Media({ ids }: { ids: readonly string[] }) {
  const items = useLastItems(["images", "video", "audio"], ids, MOST_MEDIA);
  if (items.length === 0) return null;
  return (
    <Card title={t("media")} isWide>
      <div class="rp-media">
        {items.map((one) => (
          <Medium key={`${one.panel} ${one.run} ${one.tag}`} one={one} ids={ids} />
        ))}
      </div>
    </Card>
  );
}

function tagTitle({ run, tag }: LastItem, ids: readonly string[]): string {
  const part = ids.length > 1 ? runs.value.get(run)?.path.slice(-1)[0] : undefined;
  return part ? `${part}/${tag}` : tag;
}

function Medium({ one, ids }: { one: LastItem; ids: readonly string[] }) {
  const title = tagTitle(one, ids);
  const { item } = one;
  return (
    <figure>
      <figcaption data-tip={title}>
        <b>{title}</b> · {t("atStep", { step: item.step })}
      </figcaption>
      <div class="rp-samples">
        {item.samples.slice(0, MOST_SAMPLES).map(({ url }) =>
          one.panel === "audio" ? (
            // Sounds that were logged have no captions.
            // biome-ignore lint/a11y/useMediaCaption: see above
            <audio key={url} controls preload="none" src={source.blobUrl(url)} aria-label={title} />
          ) : (
            <img key={url} src={source.blobUrl(url)} alt={title} loading="lazy" />
          ),
        )}
      </div>
    </figure>
  );
}

const MOST_TEXTS = 12;

export function TextCards({ ids }: { ids: readonly string[] }) {
  const items = useLastItems(["text"], ids, MOST_TEXTS);
  if (items.length === 0) return null;
  return (
    <Card title={t("texts")} isWide>
      {items.map((one) => (
        <TextItem key={`${one.run} ${one.tag}`} one={one} title={tagTitle(one, ids)} />
      ))}
    </Card>
  );
}

function TextItem({ one, title }: { one: LastItem; title: string }) {
  const { value } = useBlob<TextBlob>(one.item.samples[0]?.url);
  return (
    <article class="rp-words">
      <h3>
        {title} · {t("atStep", { step: one.item.step })}
      </h3>
      <div class="rp-scroll" tabIndex={0} role="region" aria-label={title}>
        {value?.texts.map((text, i) => (
          <Markdown key={i} text={text} />
        ))}
      </div>
    </article>
  );
}
