/** Markdown that a user writes on the board: views of the board in it are shown where they stand, live. */

import type { ComponentChildren } from "preact";
import { Embeds, Markdown } from "../text/markdown";
import { viewAt } from "./address";
import { Charts } from "./charts";
import { EmbeddedMedia, isMedia } from "./media";
import "./reports.css";
import { RunsTable } from "./runs_table";
import { t } from "./words";

export function LiveMarkdown({ text }: { text: string }) {
  return (
    <Embeds.Provider value={embed}>
      <Markdown text={text} />
    </Embeds.Provider>
  );
}

/** A view in a frame; one of a panel that has no such form is a link to it. */
function embed(address: string, caption: string): ComponentChildren {
  const view = viewAt(address);
  if (!view) return null;
  const { panel } = view;
  return (
    // What is shown of one address is nothing that another one could go on with.
    <figure key={address} class="embed">
      {panel === "scalars" && <Charts view={view} />}
      {isMedia(panel) && <EmbeddedMedia view={view} />}
      {panel === "runs" && <RunsTable view={view} />}
      <figcaption>
        {caption && <span>{caption}</span>}
        <a href={address} data-tip={address}>
          {t("view")}
        </a>
      </figcaption>
    </figure>
  );
}
