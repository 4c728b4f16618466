/** The images panel: every step of every picture, adjustable, comparable. */

import { useState } from "preact/hooks";
import type { MediaItem } from "../../api/schema";
import { source } from "../../api/source";
import { type MediaCard, MediaPanel } from "../../media/panel";
import { t as shared } from "../../media/words";
import { runs } from "../../state/board";
import { label } from "../../state/runs";
import { numberCodec, urlSignal } from "../../state/url";
import type { Box } from "../../ui/card_grid";
import { IconButton, Item, Menu, Slider } from "../../ui/controls";
import "./images.css";
import { columnsFor } from "./columns";
import { imageTags } from "./tags";
import { ImageViewer } from "./viewer";
import { t } from "./words";

const brightness = urlSignal("bright", 1, numberCodec(0, 4));
const contrast = urlSignal("contrast", 1, numberCodec(0, 4));

/** The picture opened large: its run, tag and step. */
const opened = urlSignal<{ run: string; tag: string; step: number } | null>("picture", null, {
  parse(text) {
    const [run, step, ...tag] = text.split(":");
    return tag.length && Number.isFinite(Number(step))
      ? { run, step: Number(step), tag: tag.join(":") }
      : undefined;
  },
  format: (value) => (value ? `${value.run}:${value.step}:${value.tag}` : ""),
});

const SIZES = {
  small: { width: 160, height: 220 },
  medium: { width: 260, height: 320 },
  large: { width: 480, height: 560 },
};

export default function Images() {
  const filter = `brightness(${brightness.value}) contrast(${contrast.value})`;
  const run = runs.value.get(opened.value?.run ?? "");
  return (
    <div class="images" style={{ "--filter": filter }}>
      <MediaPanel
        panel="images"
        tags={imageTags.value}
        sizes={SIZES}
        fits
        stretch={2}
        hint={shared("logWith", { code: 'tf.summary.image("samples", images, step=step)' })}
        controls={<Adjust />}
        tools={(item, card) => item && <Open item={item} card={card} />}
      >
        {(item, card, box) => <Pictures item={item} card={card} box={box} />}
      </MediaPanel>
      {opened.value && run && (
        <ImageViewer
          run={run}
          tag={opened.value.tag}
          step={opened.value.step}
          filter={filter}
          onClose={() => {
            opened.value = null;
          }}
        />
      )}
    </div>
  );
}

function Open({ item, card }: { item: MediaItem; card: MediaCard }) {
  return (
    <IconButton
      icon="compare"
      tip={t("openTip")}
      onClick={() => {
        opened.value = { run: card.run.id, tag: card.tag, step: item.step };
      }}
    />
  );
}

function Adjust() {
  const isChanged = brightness.value !== 1 || contrast.value !== 1;
  return (
    <Menu icon="sun" tip={t("adjust")} isPressed={isChanged}>
      {() => (
        <>
          <Slider
            label={t("brightness")}
            tip={t("brightnessTip")}
            value={brightness.value}
            min={0.1}
            max={4}
            step={0.1}
            text={brightness.value.toFixed(1)}
            onChange={(value) => {
              brightness.value = value;
            }}
          />
          <Slider
            label={t("contrast")}
            tip={t("contrastTip")}
            value={contrast.value}
            min={0.1}
            max={4}
            step={0.1}
            text={contrast.value.toFixed(1)}
            onChange={(value) => {
              contrast.value = value;
            }}
          />
          <Item
            icon="reset"
            tip={t("resetTip")}
            onClick={() => {
              brightness.value = 1;
              contrast.value = 1;
            }}
          >
            {t("reset")}
          </Item>
        </>
      )}
    </Menu>
  );
}

function Pictures({ item, card, box }: { item: MediaItem; card: MediaCard; box: Box }) {
  const count = item.samples.length;
  const share = `${100 / columnsFor(count, item.width, item.height, box.wider / box.higher)}%`;
  return (
    <div
      class={count === 1 ? `pictures is-one ${isStrip(item) ? "is-strip" : ""}` : "pictures"}
      style={{ "--share": share, "--width": item.width || 1, "--height": item.height || 1 }}
    >
      {item.samples.map((sample, i) => (
        <Picture
          // A slider moves through pictures in one element: the old one stays until the next is there.
          key={`${card.id}\n${i}`}
          url={sample.url}
          text={t("picture", { tag: card.tag, run: label(card.run), step: item.step })}
          isSmall={item.width > 0 && item.width < 200}
          onOpen={() => {
            opened.value = { run: card.run.id, tag: card.tag, step: item.step };
          }}
        />
      ))}
    </div>
  );
}

/** The weights of a bias: a picture of a pixel's height, or width. */
function isStrip({ width, height }: MediaItem): boolean {
  return height > 8 * width;
}

interface PictureProps {
  url: string;
  text: string;
  isSmall: boolean;
  onOpen: () => void;
}

function Picture({ url, text, isSmall, onOpen }: PictureProps) {
  const [broken, setBroken] = useState("");
  if (broken === url) return <p class="media-note">{t("broken")}</p>;
  return (
    <button
      type="button"
      class="picture"
      aria-label={`${t("open")}: ${text}`}
      data-tip={text}
      onClick={onOpen}
    >
      <img
        class={isSmall ? "is-small" : ""}
        src={source.blobUrl(url)}
        alt={text}
        onError={() => setBroken(url)}
      />
    </button>
  );
}
