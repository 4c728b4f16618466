"""The PR curves panel's side of the server."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from tapeflow import summary
from tapeflow.board.api.pr_curves import blob
from tapeflow.board.api.pr_curves.blob import curve_blob
from tapeflow.board.logdirs import run_id
from tapeflow.summary.event_files.values import Value


def value(array: Any) -> Value:
    return Value("tag", np.array(array), "pr_curves", b"", "")


def test_thresholds_that_nothing_reaches_are_left_out() -> None:
    rows = np.array([[3, 2, 0], [5, 0, 0], [0, 5, 5], [0, 1, 3], [0.375, 1, 0], [1, 0.75, 0]], np.float32)
    found = curve_blob(value(rows))
    assert found["thresholds"] == 3
    assert (found["true_positives"], found["false_negatives"]) == ([3, 2], [0, 1])
    assert (found["precision"], found["recall"]) == ([0.375, 1], [1, 0.75])
    assert found["problem"] == ""


def test_a_curve_of_nothing_and_one_of_no_numbers() -> None:
    assert curve_blob(value(np.zeros((6, 4))))["recall"] == [0]
    broken = curve_blob(value(np.full((6, 3), np.nan)))
    assert len(broken["recall"]) == 1
    assert broken["problem"] == ""


@pytest.mark.parametrize(
    ("array", "problem"),
    [
        (np.zeros((5, 3)), "6 rows of numbers, one for each threshold; got shape (5, 3) of float64"),
        (np.zeros((6, 0)), "got shape (6, 0)"),
        (np.array(["a"], object), "got shape (1,) of object"),
    ],
    ids=["five rows", "no thresholds", "text"],
)
def test_what_is_no_curve_is_said(array: np.ndarray, problem: str) -> None:
    found = curve_blob(value(array))
    assert problem in found["problem"]
    assert found["recall"] == []


def test_too_many_thresholds_are_said(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(blob, "MOST_THRESHOLDS", 3)
    assert "at most 3 thresholds; got 4" in curve_blob(value(np.ones((6, 4))))["problem"]


@pytest.fixture
def client(tmp_path: Path, serve: Callable[..., Any], events: Any) -> Any:
    writer = summary.create_file_writer(str(tmp_path / "logs" / "run"))
    with writer.as_default():
        for step in range(2):
            for _ in range(3):  # adds up
                summary.pr_curve("p", [True, False], np.array([0.9, 0.2], np.float32), step=step)
                writer.flush()
    writer.close()
    data = events.entry("p/pr_curves", np.zeros((2, 2), np.float32), "pr_curves", 0)
    events.write(tmp_path / "logs" / "bad", data)
    found = serve(tmp_path / "logs")
    found.wait_until_read()
    return found


def test_every_step_once_and_whole(client: Any) -> None:
    items = client.get("api/v1/pr_curves/items", run=run_id("run"), tag="p/pr_curves")["items"]
    assert [item["step"] for item in items] == [0, 1]
    found = client.get(items[0]["samples"][0]["url"])
    assert (found["thresholds"], found["true_positives"][0], found["false_positives"][0]) == (201, 3, 3)


def test_tensorboards_route_leaves_out_what_is_no_curve(client: Any) -> None:
    route = "data/plugin/pr_curves/pr_curves"
    assert client.get(route, run="bad", tag="p/pr_curves") == {"bad": []}
    assert client.ask("GET", f"/{route}?tag=p").status == 400
    assert client.ask("GET", f"/{route}?run=run").status == 400


@pytest.mark.filterwarnings("error::RuntimeWarning")
@pytest.mark.parametrize("number", [np.nan, np.inf, -np.inf, -1.0, 1e300, -1e300, 5e-324, 2.0**63], ids=str)
def test_hostile_numbers_are_numbers_in_every_answer(
    tmp_path: Path, events: Any, serve: Callable[..., Any], number: float
) -> None:
    rows = np.full((6, 50), number)
    events.write(tmp_path / "runs" / "a", events.entry("c", rows, "pr_curves"))
    client = serve(tmp_path / "runs")
    client.wait_until_read()
    (item,) = client.get("api/v1/pr_curves/items", run=run_id("a"), tag="c")["items"]
    blob = client.get(item["samples"][0]["url"])
    assert 1 <= len(blob["precision"]) <= blob["thresholds"] == 50
    (step,) = client.get("data/plugin/pr_curves/pr_curves", run="a", tag="c")["a"]
    assert all(isinstance(count, int) and abs(count) <= 2**62 for count in step["true_positives"])
    assert len(step["thresholds"]) == len(step["precision"])
