import { nameParts } from "../chart/names";

/** A name that is cut in its middle where there is no room for it; `kept` letters of its end stay as long as they can. */
export function Name({ text, kept }: { text: string; kept?: number }) {
  const [head, tail] = nameParts(text, kept);
  return (
    <span class="name">
      <span class="name-head">{head}</span>
      {tail && <span class="name-tail">{tail}</span>}
    </span>
  );
}
