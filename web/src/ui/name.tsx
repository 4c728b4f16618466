import { nameParts } from "../chart/names";

interface Props {
  text: string;
  /** So many letters of its end stay as long as they can. */
  kept?: number;
  /** A beginning of so few letters is not cut apart from the end. */
  least?: number;
}

/** A name that is cut in its middle where there is no room for it. */
export function Name({ text, kept, least }: Props) {
  const [head, tail] = nameParts(text, kept, least);
  return (
    <span class="name">
      <span class="name-head">{head}</span>
      {tail && <span class="name-tail">{tail}</span>}
    </span>
  );
}
