from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from tapeflow.board.logdirs import run_id
from tapeflow.summary.kinds.meshes import mesh_metadata
from tapeflow.summary.protos import message

POINTS = np.arange(12, dtype=np.float64).reshape(1, 4, 3)


def content(part: str) -> bytes:
    meta = mesh_metadata("shape", {part: (1, 4, 3)})[part]
    return message("SummaryMetadata").FromString(meta).plugin_data.content


@pytest.fixture
def board(tmp_path: Path, events: Any, serve: Callable[..., Any]) -> Any:
    data = [
        events.entry("shape_VERTEX", POINTS, "mesh", 0, content("vertices")),
        # Later values come without what the first said about the tag, and floats where integers are meant.
        events.entry("shape_COLOR", POINTS.astype(np.float32) / 11, "mesh", 0, content("colors")),
        events.entry("shape_FACE", POINTS[:, :1], "mesh", 0, content("faces")),
        events.entry("flat_VERTEX", POINTS[0], "mesh", 0, content("vertices")),
        events.entry("words_VERTEX", np.array([[["a", "b", "c"]]], object), "mesh", 0, content("vertices")),
        events.entry("unknown_VERTEX", POINTS, "mesh", 0, b"\xff\xff"),
    ]
    events.write(tmp_path / "runs" / "a", b"".join(data))
    client = serve(tmp_path / "runs")
    client.wait_until_read()
    return client


def blob(board: Any, tag: str) -> Any:
    (item,) = board.get("api/v1/mesh/items", run=run_id("a"), tag=tag)["items"]
    return item, board.ask("GET", f"/{item['samples'][0]['url']}")


def test_parts_come_in_the_types_that_a_page_draws(board: Any) -> None:
    item, answer = blob(board, "shape_VERTEX")
    assert (item["width"], len(item["samples"])) == (4, 1)
    assert np.frombuffer(answer.body, "<f4").tolist() == POINTS.ravel().tolist()
    assert np.frombuffer(blob(board, "shape_FACE")[1].body, "<i4").tolist() == [0, 1, 2]
    colors = np.frombuffer(blob(board, "shape_COLOR")[1].body, "u1")
    assert (colors[0], colors[-1], len(colors)) == (0, 255, 12)


@pytest.mark.parametrize("tag", ["flat_VERTEX", "words_VERTEX", "unknown_VERTEX"])
def test_what_is_no_mesh_is_refused(board: Any, tag: str) -> None:
    assert blob(board, tag)[1].status == 404


def test_refusals(board: Any) -> None:
    for query, status, text in (
        (
            "content_type=SMELL",
            400,
            b"mesh/data expected content_type to be one of VERTEX, FACE, COLOR; got 'SMELL'",
        ),
        ("content_type=VERTEX&step=x", 400, b"mesh/data expected a number as step; got step='x'"),
        ("content_type=VERTEX&sample=7", 404, b"the mesh has no sample=7 at step=0"),
    ):
        answer = board.ask("GET", f"/data/plugin/mesh/data?run=a&tag=shape&{query}")
        assert (answer.status, text in answer.body) == (status, True)
