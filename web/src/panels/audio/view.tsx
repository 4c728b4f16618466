/** The audio panel: a player for every sound of a step. */

import { useState } from "preact/hooks";
import { source } from "../../api/source";
import { messages } from "../../i18n/messages";
import { MediaPanel } from "../../media/panel";
import { t as shared } from "../../media/words";
import { label } from "../../state/runs";
import "./audio.css";

const t = messages({
  sound: ["{tag}, {run}, step {step}, sound {n}", "{tag},{run},第 {step} 步,声音 {n}"],
  unplayable: ["This sound cannot be played here ({mime}).", "此处无法播放该声音({mime})。"],
  save: ["Download it", "下载"],
});

const EXAMPLE = 'tf.summary.audio("speech", waves, 16000, step=step)';

const SIZES = {
  small: { width: 240, height: 112 },
  medium: { width: 340, height: 168 },
  large: { width: 520, height: 256 },
};

/** Eight sounds; of more, the rest is scrolled to. */
const MOST_HEIGHT = 420;

export default function Audio() {
  return (
    <MediaPanel
      panel="audio"
      sizes={SIZES}
      fits={{ most: MOST_HEIGHT }}
      hint={shared("logWith", { code: EXAMPLE })}
    >
      {(item, card) =>
        item.samples.map((sample, i) => (
          <Player
            key={`${card.id}\n${i}`}
            url={source.blobUrl(sample.url)}
            mime={sample.mime}
            text={t("sound", { tag: card.tag, run: label(card.run), step: item.step, n: i + 1 })}
          />
        ))
      }
    </MediaPanel>
  );
}

function Player({ url, mime, text }: { url: string; mime: string; text: string }) {
  const [broken, setBroken] = useState("");
  if (broken === url || !mime.startsWith("audio/")) {
    return (
      <p class="media-note">
        {t("unplayable", { mime })} <a href={url}>{t("save")}</a>
      </p>
    );
  }
  return (
    // biome-ignore lint/a11y/useMediaCaption: what was logged has no captions
    <audio
      class="player"
      controls
      preload="metadata"
      src={url}
      aria-label={text}
      onError={() => setBroken(url)}
    />
  );
}
