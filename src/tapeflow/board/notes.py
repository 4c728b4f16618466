"""What the board says of its own: in English, and as a code with values, so that the page says it in its language.

    SAY = Phrases(cut="the first {n:,} of {total:,} points are shown")
    SAY("cut", n=10, total=20)

The page has the same codes with Chinese texts (`notes` in `web/src/i18n/notes.ts`); a test compares the two.
"""

from __future__ import annotations

from collections.abc import Iterable

from tapeflow.board.schema import Note


class Phrases:
    """English texts by code, with places for values."""

    def __init__(self, **english: str) -> None:
        self.english = english

    def __call__(self, code: str, /, **values: str | float) -> Note:
        return {"code": code, "text": self.english[code].format(**values), "values": values}


RUNS = Phrases(
    failed="the board failed to read it ({error})",
    file_unreadable="{file} cannot be read: {error}",
    folder_unreadable="the folder cannot be read: {error}",
    link_out="a link that leads out of the log folder is not followed; give its target as a --logdir of its own",
    damage="{n} bad bytes at offset {offset} of {file}: {reason}",
    cut="the last {n} bytes are not a whole record",
    tags="{n} values under too many or too long tags are left out",
    samples="{n} samples beyond the first {most} of a step are left out",
    no_folder="{path} does not exist yet; runs are shown once it does",
    no_files="there are no event files yet; runs are shown once something is logged",
    looking="looking for runs",
    reading="{read} of {total} runs read",
    run_damage="{run} has {n} bad bytes at offset {offset}",
    more_damage="{n} more runs have damage",
)


def about(run: str, note: Note) -> Note:
    """A note of one run, said among those of others."""
    return {**note, "text": f"{run}: {note['text']}", "run": run}


def joined(notes: Iterable[Note]) -> str:
    """Several of them as one English text."""
    return "; ".join([note["text"] for note in notes])
