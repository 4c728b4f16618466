from __future__ import annotations

import importlib
import json
import struct
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from tapeflow.board.logdirs import run_id

routes = importlib.import_module("tapeflow.board.api.histograms.routes")
EDGES = np.array([[0.0, 1.0, 2.0], [1.0, 2.0, 3.0]])


def decoded(message: bytes) -> tuple[dict[str, Any], np.ndarray]:
    """The head, and all numbers after it."""
    assert message[:4] == b"TFC1"
    (length,) = struct.unpack_from("<I", message, 4)
    return json.loads(message[8 : 8 + length]), np.frombuffer(message, "<f8", offset=8 + length)


@pytest.fixture
def file(tmp_path: Path, events: Any) -> Path:
    data = b"".join(events.entry("h", EDGES + step, "histograms", step) for step in range(3))
    return events.write(tmp_path / "runs" / "a", data + events.entry("odd", np.zeros(4), "histograms", 1))


@pytest.fixture
def board(file: Path, serve: Callable[..., Any]) -> Any:
    client = serve(file.parents[1])
    client.wait_until_read()
    return client


def steps(board: Any, tag: str = "h", cursor: str = "") -> tuple[dict[str, Any], np.ndarray]:
    answer = board.ask("GET", f"/api/v1/histograms/steps?run={run_id('a')}&tag={tag}&cursor={cursor}")
    assert answer.status == 200, answer.body
    return decoded(answer.body)


def test_many_steps_in_one_answer(board: Any) -> None:
    head, numbers = steps(board)
    assert (head["steps"], head["buckets"], head["total"], head["is_reset"]) == (3, 6, 3, True)
    assert numbers[:3].tolist() == [0, 1, 2]
    assert numbers[3:6].tolist() == [1.7e9, 1.7e9 + 1, 1.7e9 + 2]
    assert numbers[6:9].tolist() == [2, 2, 2]
    assert numbers[9:15].tolist() == [0, 1, 1, 2, 2, 3]  # left edges
    assert numbers[15:21].tolist() == [1, 2, 2, 3, 3, 4]
    assert numbers[21:27].tolist() == [2, 3, 3, 4, 4, 5]
    percentiles = numbers[27:].reshape(3, 9)
    assert percentiles[:, 0].tolist() == [0, 1, 2]
    assert percentiles[:, 8].tolist() == [2, 3, 4]


def test_only_what_is_new_follows_a_cursor(board: Any, file: Path, events: Any) -> None:
    cursor = steps(board)[0]["cursor"]
    assert steps(board, cursor=cursor)[0]["steps"] == 0
    events.append(file, events.entry("h", EDGES, "histograms", 9))
    board.wait_for(lambda: steps(board)[0]["total"] == 4)
    head, numbers = steps(board, cursor=cursor)
    assert (head["steps"], head["is_reset"], numbers[0]) == (1, False, 9)
    for other in ("1.2", "x", f"{cursor}9", cursor.replace(".", ".-")):
        assert (steps(board, cursor=other)[0]["is_reset"], steps(board, cursor=other)[0]["steps"]) == (
            True,
            4,
        )


def test_an_answer_is_bounded(board: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(routes, "MOST_BUCKETS", 3)
    head, _ = steps(board)
    assert (head["steps"], head["total"]) == (2, 3)
    head, numbers = steps(board, cursor=head["cursor"])
    assert (head["steps"], head["is_reset"], numbers[0]) == (1, False, 2)


def test_what_is_no_histogram_is_an_empty_step(board: Any) -> None:
    head, _ = steps(board, "odd")
    assert (head["steps"], head["buckets"]) == (1, 0)


def test_a_file_that_is_gone_meanwhile_gives_empty_steps(file: Path, load: Callable[..., Any]) -> None:
    board = load(file.parents[1])
    run = board.store.runs[run_id("a")]
    file.unlink()
    head, _ = decoded(routes.message_of(run, run.entries["h"]))
    assert (head["steps"], head["buckets"]) == (3, 0)


def test_one_step_as_json(board: Any) -> None:
    items = board.get("api/v1/histograms/items", run=run_id("a"), tag="h")["items"]
    assert [item["step"] for item in items] == [0, 1, 2]
    blob = board.get(items[1]["samples"][0]["url"])
    assert blob["buckets"] == [[1, 2, 3], [2, 3, 4]]
    assert len(blob["percentiles"]) == 9


def test_a_tag_that_is_not_there(board: Any) -> None:
    answer = board.ask("GET", f"/api/v1/histograms/steps?run={run_id('a')}&tag=zebra")
    assert answer.status == 404
    assert b"histograms has no run=" in answer.body


def test_steps_of_several_files(file: Path, events: Any, load: Callable[..., Any]) -> None:
    more = events.entry("h", EDGES, "histograms", 3)
    events.write(file.parent, more, "events.out.tfevents.2.host")
    run = load(file.parents[1]).store.runs[run_id("a")]
    series = run.entries["h"]
    found = [value.array[0, 2] for value in run.values(series, range(4))]
    assert sorted(zip(series.columns["steps"].tolist(), found, strict=True)) == [
        (0, 2),
        (1, 3),
        (2, 4),
        (3, 2),
    ]
