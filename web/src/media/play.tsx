/** A button that goes through the steps of a slider by itself, every one of them, and ends at the last. */

import { signal } from "@preact/signals";
import { createContext } from "preact";
import { useContext, useEffect } from "preact/hooks";
import { IconButton } from "../ui/controls";
import { t } from "./words";

/** Whether sliders have such a button: panels whose steps are worth seeing in a row say so. */
export const Playable = createContext(false);

/** The name of the slider that moves by itself; "" if none does. */
export const playing = signal("");

const PLAY_MS = 20_000;
const LONGEST_MS = 600;
const SHORTEST_MS = 60;

interface Props {
  name: string;
  /** How many steps there are, and which of them is shown. */
  count: number;
  index: number;
  onMove: (index: number) => void;
}

export function PlayButton({ name, count, index, onMove }: Props) {
  const isPlaying = playing.value === name;
  useEffect(() => {
    if (!isPlaying) return;
    const pause = Math.max(SHORTEST_MS, Math.min(LONGEST_MS, PLAY_MS / count));
    const timer = setTimeout(() => {
      if (index >= count - 2) playing.value = "";
      onMove(index + 1);
    }, pause);
    return () => clearTimeout(timer);
  }, [isPlaying, index, count]);
  useEffect(
    () => () => {
      if (playing.peek() === name) playing.value = "";
    },
    [name],
  );
  if (!useContext(Playable)) return null;
  return (
    <IconButton
      icon={isPlaying ? "pause" : "play"}
      tip={t(isPlaying ? "pause" : "play", { name })}
      onClick={() => {
        playing.value = isPlaying ? "" : name;
        if (!isPlaying && index === count - 1) onMove(0);
      }}
    />
  );
}
