"""Boards on logs elsewhere."""

from __future__ import annotations

import os
import socket
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from tapeflow import summary
from tapeflow.board.board import Board, BoardOptions
from tapeflow.board.logdirs import Logdir
from tapeflow.board.remote import mirrors as module


@pytest.fixture
def board_on(serve: Callable[..., Any]) -> Callable[..., Any]:
    """`board_on(address)`: a board that is asked for new data often."""

    def start(address: str, name: str = "", **options: Any) -> Any:
        return serve(Logdir(address, name), **{"remote_interval_s": 0.2, **options})

    return start


def values(client: Any, run: str, tag: str = "loss") -> list[float]:
    if run not in client.runs() or client.runs()[run]["points"] == 0:
        return []
    _, (_, _, found, *_) = client.series(run, tag)
    return found.tolist()


def test_a_point_in_s3_is_shown_within_three_seconds(s3: str, serve: Callable[..., Any]) -> None:
    client = serve(Logdir(f"{s3}/logs", "cloud"))
    writer = summary.create_file_writer(f"{s3}/logs/run 1")
    waits = []
    for step in range(3):
        writer.add("loss", float(step), step)
        begin = time.monotonic()
        client.wait_for(
            lambda step=step: values(client, "cloud/run 1") == [float(i) for i in range(step + 1)]
        )
        waits.append(time.monotonic() - begin)
    writer.close()
    assert min(waits) < 3.0, waits
    assert client.get("api/v1/info")["logdirs"] == [{"name": "cloud", "path": f"{s3}/logs", "exists": True}]


def test_over_sftp(sftp: tuple[str, Path], board_on: Callable[..., Any]) -> None:
    address, served = sftp
    client = board_on(f"{address}/logs")
    writer = summary.create_file_writer(served / "logs" / "a")
    writer.add("loss", 1.0, 1)
    writer.flush()
    client.wait_for(lambda: values(client, "a") == [1.0])
    writer.add("loss", 2.0, 2)
    writer.close()
    client.wait_for(lambda: values(client, "a") == [1.0, 2.0])
    assert b"secret" not in client.ask("GET", "/api/v1/info").body
    os.truncate(next((served / "logs" / "a").iterdir()), 100)
    client.wait_for(lambda: values(client, "a") == [])
    for path in (served / "logs" / "a").iterdir():
        path.unlink()
    client.wait_for(lambda: not client.runs())


def test_runs_stay_while_the_storage_cannot_be_read(
    s3: str, board_on: Callable[..., Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    writer = summary.create_file_writer(f"{s3}/logs/a")
    writer.add("loss", 1.0, 1)
    writer.close()
    monkeypatch.setattr(module, "_LONGEST_PAUSE_S", 0.2)
    monkeypatch.setenv("AWS_ACCESS_KEY_ID", "")
    monkeypatch.setenv("AWS_SECRET_ACCESS_KEY", "")
    client = board_on(f"{s3}/logs")

    def message() -> str:
        return client.get("api/v1/info")["progress"]["message"]

    client.wait_for(lambda: "logs cannot be read: " in message())
    monkeypatch.setenv("AWS_ACCESS_KEY_ID", "someone")
    monkeypatch.setenv("AWS_SECRET_ACCESS_KEY", "secret")
    client.wait_for(lambda: values(client, "a") == [1.0])
    client.wait_for(lambda: "cannot be read" not in message())
    monkeypatch.setenv("AWS_ACCESS_KEY_ID", "")
    monkeypatch.setenv("AWS_SECRET_ACCESS_KEY", "")
    (mirror,) = client.board.mirrors._mirrors.values()
    mirror._storage = None
    client.wait_for(lambda: "logs cannot be read: " in message())
    assert values(client, "a") == [1.0]


def test_a_server_that_never_answers(board_on: Callable[..., Any], serve: Any, tmp_path: Path) -> None:
    with socket.create_server(("127.0.0.1", 0)) as listener:
        client = board_on(f"http://127.0.0.1:{listener.getsockname()[1]}/logs")
        begin = time.monotonic()
        assert client.runs() == {}
        thread = client.board.mirrors._threads[0]
        assert thread.is_alive()
        assert time.monotonic() - begin < 5
        serve.stop(client)
        assert time.monotonic() - begin < 15
        other = module.Mirrors(
            [Logdir(client.board.mirrors._mirrors.popitem()[1].address)], str(tmp_path / "cache")
        )
        assert other.logdirs != client.board.logdirs  # the thread may still write to its mirror
        other.stop()


def test_a_second_start_reads_what_is_here(s3: str, board_on: Callable[..., Any], serve: Any) -> None:
    writer = summary.create_file_writer(f"{s3}/logs/a")
    writer.add("loss", 1.0, 1)
    writer.close()
    first = board_on(f"{s3}/logs")
    first.wait_for(lambda: values(first, "a") == [1.0])
    second = board_on(f"{s3}/logs")  # at the same time: with a mirror of its own
    second.wait_for(lambda: values(second, "a") == [1.0])
    assert first.board.logdirs != second.board.logdirs
    serve.stop(second)
    serve.stop(first)
    generation = first.board.store.ordered_runs()[0].generation
    third = board_on(f"{s3}/logs")
    third.wait_for(lambda: values(third, "a") == [1.0])
    assert third.board.logdirs == first.board.logdirs
    assert third.board.store.ordered_runs()[0].generation == generation  # out of the index


def test_runs_elsewhere_are_not_deleted(s3: str, board_on: Callable[..., Any]) -> None:
    writer = summary.create_file_writer(f"{s3}/logs/a")
    writer.add("loss", 1.0, 1, wall_time=1.0)
    writer.close()
    client = board_on(f"{s3}/logs")
    client.wait_for(lambda: values(client, "a") == [1.0])
    (run,) = client.board.store.ordered_runs()
    client.wait_for(lambda: run.state == "ready")
    run.changed_at = 0.0
    answer = client.ask("POST", "/api/v1/runs/trash", {"runs": [run.id]})
    assert b"it is in storage elsewhere; delete it there" in answer.body
    assert values(client, "a") == [1.0]


def test_without_a_cache_nothing_is_left(s3: str, tmp_path: Path) -> None:
    writer = summary.create_file_writer(f"{s3}/logs/a")
    writer.add("loss", 1.0, 1)
    writer.close()
    board = Board([Logdir(f"{s3}/logs")], BoardOptions(cache=None, settings=str(tmp_path / "settings.json")))
    board.mirrors.sync_once()
    board.ingest.read_once()
    assert [run.name for run in board.store.ordered_runs()] == ["a"]
    folder = Path(board.logdirs[0].path)
    assert folder.is_dir()
    board.mirrors.stop()
    assert not folder.exists()


def test_old_mirrors_are_removed(tmp_path: Path) -> None:
    def used(address: str) -> Path:
        mirrors = module.Mirrors([Logdir(address)], str(tmp_path))
        mirrors.stop()
        return Path(mirrors.logdirs[0].path)

    old = used("memory://a")
    lock = old.parent.with_name(f"{old.parent.name}.lock")
    os.utime(lock, (1.0, 1.0))
    new = used("memory://b")
    assert new.exists()
    assert not old.exists()


def test_inspect(s3: str, capsys: pytest.CaptureFixture[str]) -> None:
    from tapeflow.cli.main import main

    writer = summary.create_file_writer(f"{s3}/logs/a")
    writer.add("loss", 1.0, 1)
    writer.close()
    assert main(["inspect", f"{s3}/logs"]) == 0
    assert "a: 1 value under 1 tag" in capsys.readouterr().out
    assert main(["inspect", f"{s3}/nothing"]) == 1
    assert f"there are no event files in {s3}/nothing" in capsys.readouterr().err
    assert main(["inspect", f"{s3}-missing/logs"]) == 1
    assert f"{s3}-missing/logs cannot be read: The specified bucket does not exist" in capsys.readouterr().err
