/** The video panel: animated pictures and clips, step by step. */

import { source } from "../../api/source";
import { messages } from "../../i18n/messages";
import { MediaPanel } from "../../media/panel";
import { t as shared } from "../../media/words";
import { label } from "../../state/runs";
import "./video.css";

const t = messages({ clip: ["{tag}, {run}, step {step}", "{tag},{run},第 {step} 步"] });

const EXAMPLE = 'tf.summary.video("motion", clips, step=step, fps=8)';

const SIZES = {
  small: { width: 200, height: 240 },
  medium: { width: 300, height: 340 },
  large: { width: 520, height: 560 },
};

export default function Video() {
  return (
    <MediaPanel panel="video" sizes={SIZES} hint={shared("logWith", { code: EXAMPLE })}>
      {(item, card) => {
        const text = t("clip", { tag: card.tag, run: label(card.run), step: item.step });
        return item.samples.map((sample, i) => {
          const [key, url] = [`${card.id}\n${i}`, source.blobUrl(sample.url)];
          if (sample.mime.startsWith("image/")) return <img key={key} class="clip" src={url} alt={text} />;
          return <video key={key} class="clip" src={url} controls loop muted aria-label={text} />;
        });
      }}
    </MediaPanel>
  );
}
