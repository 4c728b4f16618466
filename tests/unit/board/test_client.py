"""`tapeflow.board.Client` against a board that is running."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from tapeflow.board import Client


@pytest.fixture
def served(tmp_path: Path, events: Any, serve: Callable[..., Any]) -> Any:
    for name, last in (("größe 1/train", 3.0), ("b", float("nan"))):
        data = events.scalars("loss", [1.0, 2.0, last]) + events.image("picture", step=4)
        events.write(tmp_path / "logs" / name, data)
    found = serve(tmp_path / "logs")
    found.wait_until_read()
    return found


def test_what_a_board_has(served: Any) -> None:
    board = Client(f"http://127.0.0.1:{served.port}")
    assert sorted(board.runs()) == ["b", "größe 1/train"]
    assert board.tags() == ["loss"]
    assert board.tags("images") == ["picture"]
    frame = board.to_pandas()
    assert frame.loc["größe 1/train", "points"] == 4
    frame = board.series("loss")
    assert sorted(frame[frame.run == "größe 1/train"].value.tolist()) == [1, 2, 3]
    assert frame.step.dtype == "int64"
    assert board.series("loss", ["b"]).run.tolist() == ["b"] * 3
    (item,) = board.items("images", "b", "picture")
    assert item["step"] == 4
    assert board.blob(item["samples"][0]["url"]).startswith(b"\x89PNG")
    assert isinstance(board.alerts(), dict)


def test_a_token_and_a_prefix(tmp_path: Path, events: Any, serve: Callable[..., Any]) -> None:
    events.write(tmp_path / "logs" / "a", events.scalars("loss", [1.0]))
    served = serve(tmp_path / "logs", token="secret", path_prefix="/board")
    address = served.running.url
    served.wait_for(lambda: served.running.server.started)
    assert "token=secret" in address
    served.wait_for(lambda: Client(address).get("api/v1/info")["progress"]["is_done"])
    assert len(Client(address).series("loss")) == 1
    with pytest.raises(ConnectionError, match="answered 401: a token is needed"):
        Client(address.partition("?")[0]).runs()


def test_mistakes(served: Any) -> None:
    with pytest.raises(ValueError, match="expected an address like .*; got url='file:///etc/passwd'"):
        Client("file:///etc/passwd")
    with pytest.raises(ConnectionError, match="expected a board at http://127.0.0.1:1/"):
        Client("http://127.0.0.1:1").runs()
    board = Client(f"http://127.0.0.1:{served.port}")
    with pytest.raises(KeyError, match="'x' is no run of"):
        board.series("loss", ["x"])
    with pytest.raises(KeyError, match="'x' is no run of"):
        board.items("images", "x", "picture")
    with pytest.raises(KeyError, match="has a scalar 'acc'"):
        board.series("acc")
    with pytest.raises(ValueError, match="expected a path below"):
        board.blob("http://example.org/x")
    with pytest.raises(ConnectionError, match="answered 404: there is no GET"):
        board.get("api/v1/nothing")
