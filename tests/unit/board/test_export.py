from __future__ import annotations

import base64
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from tapeflow.board import column_messages, export
from tapeflow.board.logdirs import run_id


@pytest.fixture
def board(tmp_path: Path, events: Any, load: Callable[..., Any]) -> Any:
    pictures = b"".join(events.image("a grid/1", step) for step in range(10))
    events.write(tmp_path / "runs" / "a", pictures + events.scalars("loss", [float("nan")] + [1.0] * 5000))
    return load(tmp_path / "runs")


def test_everything_the_page_asks_for_is_inside(board: Any) -> None:
    data, left_out = export.collect(board, points=400, steps=4)
    assert left_out == ""
    url = f"api/v1/images/items?run={run_id('a')}&tag=a%20grid%2F1"
    items = data["answers"][url]["items"]
    assert [item["step"] for item in items] == [0, 3, 6, 9]
    for item in items:
        assert data["blobs"][item["samples"][0]["url"]].startswith("data:image/png;base64,iVBOR")
    ((head, points),) = column_messages.decode(base64.b64decode(data["series"]))
    assert (head["tag"], head["total"]) == ("loss", 5001)
    assert points[2][0] != points[2][0]
    assert len(points[0]) <= 410
    assert {"api/v1/info", "api/v1/settings"} <= set(data["answers"])
    assert {"api/v1/overview", "api/v1/runs/table"} <= set(data["blobs"])


def test_what_is_too_much_is_left_out_and_said(board: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(export, "MOST_BLOB_BYTES", 200)
    data, left_out = export.collect(board, points=400, steps=10)
    assert sum(url.startswith("api/v1/blob?") for url in data["blobs"]) == 2
    assert left_out == "8 pictures, sounds or texts beyond 0 MB"


def test_data_ends_no_script() -> None:
    text = export.inert({"answers": {"x": "</script><!--&"}, "blobs": {}, "series": ""})
    assert not set("<>&") & set(text)
