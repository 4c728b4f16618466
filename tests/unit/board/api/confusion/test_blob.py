"""The confusion panel's side of the server."""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from tapeflow import summary
from tapeflow.board.api.confusion import blob
from tapeflow.board.api.confusion.blob import confusion_blob
from tapeflow.board.logdirs import run_id
from tapeflow.summary.event_files.values import Value
from tapeflow.summary.protos import message


def value(array: Any, *names: str) -> Value:
    content = message("ConfusionPluginData")(class_names=names).SerializeToString()
    return Value("tag", np.array(array), "confusion_matrix", content, "")


def test_counts_that_are_not_0_and_where_they_stand() -> None:
    found = confusion_blob(value([[5, 0, 1], [0, 0, 0], [0, 2, 7]], "a", "b", "c"))
    assert found == {
        "names": ["a", "b", "c"],
        "gaps": [0, 2, 5, 1],
        "counts": [5, 1, 2, 7],
        "problem": "",
        "notes": [],
    }
    assert np.cumsum(found["gaps"]).tolist() == [0, 2, 7, 8]


def test_classes_without_a_name_are_numbered_and_names_without_a_class_left_out() -> None:
    assert confusion_blob(value([[1, 0], [0, 1]], "a"))["names"] == ["a", "1"]
    assert confusion_blob(value([[1.5]], "a", "b")) == {
        "names": ["a"],
        "gaps": [0],
        "counts": [1.5],
        "problem": "",
        "notes": [],
    }
    broken = Value("tag", np.eye(2), "confusion_matrix", b"\xff\xff", "")
    assert confusion_blob(broken)["names"] == ["0", "1"]
    assert len(confusion_blob(value([[1]], "x" * 10_000))["names"][0]) == 500


@pytest.mark.parametrize(
    ("array", "problem"),
    [
        (np.zeros((2, 3), np.int64), r"square matrix of counts; got shape \(2, 3\) of int64"),
        (np.zeros(4), r"square matrix of counts; got shape \(4,\)"),
        (np.array([["a"]], object), "got shape .* of object"),
        (np.array([[np.nan]]), "counts from 0 on"),
        (np.array([[-1]]), "counts from 0 on"),
        (np.zeros((5000, 5000), np.int8), "at most 4096 classes; got 5000"),
    ],
    ids=["not square", "flat", "text", "nan", "negative", "too many classes"],
)
def test_what_is_no_matrix_of_counts_is_said(array: np.ndarray, problem: str) -> None:
    found = confusion_blob(value(array))
    assert found["counts"] == found["names"] == []
    assert re.search(problem, found["problem"])


def test_too_many_counts_are_said(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(blob, "MOST_COUNTS", 3)
    assert "4 cells that are not 0" in confusion_blob(value(np.ones((2, 2))))["problem"]


def test_every_step_once_and_whole(tmp_path: Path, serve: Callable[..., Any]) -> None:
    writer = summary.create_file_writer(str(tmp_path / "logs" / "run"))
    with writer.as_default():
        for step in range(3):
            for _ in range(6):  # calls of one step add up, and are written now and then
                summary.confusion_matrix("c", [0, 1, 1], [0, 1, 0], ["no", "yes"], step=step)
                writer.flush()
    writer.close()
    client = serve(tmp_path / "logs")
    client.wait_until_read()
    run = run_id("run")
    (entry,) = client.get("api/v1/tags")["panels"]["confusion"]
    assert entry["counts"][run] > 3
    found = client.get("api/v1/confusion/items", run=run, tag="c")
    assert [item["step"] for item in found["items"]] == [0, 1, 2]
    assert found["total"] == 3
    for item in found["items"]:
        answer = client.get(item["samples"][0]["url"])
        assert answer["names"] == ["no", "yes"]
        assert answer["counts"] == [6, 6, 6]


def test_class_names_may_be_anything(tmp_path: Path, events: Any, serve: Callable[..., Any]) -> None:
    names = ["<img src=x onerror=alert(1)>", "\u202eevil", "\0\x1b[31m", "=1+1", "", "a" * 100_000]
    content = message("ConfusionPluginData")(class_names=names * 100).SerializeToString()
    matrix = np.eye(len(names) + 1, dtype=np.int64) * (2**62)
    events.write(
        tmp_path / "runs" / "run", events.entry("c", matrix, "confusion_matrix", content=content[: 4 << 20])
    )
    events.write(
        tmp_path / "runs" / "cut", events.entry("c", matrix, "confusion_matrix", content=content[:50])
    )
    client = serve(tmp_path / "runs")
    client.wait_until_read()
    found = {}
    for run in ("run", "cut"):
        (item,) = client.get("api/v1/confusion/items", run=run_id(run), tag="c")["items"]
        found[run] = client.get(item["samples"][0]["url"])
        assert found[run]["counts"] == [2**62] * 7
    assert found["cut"]["names"] == [str(i) for i in range(7)]
    assert all(len(name) <= 500 for name in found["run"]["names"])
