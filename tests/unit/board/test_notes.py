"""What the server says in English the page says in Chinese: every code, with the same values."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from tapeflow.board.api.confusion import blob
from tapeflow.board.api.custom_scalars import matching
from tapeflow.board.api.graphs import graph_def
from tapeflow.board.api.hparams import notes as hparams
from tapeflow.board.api.projector import notes as projector
from tapeflow.board.notes import HEALTH, REFUSALS, RUNS, Phrases, joined

WEB = Path(__file__).resolve().parents[3] / "web" / "src"


def places(text: str) -> set[str]:
    return set(re.findall(r"{(\w+)", text))


@pytest.mark.parametrize(
    ("phrases", "file"),
    [
        (RUNS, "state/notes.ts"),
        (HEALTH, "state/alerts.ts"),
        (REFUSALS, "i18n/refusals.ts"),
        (projector.NOTES, "panels/projector/words.ts"),
        (graph_def.NOTES, "panels/graphs/words.ts"),
        (blob.NOTES, "panels/confusion/words.ts"),
        (hparams.NOTES, "panels/hparams/words.ts"),
        (matching.NOTES, "panels/custom_scalars/words.ts"),
    ],
    ids=["runs", "health", "refusals", "projector", "graphs", "confusion", "hparams", "custom_scalars"],
)
def test_the_page_has_every_note_in_chinese(phrases: Phrases, file: str) -> None:
    table = (WEB / file).read_text("utf-8").partition("= notes({")[2].partition("});")[0]
    chinese = dict(re.findall(r'^  (\w+):\s+"(.*)",$', table, re.MULTILINE))
    assert chinese.keys() == phrases.english.keys()
    for code, text in phrases.english.items():
        assert places(chinese[code]) == places(text), code


def test_notes_are_said_in_english_too() -> None:
    note = RUNS("reading", read=1, total=3)
    assert note == {"code": "reading", "text": "1 of 3 runs read", "values": {"read": 1, "total": 3}}
    assert joined([note, RUNS("looking")]) == "1 of 3 runs read; looking for runs"
