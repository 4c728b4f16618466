"""Programs that are compiled on a thread before they are needed."""

from __future__ import annotations

import threading
from concurrent.futures import Future
from typing import Any

import pytest

from tapeflow.engine.programs import phases
from tapeflow.engine.programs.phases import Step
from tapeflow.engine.programs.precompile import awaited


@pytest.mark.parametrize("is_waited_for", [True, False])
def test_waiting_for_one_is_compiling(is_waited_for: bool) -> None:
    rows: list[Any] = []
    ahead: Future[str] = Future()
    thread = threading.Timer(0.02, ahead.set_result, ["program"])
    phases.start(rows.append)
    try:
        with Step("train"):
            thread.start()
            if not is_waited_for:
                thread.join()
            assert awaited(ahead) == "program"
    finally:
        phases.stop()
        thread.join()
    (row,) = [row for row in rows if row["kind"] == "step"]
    assert (row["compile_ns"] > 0) is is_waited_for
