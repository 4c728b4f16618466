import { colorOf, label } from "../state/runs";
import { Name } from "../ui/name";
import type { RunCard } from "./run_cards";

/** What a card is of: the run, and the tag where the section does not say it; `tip` says more of the tag. */
export function CardName({ card, tip }: { card: RunCard; tip?: string }) {
  const run = label(card.run);
  return (
    <>
      <span class="run-dot" style={{ background: colorOf(card.run) }} />
      {card.isTitled ? (
        <>
          <h3 class="card-title card-tag" data-tip={tip || card.title}>
            <Name text={card.title} />
          </h3>
          <span class="card-run" style={{ "--letters": run.length }} data-tip={run}>
            <Name text={run} />
          </span>
        </>
      ) : (
        <h3 class="card-title" data-tip={run}>
          <Name text={run} />
        </h3>
      )}
    </>
  );
}
