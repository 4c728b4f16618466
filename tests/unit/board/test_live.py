from __future__ import annotations

import base64
import http.client
import itertools
import json
import threading
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from tapeflow.board import column_messages, live
from tapeflow.board.logdirs import run_id


class Listener:
    """A page's end of the live stream."""

    def __init__(self, port: int) -> None:
        self._connection = http.client.HTTPConnection("127.0.0.1", port, timeout=20)
        self._connection.request("GET", "/api/v1/live")
        self.answer = self._connection.getresponse()
        self.messages = self._read()
        self.client = self.next("hello")["client"]

    def _read(self) -> Iterator[tuple[str, Any]]:
        name = ""
        while line := self.answer.readline():
            field, _, text = line.decode().rstrip("\n").partition(": ")
            if field == "event":
                name = text
            elif field == "data":
                yield name, json.loads(text)

    def next(self, wanted: str) -> Any:
        return next(data for name, data in self.messages if name == wanted)

    def points(self) -> Any:
        ((head, points),) = column_messages.decode(base64.b64decode(self.next("points")["columns"]))
        return head, [column.tolist() for column in points]

    def close(self) -> None:
        self._connection.close()


@pytest.fixture
def path(tmp_path: Path, events: Any) -> Path:
    return events.write(tmp_path / "runs" / "a", events.scalars("loss", [1.0, 2.0]))


@pytest.fixture
def board(path: Path, serve: Callable[..., Any]) -> Any:
    client = serve(path.parents[1])
    client.wait_until_read()
    return client


@pytest.fixture
def listener(board: Any) -> Iterator[Listener]:
    made = Listener(board.port)
    yield made
    made.close()


def follow(board: Any, listener: Listener, *series: tuple[str, str, str]) -> None:
    body = {"series": [{"run": run_id(run), "tag": tag, "cursor": cursor} for run, tag, cursor in series]}
    assert board.ask("POST", f"/api/v1/live/{listener.client}", body).status == 200


def test_new_points_come_from_the_cursor_on(board: Any, listener: Listener, path: Path, events: Any) -> None:
    assert listener.answer.headers["content-type"].startswith("text/event-stream")
    follow(board, listener, ("a", "loss", board.cursor("a", 1)), ("a", "later", ""))
    head, (steps, _, values) = listener.points()
    assert (head["cursor"], steps, values, head["is_reset"]) == (board.cursor("a", 2), [1], [2.0], False)
    events.append(path, events.scalars("loss", [float("nan"), 4.0], first=2))
    head, (steps, _, values) = listener.points()
    assert (steps, values[1], head["total"]) == ([2, 3], 4.0, 4)
    assert values[0] != values[0]
    events.append(path, events.scalars("later", [9.0]))
    head, (_, _, values) = listener.points()
    assert (head["tag"], values) == ("later", [9.0])


def test_runs_and_tags_that_are_new_or_grow(board: Any, listener: Listener, path: Path, events: Any) -> None:
    events.write(path.parents[1] / "b", events.scalars("acc", [1.0]) + events.image("grid", 3))
    seen: dict[str, Any] = {}
    while run_id("b") not in seen or seen[run_id("b")]["state"] != "ready":
        seen |= {run["id"]: run for run in listener.next("runs")["runs"]}
    events.append(path, events.scalars("loss", [3.0], first=2))
    while "loss" not in str(tags := listener.next("tags")):
        pass
    (entry,) = tags["panels"]["scalars"]
    assert (entry["counts"], entry["last_steps"]) == ({run_id("a"): 3}, {run_id("a"): 2})
    path.unlink()
    while run_id("a") not in (found := listener.next("runs"))["removed"]:
        assert not found["removed"]


def test_a_run_that_begins_anew_resets_what_the_page_has(
    board: Any, listener: Listener, path: Path, events: Any
) -> None:
    follow(board, listener, ("a", "loss", board.cursor("a", 2)))
    events.write(path.parent, events.scalars("loss", [5.0]))
    resets = []
    while not resets or resets[-1][1][2] != [5.0]:
        resets.append(listener.points())
        assert resets[-1][0]["is_reset"] or resets[-1][0]["cursor"] == board.cursor("a", 1)
    assert any(head["is_reset"] for head, _ in resets)


def test_settings_are_told_to_everybody(board: Any, listener: Listener) -> None:
    board.ask("PATCH", "/api/v1/settings", {"page": {"theme": "dark"}})
    assert listener.next("settings") == {"runs": {}, "page": {"theme": "dark"}}


def test_settings_of_another_board_are_told_to_everybody(
    board: Any, listener: Listener, serve: Callable[..., Any], path: Path
) -> None:
    other = serve(path.parents[1])
    other.ask("PATCH", "/api/v1/settings", {"page": {"theme": "dark"}})
    assert listener.next("settings")["page"] == {"theme": "dark"}
    assert board.get("api/v1/settings")["page"] == {"theme": "dark"}


def test_a_flood_is_cut_down_and_said(
    board: Any, listener: Listener, path: Path, events: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(live, "MOST_POINTS", 40)
    events.append(path, events.scalars("loss", [float(i) for i in range(500)], first=2))
    board.wait_for(lambda: board.series("a", "loss")[0]["total"] == 502)
    follow(board, listener, ("a", "loss", board.cursor("a", 2)))
    head, (steps, _, _) = listener.points()
    assert not head["is_raw"]
    assert (head["window_total"], head["cursor"]) == (500, board.cursor("a", 502))
    assert len(steps) < 100


def test_many_points_come_in_several_messages_and_none_is_lost(
    board: Any, listener: Listener, path: Path, events: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(live, "MOST_LOOKED_AT", 15)
    tags = [f"tag {i}" for i in range(7)]
    events.append(path, b"".join(events.scalars(tag, [1.0] * 10) for tag in tags))
    board.wait_for(lambda: board.runs()["a"]["points"] == 72)
    follow(board, listener, *(("a", tag, "") for tag in tags))
    told: list[list[str]] = []
    while sum(map(len, told)) < len(tags):
        series = column_messages.decode(base64.b64decode(listener.next("points")["columns"]))
        assert all(head["length"] == 10 for head, _ in series)
        told.append([head["tag"] for head, _ in series])
    assert [len(tags) for tags in told] == [2, 2, 2, 1]
    assert list(itertools.chain(*told)) == tags


def test_messages_kept_for_others_have_a_limit(board: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    hub = board.board.hub
    monkeypatch.setattr(live, "_MOST_MADE_BYTES", 250)
    for key in range(10):
        assert hub._once(("test", key), lambda: b"x" * 100, len) == b"x" * 100
    assert len([key for key in hub._made if key[0] == "test"]) == 2


def test_messages_are_rarer_while_many_runs_are_read(board: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    hub = board.board.hub
    assert hub._pause_s() == live._PAUSE_S
    hub._is_settled = False
    few = hub._pause_s()
    monkeypatch.setattr(live, "_LOADING_PAUSE_A_RUN_S", 1.0)
    assert hub._pause_s() - few == pytest.approx(len(hub.store.runs), abs=0.01)


def test_clients_that_are_gone_are_forgotten(board: Any) -> None:
    made = Listener(board.port)
    assert list(board.board.hub.clients) == [made.client]
    made.answer.close()
    made.close()
    board.board.hub.wake()
    board.ask("PATCH", "/api/v1/settings", {"page": {"x": 1}})
    board.wait_for(lambda: not board.board.hub.clients)


def test_there_is_an_end_to_clients(board: Any, listener: Listener, monkeypatch: pytest.MonkeyPatch) -> None:
    from tapeflow.board import app

    monkeypatch.setattr(app, "MOST_CLIENTS", 1)
    answer = board.ask("GET", "/api/v1/live")
    assert (answer.status, json.loads(answer.body)["error"]) == (
        503,
        "the live stream expected at most 1 clients",
    )


@pytest.mark.slow
def test_two_hundred_clients(board: Any, path: Path, events: Any) -> None:
    listeners = [Listener(board.port) for _ in range(200)]
    for listener in listeners:
        follow(board, listener, ("a", "loss", board.cursor("a", 2)))

    def write_all() -> None:
        for part in range(20):
            events.append(path, events.scalars("loss", [1.0] * 500, first=2 + 500 * part))
            time.sleep(0.05)

    got = [0] * len(listeners)

    def listen(number: int) -> None:
        while got[number] < 10_000:
            _, (steps, _, _) = listeners[number].points()
            assert steps[0] == got[number] + 2
            got[number] += len(steps)

    threads = [threading.Thread(target=listen, args=(i,)) for i in range(len(listeners))]
    threads.append(threading.Thread(target=write_all))
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(120)
    assert got == [10_000] * len(listeners)
    for listener in listeners:
        listener.close()
