from __future__ import annotations

import math
import os
from collections.abc import Callable
from pathlib import Path
from typing import Any

from tapeflow.board.logdirs import run_id
from tapeflow.summary.hyperparameters import START_TAG, hparams_pb


def test_the_page_of_a_run_has_all_of_its_parts(
    tmp_path: Path, events: Any, serve: Callable[..., Any]
) -> None:
    content = hparams_pb({"lr": 0.1}, "one", 1.7e9).value[0].metadata.plugin_data.content
    runs = tmp_path / "runs"
    events.write(runs / "a", events.entry(START_TAG, [], "hparams", content=content))
    path = events.write(runs / "a/train", events.scalars("loss", [3.0, math.nan, 2.0]))
    events.write(runs / "a/validation", events.scalars("loss", [4.0, 1.0]))
    client = serve(runs)
    client.wait_until_read()
    for part in ("a", "a/train", "a/validation"):
        found = client.get("api/v1/runs/page", run=run_id(part))
        assert (found["row"]["name"], found["row"]["id"]) == ("a", run_id("a"))
    assert found["hparams"] == {"lr": 0.1}
    assert [(one["name"], one["run"], one["last"], one["least"]) for one in found["scalars"]] == [
        ("loss", run_id("a/train"), 2.0, 2.0),
        ("validation/loss", run_id("a/validation"), 1.0, 1.0),
    ]
    assert {"run": run_id("a/train"), "name": path.name, "nbytes": path.stat().st_size} in found["files"]
    assert (found["points"], found["duration_s"], found["notes"]) == (6, 2.0, [])


def test_a_page_of_no_run_is_refused(tmp_path: Path, serve: Callable[..., Any]) -> None:
    answer = serve(tmp_path).ask("GET", "/api/v1/runs/page?run=x")
    assert answer.status == 404
    assert b"there is no run='x'; api/v1/runs has all" in answer.body


def test_the_table_is_sent_once(tmp_path: Path, events: Any, serve: Callable[..., Any]) -> None:
    os.utime(events.write(tmp_path / "runs/a", events.scalars("loss", [1.0])), (1.7e9, 1.7e9))
    client = serve(tmp_path / "runs")
    client.wait_until_read()
    first = client.ask("GET", "/api/v1/runs/table")
    assert (first.status, first.headers["Content-Type"]) == (200, "application/vnd.tapeflow.columns")
    again = client.ask("GET", "/api/v1/runs/table", headers={"If-None-Match": first.headers["ETag"]})
    assert (again.status, again.body) == (304, b"")
