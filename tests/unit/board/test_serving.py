from __future__ import annotations

import errno
import socket
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from tapeflow.board.serving import PortTaken, listen


@pytest.fixture
def taken(monkeypatch: pytest.MonkeyPatch) -> set[int]:
    """Ports that somebody else listens on."""
    ports: set[int] = set()
    real = socket.socket.bind

    def bind(self: socket.socket, address: Any) -> None:
        if address[1] in ports:
            raise OSError(errno.EADDRINUSE, "Address already in use")
        real(self, ("127.0.0.1", 0))

    monkeypatch.setattr(socket.socket, "bind", bind)
    return ports


def test_the_next_free_port(taken: set[int]) -> None:
    taken.update(range(6006, 6106))
    listen("127.0.0.1", 6006).close()
    taken.add(6106)
    with pytest.raises(PortTaken, match="--port 6006 and the 100 after it are taken"):
        listen("127.0.0.1", 6006)


def test_there_is_no_port_after_the_last(taken: set[int]) -> None:
    taken.add(65535)
    with pytest.raises(PortTaken, match="--port 65535 and the 0 after it are taken"):
        listen("127.0.0.1", 65535)


def test_a_port_that_may_not_be_had_is_not_called_taken(monkeypatch: pytest.MonkeyPatch) -> None:
    def bind(self: socket.socket, address: Any) -> None:
        raise OSError(errno.EACCES, "Permission denied")

    monkeypatch.setattr(socket.socket, "bind", bind)
    with pytest.raises(PortTaken, match="cannot be listened on at port 80: Permission denied"):
        listen("127.0.0.1", 80)


def test_any_token_can_be_part_of_the_url(tmp_path: Path, serve: Callable[..., Any]) -> None:
    client = serve(tmp_path, token="a&b #c+d/é")
    client.wait_for(lambda: client.running.server.started)
    path = "/" + client.running.url.split("/", 3)[3]
    answer = client.ask("GET", path)
    assert (answer.status, answer.headers["location"]) == (303, "/")


def test_the_token_sends_nobody_to_another_host(tmp_path: Path, serve: Callable[..., Any]) -> None:
    client = serve(tmp_path, token="secret")
    client.wait_for(lambda: client.running.server.started)
    for path in ("//evil.example/", "/%2Fevil.example/", "///evil.example/"):
        answer = client.ask("GET", f"{path}?token=secret")
        assert (answer.status, answer.headers["location"]) == (303, "/evil.example/"), path
