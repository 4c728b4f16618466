/** A menu of ways to save something. */

import { Item, Menu } from "./controls";

interface Props {
  tip: string;
  /** What each is called, and what saves it; false for what cannot be had. */
  ways: readonly (readonly [text: string, save: () => void] | false)[];
}

export function SaveMenu({ tip, ways }: Props) {
  return (
    <Menu icon="download" tip={tip}>
      {(close) =>
        ways
          .filter((way) => way !== false)
          .map(([text, save]) => (
            <Item
              key={text}
              tip={tip}
              onClick={() => {
                save();
                close();
              }}
            >
              {text}
            </Item>
          ))
      }
    </Menu>
  );
}
