"""What is said of a table that is not whole, and where importance cannot be worked out."""

from __future__ import annotations

from tapeflow.board.notes import Phrases

NOTES = Phrases(
    few="it takes at least {least} sessions with a value of this metric; there are {n}",
    alike="no hparam differs between these sessions",
    flat="the metric has the same value in all sessions",
    sessions_cut="{n} sessions beyond the first {most}",
    hparams_cut="{n} hparams beyond the first {most} or with names longer than {length}",
    metrics_cut="{n} metrics beyond the first {most}",
)
