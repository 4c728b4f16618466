"""The custom scalars panel's side of the server."""

from __future__ import annotations

import urllib.parse
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from tapeflow.board import export
from tapeflow.board.api.custom_scalars import layout as layouts
from tapeflow.board.api.custom_scalars import matching
from tapeflow.board.api.custom_scalars.matching import Matcher
from tapeflow.plugins.custom_scalar import layout_pb2 as pb

HOSTILE = "(a+)+$b"
TAG = "custom_scalars__config__"


def lines(title: str, *tags: str) -> Any:
    return pb.Chart(title=title, multiline=pb.MultilineChartContent(tag=tags))


def entry(events: Any, *categories: Any) -> bytes:
    data = pb.Layout(category=categories).SerializeToString()
    return events.entry(TAG, np.array(data, dtype=object), "custom_scalars")


def test_expressions_match_from_the_beginning_in_the_order_of_tags() -> None:
    tags = ["loss/b", "loss/a", "val/loss", "x"]
    found = Matcher().match(["loss", "loss/(a|b)$", ".*/.*s"], tags, 10)
    assert {expression: match.tags for expression, match in found.items()} == {
        "loss": ["loss/b", "loss/a"],
        "loss/(a|b)$": ["loss/b", "loss/a"],
        ".*/.*s": ["val/loss"],
    }
    assert Matcher().match(["", ".*.*"], tags, 2) == {
        "": (tags[:2], None, True),
        ".*.*": (tags[:2], None, True),
    }


def test_what_is_no_expression_is_said() -> None:
    found = Matcher().match(["(", "a" * 1001], ["a"], 10)
    assert "'(' is not a regular expression" in str(found["("].problem)
    assert not found["("].is_valid
    assert "at most 1000 characters; got 1001" in str(found["a" * 1001].problem)


def test_an_expression_that_takes_for_ever_is_given_up_and_not_tried_again(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    matcher, tags = Matcher(), ["a" * 60, "loss/1"]
    found = matcher.match([HOSTILE, ".*/.*"], tags, 10)
    assert found[".*/.*"].tags == ["loss/1"]
    assert f"it took more than 1 s to try {HOSTILE!r}" in str(found[HOSTILE].problem)
    monkeypatch.setattr(matching, "_in_a_process", None)
    assert matcher.match([HOSTILE, ".*/.*"], tags, 10) == found


def test_many_such_expressions_cost_no_more(monkeypatch: pytest.MonkeyPatch) -> None:
    calls = []

    def nothing(expressions: list[str], tags: object, most: int) -> list[list[int]]:
        del tags, most
        calls.append(len(expressions))
        return []

    monkeypatch.setattr(matching, "_in_a_process", nothing)
    found = Matcher().match([f"(a+)+{i}" for i in range(50)], ["a"], 10)
    assert calls == [50, 49, 48]
    assert "was not tried, after 3 others took too long" in str(found["(a+)+49"].problem)


@pytest.fixture
def folder(tmp_path: Path, events: Any) -> Path:
    root = tmp_path / "logs"
    margin = pb.MarginChartContent(series=[pb.MarginChartContent.Series(value="m", lower="l", upper="u")])
    scalars = events.scalars("loss/a", [1.0, 2.0]) + events.scalars("loss/b", [1.0])
    first = pb.Category(title="losses", chart=[lines("all", "loss/.*")], closed=True)
    second = pb.Category(title="bands", chart=[pb.Chart(title="spread", margin=margin)])
    events.write(root / "a", entry(events, pb.Category(title="old")) + entry(events, first) + scalars)
    events.write(root / "b", entry(events, first, second))
    more = pb.Category(title="bands", chart=[lines("more", "loss/a", "(")])
    events.write(root / "c", entry(events, more) + events.scalars("loss/c", [1.0]))
    broken = np.array(b"\xff\xff", dtype=object)
    events.write(root / "d", events.entry(TAG, broken, "custom_scalars"))
    events.write(root / "e", events.entry(TAG, np.zeros(3, np.float32), "custom_scalars"))
    return root


def test_layouts_of_all_runs_are_one(folder: Path, serve: Callable[..., Any]) -> None:
    client = serve(folder)
    client.wait_until_read()
    found = client.get("api/v1/custom_scalars/layout")
    assert [(c["title"], c["is_closed"]) for c in found["categories"]] == [("losses", True), ("bands", False)]
    (losses,), (spread, more) = (category["charts"] for category in found["categories"])
    assert losses["lines"] == [
        {"expression": "loss/.*", "tags": ["loss/a", "loss/b", "loss/c"], "problem": "", "notes": []}
    ]
    assert spread["margins"] == [{"value": "m", "lower": "l", "upper": "u"}]
    assert [line["tags"] for line in more["lines"]] == [["loss/a"], []]
    assert "not a regular expression" in more["lines"][1]["problem"]
    theirs = client.get("data/plugin/custom_scalars/layout")
    assert [[chart["title"] for chart in c["chart"]] for c in theirs["category"]] == [
        ["all"],
        ["spread", "more"],
    ]


def test_a_saved_page_has_the_layout(folder: Path, load: Callable[..., Any]) -> None:
    answers = export.collect(load(folder), points=100, steps=2)[0]["answers"]
    assert len(answers["api/v1/custom_scalars/layout"]["categories"]) == 2


def test_a_layout_of_too_much_is_cut_and_that_is_said(
    folder: Path, load: Callable[..., Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(layouts, "MOST_CHARTS", 1)
    merged, notes = layouts.merged_layout(load(folder))
    assert "at most 1 charts" in notes[0]["text"]
    assert sum(len(category.chart) for category in merged.category) == 1


def test_a_hostile_layout_holds_up_nobody(tmp_path: Path, events: Any, serve: Callable[..., Any]) -> None:
    hostile = pb.Category(title="h", chart=[lines("bad", HOSTILE + "1", "loss")])
    data = entry(events, hostile) + events.scalars("a" * 60, [1.0]) + events.scalars("loss", [1.0])
    events.write(tmp_path / "logs" / "run", data)
    client = serve(tmp_path / "logs")
    client.wait_until_read()
    ((bad, good),) = (
        chart["lines"] for chart in client.get("api/v1/custom_scalars/layout")["categories"][0]["charts"]
    )
    assert "it took more than 1 s" in bad["problem"]
    assert good["tags"] == ["loss"]
    query = urllib.parse.urlencode({"run": "run", "tag": HOSTILE + "1"})
    answer = client.ask("GET", f"/data/plugin/custom_scalars/scalars?{query}")
    assert answer.status == 400
    assert b"it took more than 1 s" in answer.body
