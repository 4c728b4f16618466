"""What is said of a table that is not whole, and of runs that cannot be moved."""

from __future__ import annotations

from tapeflow.board.notes import Phrases

NOTES = Phrases(
    rows_cut="{n} runs beyond the first {most}",
    hparams_cut="{n} hparams beyond the first {most}",
    scalars_cut="{n} scalars that fewer runs have, beyond the first {most}",
    no_run="there is no such run any more",
    live="it is still being written; stop it first",
    linked="it is reached through a link; delete what the link leads to",
    nothing="it has no files of its own",
    in_the_way="{file} is there again; move it away first",
    damaged="its list of files in the trash cannot be used: {error}",
    failed="{file}: {error}",
    remote="it is in storage elsewhere; delete it there",
)
