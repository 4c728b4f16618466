"""TensorBoard's routes of the projector, asked of TensorBoard and of the board on the same folder."""

from __future__ import annotations

import json
import urllib.error
import urllib.parse
import urllib.request
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import tensorboardX

from tapeflow import summary
from tapeflow.board.board import BoardOptions
from tapeflow.board.logdirs import Logdir
from tapeflow.board.serving import Running

RNG = np.random.default_rng(0)
OURS, X, HAND, OUT = "größe 1/train", "x", "hand", "out"


def log_with_tapeflow(folder: Path) -> None:
    writer = summary.create_file_writer(folder)
    with writer.as_default():
        summary.scalar("loss", 1.0, step=0)
        for step in (0, 1):
            pictures = RNG.integers(0, 256, (6, 4, 5, 3), dtype=np.uint8)
            vectors = RNG.normal(size=(6, 3)).astype(np.float32)
            more = {"split": ["a", "b"] * 3}
            summary.embedding(
                "words", vectors, labels=list("abcdeé"), images=pictures, metadata=more, step=step
            )
    writer.close()


def log_with_tensorboardx(folder: Path) -> None:
    with tensorboardX.SummaryWriter(str(folder)) as writer:
        writer.add_scalar("loss", 1.0, 0)
        for step in range(2):
            writer.add_embedding(
                RNG.normal(size=(5, 4)), metadata=list("vwxyz"), tag="points", global_step=step
            )


def write_by_hand(folder: Path) -> None:
    with tensorboardX.SummaryWriter(str(folder)) as writer:
        writer.add_scalar("loss", 1.0, 0)
    (folder / "t.tsv").write_text("1\t2\n3.5\t-4\n\n5\t6\n")
    (folder / "labels.tsv").write_text("one\ntwo\nthree\n")
    (folder / "bookmarks.txt").write_text('[{"label": "a view"}]')
    (folder / "projector_config.pbtxt").write_text(
        'embeddings { tensor_name: "t:0" tensor_path: "t.tsv" metadata_path: "labels.tsv" '
        'bookmarks_path: "bookmarks.txt" }'
    )


def write_leading_out(folder: Path) -> None:
    with tensorboardX.SummaryWriter(str(folder)) as writer:
        writer.add_scalar("loss", 1.0, 0)
    (folder / "t.tsv").write_text("1\t2\n3\t4\n")
    (folder / "projector_config.pbtxt").write_text(
        'embeddings { tensor_name: "t" tensor_path: "t.tsv" metadata_path: "../hand/labels.tsv" '
        'sprite { image_path: "/etc/passwd" single_image_dim: 1 single_image_dim: 1 } }'
    )


def asked(address: str, route: str, **query: Any) -> tuple[int, str, bytes]:
    """Status, kind and body of an answer."""
    url = f"{address.rstrip('/')}/data/plugin/projector/{route}?{urllib.parse.urlencode(query)}"
    try:
        with urllib.request.urlopen(url, timeout=30) as answer:
            return answer.status, answer.headers.get_content_type(), answer.read()
    except urllib.error.HTTPError as error:
        return error.code, error.headers.get_content_type(), error.read()


@pytest.fixture(scope="module")
def boards(tmp_path_factory: pytest.TempPathFactory, serve: Callable[..., Any]) -> Iterator[tuple[str, str]]:
    """TensorBoard and the board, both having read the same files: their addresses."""
    folder, other = tmp_path_factory.mktemp("logs"), tmp_path_factory.mktemp("other")
    log_with_tapeflow(folder / OURS)
    log_with_tensorboardx(folder / X)
    write_by_hand(folder / HAND)
    write_leading_out(folder / OUT)
    options = BoardOptions(port=0, cache=None, settings=str(other / "settings.json"))
    running = Running([Logdir(str(folder))], options)
    thread = running.run_in_thread()
    try:
        with serve(folder) as theirs:
            theirs.wait_for(lambda: len(theirs.ask("data/plugin/projector/runs")) == 4)
            yield theirs.address, running.url
    finally:
        running.stop()
        thread.join(20)


def test_the_same_runs(boards: tuple[str, str]) -> None:
    theirs, ours = (json.loads(asked(board, "runs")[2]) for board in boards)
    assert sorted(ours) == sorted(theirs) == sorted([OURS, X, HAND, OUT])


@pytest.mark.parametrize("run", [OURS, X, HAND, OUT])
def test_the_same_configuration(boards: tuple[str, str], run: str) -> None:
    theirs, ours = (asked(board, "info", run=run) for board in boards)
    assert (ours[0], ours[1]) == (theirs[0], theirs[1])
    assert json.loads(ours[2]) == json.loads(theirs[2])


@pytest.mark.parametrize(
    ("route", "query"),
    [
        *[
            (route, {"run": OURS, "name": f"words (step {step})"})
            for step in (0, 1)
            for route in ("tensor", "metadata")
        ],
        ("sprite_image", {"run": OURS, "name": "words (step 1)"}),
        ("tensor", {"run": OURS, "name": "words (step 1)", "num_rows": 2}),
        ("metadata", {"run": OURS, "name": "words (step 1)", "num_rows": 2}),
        ("tensor", {"run": X, "name": "points:00001"}),
        ("metadata", {"run": X, "name": "points:00000"}),
        ("tensor", {"run": HAND, "name": "t"}),
        ("tensor", {"run": HAND, "name": "t:0"}),
        ("metadata", {"run": HAND, "name": "t", "num_rows": 2}),
        ("bookmarks", {"run": HAND, "name": "t"}),
    ],
    ids=lambda value: value if isinstance(value, str) else "-".join(map(str, value.values())),
)
def test_the_same_files(boards: tuple[str, str], route: str, query: dict[str, Any]) -> None:
    theirs, ours = (asked(board, route, **query) for board in boards)
    assert theirs[0] == 200
    assert ours == theirs


@pytest.mark.parametrize(
    ("route", "query"),
    [
        ("info", {}),
        ("info", {"run": "no run"}),
        ("tensor", {"run": HAND}),
        ("tensor", {"run": HAND, "name": "t", "num_rows": "-1"}),
        ("tensor", {"run": "no run", "name": "t"}),
        ("metadata", {"run": HAND, "name": "t", "num_rows": "many"}),
        ("metadata", {"name": "t"}),
    ],
    ids=lambda value: value if isinstance(value, str) else "-".join(map(str, value.values())) or "nothing",
)
def test_the_same_refusals(boards: tuple[str, str], route: str, query: dict[str, Any]) -> None:
    theirs, ours = (asked(board, route, **query) for board in boards)
    assert theirs[0] == 400
    assert ours == theirs


@pytest.mark.parametrize(
    ("route", "query"),
    [
        ("metadata", {"run": OUT, "name": "t"}),
        ("sprite_image", {"run": OUT, "name": "t"}),
        ("bookmarks", {"run": OUT, "name": "t"}),
        ("metadata", {"run": HAND, "name": "nothing"}),
        ("sprite_image", {"run": HAND, "name": "t"}),
    ],
    ids=["metadata outside", "sprite outside", "no bookmarks", "no tensor", "no sprite"],
)
def test_both_refuse_in_words(boards: tuple[str, str], route: str, query: dict[str, Any]) -> None:
    """The words differ: TensorBoard's name the folder on the server's disk."""
    for board in boards:
        status, kind, body = asked(board, route, **query)
        assert (status, kind) == (400, "text/plain")
        assert body
