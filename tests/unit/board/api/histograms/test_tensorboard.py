from __future__ import annotations

import importlib
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

tensorboard = importlib.import_module("tapeflow.board.api.histograms.tensorboard")


def test_a_series_too_large_for_one_answer_is_thinned(
    tmp_path: Path, events: Any, serve: Callable[..., Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    one = [events.entry("h", np.ones((1, 3)), "histograms", step) for step in range(10)]
    events.write(tmp_path / "a", b"".join(one))
    client = serve(tmp_path)
    client.wait_until_read()
    query = {"run": "a", "tag": "h"}
    assert [row[1] for row in client.get("data/plugin/histograms/histograms", **query)] == list(range(10))
    monkeypatch.setattr(tensorboard, "MOST_BYTES", 4 * len(one[0]))
    assert [row[1] for row in client.get("data/plugin/histograms/histograms", **query)] == [0, 3, 6, 9]
    assert [row[1] for row in client.get("data/plugin/distributions/distributions", **query)] == [0, 3, 6, 9]
