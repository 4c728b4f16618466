"""Clients that are slow, silent, gone or too many, on real connections."""

from __future__ import annotations

import contextlib
import http.client
import json
import resource
import socket
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from tapeflow.board import connections, live

SOON_S = 5.0


@pytest.fixture
def board(tmp_path: Path, serve: Callable[..., Any]) -> Any:
    return serve(tmp_path / "runs")


@pytest.fixture
def full_board(tmp_path: Path, serve: Callable[..., Any], events: Any) -> Any:
    """A board with an answer of several megabytes."""
    events.write(tmp_path / "runs" / "a", events.scalars("loss", [float(i) for i in range(100_000)]))
    client = serve(tmp_path / "runs")
    client.wait_until_read()
    return client


@contextlib.contextmanager
def connected(board: Any, sent: bytes = b"", buffer: int = 0) -> Iterator[socket.socket]:
    with socket.socket() as made:
        if buffer:
            made.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, buffer)
        made.settimeout(SOON_S)
        made.connect(("127.0.0.1", board.port))
        made.sendall(sent)
        yield made


def read_all(connection: socket.socket) -> bytes:
    """All that comes until the other side closes; fails if it does not."""
    data = b""
    while part := connection.recv(1 << 16):
        data += part
    return data


def trickle(connection: socket.socket, part: bytes) -> bytes:
    """Send a part again and again until there is an answer, and give that."""
    connection.settimeout(0.02)
    end = time.monotonic() + SOON_S
    while time.monotonic() < end:
        connection.sendall(part)
        with contextlib.suppress(TimeoutError):
            data = connection.recv(1 << 16)
            connection.settimeout(SOON_S)
            return data
    raise AssertionError("the connection is still open")


def error_of(answer: bytes) -> tuple[bytes, str]:
    head, _, body = answer.partition(b"\r\n\r\n")
    return head.split(b"\r\n")[0], json.loads(body)["error"]


HEAD = b"PATCH /api/v1/settings HTTP/1.1\r\nHost: localhost\r\nContent-Length: 1000\r\n"
LATE = b"HTTP/1.1 408 Request Timeout", "the board expected the rest of a request within 0.2 seconds"


def test_a_client_that_sends_nothing_is_let_go(board: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(connections, "HEADERS_S", 0.2)
    with connected(board) as one:
        assert error_of(read_all(one)) == LATE
    assert board.get("api/v1/info")


@pytest.mark.parametrize("part", [b"a", b"X: y\r\n"], ids=["bytes", "headers"])
def test_a_head_that_trickles_in_is_not_waited_for(
    board: Any, monkeypatch: pytest.MonkeyPatch, part: bytes
) -> None:
    monkeypatch.setattr(connections, "HEADERS_S", 0.2)
    with connected(board, b"GET / HTTP/1.1\r\n") as one:
        assert error_of(trickle(one, part)) == LATE


def test_a_second_request_is_not_waited_for_either(board: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(connections, "HEADERS_S", 0.2)
    with connected(board, b"GET /api/v1/info HTTP/1.1\r\nHost: localhost\r\n\r\n") as one:
        answer = http.client.HTTPResponse(one)
        answer.begin()
        assert (answer.status, len(answer.read())) == (200, int(answer.headers["content-length"]))
        assert error_of(trickle(one, b"x")) == LATE


@pytest.mark.parametrize("coding", [b"Content-Length: 1000000", b"Transfer-Encoding: chunked"])
def test_a_body_that_trickles_in_is_not_waited_for(
    board: Any, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str], coding: bytes
) -> None:
    monkeypatch.setattr(connections, "BODY_S", 0.2)
    head = b"PATCH /api/v1/settings HTTP/1.1\r\nHost: localhost\r\n" + coding + b"\r\n\r\n"
    with connected(board, head) as one:
        assert error_of(trickle(one, b"1\r\n \r\n" if b"chunked" in coding else b" ")) == LATE
    assert board.get("api/v1/settings")["page"] == {}
    assert capfd.readouterr().err == ""


def test_a_body_that_nobody_reads_is_not_taken_for_ever(board: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(connections, "BODY_S", 0.2)
    head = HEAD.replace(b"1000", b"1000000") + b"Origin: http://evil.example\r\n\r\n"
    with connected(board, head) as one:
        answer = http.client.HTTPResponse(one)
        answer.begin()
        assert answer.status == 403
        answer.read()
        with pytest.raises(OSError, match=r"reset|pipe"):
            trickle(one, b" ") or one.sendall(b" ") or time.sleep(0.1) or one.sendall(b" ")


def test_idle_connections_are_closed(board: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(board.running.server.config, "timeout_keep_alive", 0.1)
    with connected(board, b"GET /api/v1/info HTTP/1.1\r\nHost: localhost\r\n\r\n") as one:
        assert read_all(one).startswith(b"HTTP/1.1 200 OK")
    board.wait_for(lambda: not board.running.server.server_state.connections)


@pytest.mark.parametrize("ending", [b"", b"Connection: close\r\n"], ids=["kept", "closed"])
def test_an_answer_that_is_not_taken_is_dropped(
    full_board: Any, monkeypatch: pytest.MonkeyPatch, ending: bytes
) -> None:
    board = full_board
    monkeypatch.setattr(connections, "STALL_S", 0.2)
    head = b"GET /data/plugin/scalars/scalars?run=a&tag=loss HTTP/1.1\r\nHost: localhost\r\n"
    with connected(board, head + ending + b"\r\n", 4096) as one:
        state = board.running.server.server_state
        board.wait_for(lambda: any(c.transport.get_write_buffer_size() for c in state.connections))
        board.wait_for(lambda: not [c for c in state.connections if c.transport.get_write_buffer_size()])
        answer = http.client.HTTPResponse(one)
        answer.begin()
        with pytest.raises((http.client.IncompleteRead, ConnectionResetError)):
            answer.read()


def test_an_answer_that_is_taken_slowly_is_not_dropped(
    full_board: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(connections, "STALL_S", 0.6)
    head = b"GET /data/plugin/scalars/scalars?run=a&tag=loss HTTP/1.1\r\nHost: localhost\r\n\r\n"
    with connected(full_board, head, 64 << 10) as one:
        answer = http.client.HTTPResponse(one)
        answer.begin()
        total = 0
        for _ in range(25):  # 1.25 s, twice as long as nothing may be taken
            total += len(answer.read(128 << 10))
            time.sleep(0.05)
        assert total + len(answer.read()) == int(answer.headers["content-length"])


LIVE = b"GET /api/v1/live HTTP/1.1\r\nHost: localhost\r\n\r\n"


def test_a_live_stream_stays_open_while_its_client_reads(board: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("HEADERS_S", "BODY_S", "STALL_S"):
        monkeypatch.setattr(connections, name, 0.1)
    monkeypatch.setattr(live, "_BEAT_S", 0.05)
    monkeypatch.setattr(board.running.server.config, "timeout_keep_alive", 0.1)
    with connected(board, LIVE) as one:
        data = b""
        while data.count(b"still here") < 20:
            data += one.recv(1 << 16)
        assert b"event: hello" in data


def test_a_live_stream_that_nobody_reads_is_dropped(
    board: Any, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(connections, "STALL_S", 0.2)
    monkeypatch.setattr(live, "_PAUSE_S", 0.0)
    hub = board.board.hub
    with connected(board, LIVE, 4096):
        (client,) = board.wait_for(lambda: list(hub.clients.values()))
        sizes = []
        monkeypatch.setattr(hub, "_messages", lambda client: b": " + b"x" * 10_000 + b"\n\n")
        hub.wake()
        (connection,) = (
            c for c in board.running.server.server_state.connections if not c.cycle.response_complete
        )
        while hub.clients.get(client.id) is client:
            sizes.append(connection.transport.get_write_buffer_size())
            time.sleep(0.01)
            assert len(sizes) < SOON_S / 0.01
    assert 0 < max(sizes) < 200_000
    assert capfd.readouterr().err == ""


def test_there_is_an_end_to_connections(board: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(connections, "MOST_CONNECTIONS", 3)
    state = board.running.server.server_state
    with contextlib.ExitStack() as stack:
        for _ in range(3):
            stack.enter_context(connected(board))
        end = time.monotonic() + SOON_S
        while len(state.connections) < 3:
            assert time.monotonic() < end
        with connected(board) as fourth:
            assert error_of(read_all(fourth)) == (
                b"HTTP/1.1 503 Service Unavailable",
                "the board expected at most 3 connections; try again later",
            )
    board.wait_for(lambda: len(state.connections) <= 1)
    assert board.get("api/v1/info")


def test_half_of_the_descriptors_are_left_to_files(monkeypatch: pytest.MonkeyPatch) -> None:
    limits = (512, 4096)
    monkeypatch.setattr(resource, "getrlimit", lambda kind: limits)
    assert connections.most_connections() == 256
    limits = (resource.RLIM_INFINITY, resource.RLIM_INFINITY)
    assert connections.most_connections() == connections.MOST_CONNECTIONS


def test_the_system_looks_whether_silent_clients_are_still_there(board: Any) -> None:
    with connected(board, HEAD):
        state = board.running.server.server_state
        board.wait_for(lambda: any(c.transport for c in state.connections))
        for connection in state.connections:
            made = connection.transport.get_extra_info("socket")
            assert made.getsockopt(socket.SOL_SOCKET, socket.SO_KEEPALIVE) == 1
            assert made.getsockopt(socket.SOL_SOCKET, socket.SO_SNDBUF) <= 1 << 20
            if hasattr(socket, "TCP_KEEPIDLE"):
                assert made.getsockopt(socket.IPPROTO_TCP, socket.TCP_KEEPIDLE) == 60
            if hasattr(socket, "TCP_USER_TIMEOUT"):
                assert made.getsockopt(socket.IPPROTO_TCP, socket.TCP_USER_TIMEOUT) == 90_000


def test_clients_that_go_away_in_a_body_are_no_news(board: Any, capfd: pytest.CaptureFixture[str]) -> None:
    for _ in range(20):
        with connected(board, HEAD + b"\r\n{"):
            pass
        with connected(board, HEAD + b"\r\n{") as one:
            one.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, b"\1\0\0\0\0\0\0\0")  # reset
    assert board.get("api/v1/settings")["page"] == {}
    board.wait_for(lambda: len(board.running.server.server_state.connections) <= 1)
    assert capfd.readouterr().err == ""


def test_a_board_ends_in_time_whatever_its_clients_do(
    full_board: Any, serve: Any, capfd: pytest.CaptureFixture[str]
) -> None:
    board = full_board
    big = b"GET /data/plugin/scalars/scalars?run=a&tag=loss HTTP/1.1\r\nHost: localhost\r\n\r\n"
    with contextlib.ExitStack() as stack:
        for sent in (b"", b"GET / HT", HEAD, HEAD + b"\r\n{", LIVE, big):
            stack.enter_context(connected(board, sent, 4096))
        board.wait_for(lambda: board.board.hub.clients)
        state = board.running.server.server_state
        board.wait_for(lambda: any(c.transport.get_write_buffer_size() for c in state.connections))
        begin = time.monotonic()
        serve.stop(board)
        assert time.monotonic() - begin < SOON_S
    assert capfd.readouterr().err == ""  # uvicorn would say that it waited in vain


SHORT_OF_DESCRIPTORS = """
import logging, os, resource, socket, sys, threading, time, urllib.request
from tapeflow.board import connections
from tapeflow.board.board import BoardOptions
from tapeflow.board.logdirs import Logdir
from tapeflow.board.serving import Running

folder = sys.argv[1]
connections.MOST_CONNECTIONS = 10**6
running = Running([Logdir(folder)], BoardOptions(port=0, cache=None, settings=folder + "/../s.json"))
thread = running.run_in_thread()
url = f"http://127.0.0.1:{running.options.port}/api/v1/runs"
while b'"ready"' not in urllib.request.urlopen(url).read():
    time.sleep(0.01)
clients = [socket.create_connection(("127.0.0.1", running.options.port)) for _ in range(5)]
time.sleep(0.3)
used = max(int(name) for name in os.listdir("/proc/self/fd"))
resource.setrlimit(resource.RLIMIT_NOFILE, (used + 20, resource.getrlimit(resource.RLIMIT_NOFILE)[1]))
waiting = []
while True:
    try:
        waiting.append(socket.socket())
    except OSError:
        break
for one in waiting[:4]:
    one.setblocking(False)
    one.connect_ex(("127.0.0.1", running.options.port))
begin = time.process_time()
time.sleep(2.5)
spent = time.process_time() - begin
for one in waiting + clients:
    one.close()
answer = urllib.request.urlopen(url, timeout=10).read()
running.stop()
thread.join(10)
print(thread.is_alive(), answer.count(b'"ready"'), spent < 1.2)
"""


@pytest.mark.skipif(sys.platform != "linux", reason="counts descriptors in /proc")
def test_a_board_without_descriptors_says_so_once_and_recovers(tmp_path: Path, events: Any) -> None:
    events.write(tmp_path / "runs" / "a", events.scalars("loss", [1.0]))
    found = subprocess.run(
        [sys.executable, "-c", SHORT_OF_DESCRIPTORS, str(tmp_path / "runs")],
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )
    lines = found.stderr.splitlines()
    assert found.stdout == "False 1 True\n", found.stderr[-3000:]
    assert "connections are refused until others are closed: Too many open files" in lines
    assert len(lines) == len(set(lines)) <= 3, found.stderr
