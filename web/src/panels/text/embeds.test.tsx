import { render } from "preact";
import { expect, it } from "vitest";
import { Embeds, Markdown } from "./markdown";

function shown(text: string, isOwn = true): HTMLElement {
  const host = document.createElement("div");
  const embed = (address: string, caption: string) =>
    address.startsWith("#") ? <figure title={caption}>{address}</figure> : null;
  render(
    <Embeds.Provider value={isOwn ? embed : null}>
      <Markdown text={text} />
    </Embeds.Provider>,
    host,
  );
  return host;
}

it.each([
  ["#scalars?card=train_loss", "#scalars?card=train_loss", ""],
  ["![Loss *a*](#scalars?card=a)", "#scalars?card=a", "Loss *a*"],
  ["[Loss](#runs)", "#runs", "Loss"],
])("%s alone in a paragraph is a view", (text, address, caption) => {
  const figure = shown(`before\n\n${text}\n\nafter`).querySelector("figure");
  expect(figure?.textContent).toBe(address);
  expect(figure?.title).toBe(caption);
});

it.each(["see [Loss](#runs)", "# runs", "#runs and more", "![x](https://elsewhere/x.png)", "`#runs`"])(
  "%s is none",
  (text) => expect(shown(text).querySelector("figure")).toBeNull(),
);

it("texts that programs log have neither views nor links into the board", () => {
  expect(shown("#runs\n\n[a](#runs)", false).querySelector("figure, a")).toBeNull();
});
