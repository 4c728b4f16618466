"""The format of captured data: what is written is read, and what anybody may have written does no harm."""

from __future__ import annotations

import pytest

from tapeflow.summary.captured import messages
from tapeflow.summary.captured.messages import ConsoleLine


def test_facts_of_one_process_add_up() -> None:
    texts = [
        messages.dumped({"id": "b", "time": 2, "host": "new", "command": ["python", "train.py"]}),
        messages.dumped({"id": "a", "time": 1, "host": "old", "script": "train.py"}),
        messages.dumped({"id": "b", "devices": ["cpu:0"], "git": {"commit": "1f", "is_dirty": True}}),
    ]
    assert messages.facts_of(texts) == {
        "id": "b",
        "time": 2,
        "host": "new",
        "command": ["python", "train.py"],
        "devices": ["cpu:0"],
        "git": {"commit": "1f", "is_dirty": True},
    }


def test_lines_are_read_as_they_were_written() -> None:
    lines = [ConsoleLine(1.5, "stdout", "größe ✓"), ConsoleLine(2.25, "stderr", "")]
    assert messages.console_of(messages.console_message(lines)) == lines


@pytest.mark.parametrize(
    "text",
    ["", "[]", "null", "{", b"\xff\xfe", '{"lines": 3}', "[" * 100_000, '{"state": "dancing", "id": 4}'],
)
def test_what_is_no_message_is_nothing(text: str | bytes) -> None:
    assert messages.facts_of([text]) == {}
    assert messages.state_of(text) == {}
    assert messages.console_of(text) == []
    assert messages.alert_of(text) is None


def test_what_is_of_another_kind_is_left_out() -> None:
    text = '{"host": 3, "process": true, "command": ["a", 4], "packages": {"a": 1, "b": "2"}, "git": {"diff": []}}'
    assert messages.facts_of([text]) == {"command": ["a"], "packages": {"b": "2"}, "git": {}}
    found = messages.console_of('{"lines": [[1, "stdout", "a"], [1, "else", "b"], [null, "stdout", "c"], 4]}')
    assert found == [ConsoleLine(1.0, "stdout", "a")]


def test_texts_are_cut_to_size() -> None:
    text = messages.dumped({"host": "x" * (messages.MOST_TEXT + 5)})
    assert len(messages.facts_of([text])["host"]) == messages.MOST_TEXT
    alert = messages.alert_of(messages.dumped({"title": "t" * 900, "text": "x", "level": "loud"}))
    assert alert == {"title": "t" * 500, "text": "x", "level": "info"}


def test_what_json_cannot_hold_is_replaced() -> None:
    text = '{"host": "a\\ud800b", "process": 1%s, "time": NaN}' % ("0" * 40)
    assert messages.facts_of([text]) == {"host": "a?b", "process": 0, "time": 0}
    assert messages.dumped({"host": "a\ud800b"}) == '{"host":"a?b"}'
