"""What a board keeps of all its runs at once, and what it does with one that somebody else has written."""

from __future__ import annotations

import os
import shutil
import threading
import zlib
from collections.abc import Callable
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import orjson
import pytest

from tapeflow.board import column_messages, ingest, snapshot
from tapeflow.board.board import Board, BoardOptions
from tapeflow.board.logdirs import Logdir, run_id
from tapeflow.board.overview import overview_of
from tapeflow.board.runs import Run

OLD = 1.7e9


@pytest.fixture
def runs(tmp_path: Path, events: Any, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A log folder of finished runs."""
    monkeypatch.setattr(ingest, "FEWEST_RUNS", 1)
    folder = tmp_path / "runs"
    for name, values in {
        "a/train": [3.0, 1.0, 2.0],
        "a/validation": [4.0],
        "b 10": [5.0, 6.0],
        "b 9": [7.0],
    }.items():
        add(events, folder, name, events.scalars("loss", values))
    add(events, folder, "pictures", events.image("grid"))
    add(events, folder, ".", events.scalars("loss", [8.0]))
    return folder


def add(events: Any, folder: Path, name: str, data: bytes) -> Path:
    path = events.write(folder / name, data)
    os.utime(path, (OLD, OLD))
    os.utime(path.parent, (OLD, OLD))
    return path


@pytest.fixture
def start(tmp_path: Path) -> Callable[..., Board]:
    """A board that is not served, with an index that it keeps at the end."""

    def make(*folders: Path | Logdir, **options: Any) -> Board:
        logdirs = [one if isinstance(one, Logdir) else Logdir(str(one)) for one in folders]
        given = {"cache": str(tmp_path / "cache"), "settings": str(tmp_path / "settings.json"), **options}
        return Board(logdirs, BoardOptions(**given))

    return make


def read_and_stop(board: Board) -> None:
    board.ingest.read_once()
    board.health.look_at_all()
    for run in board.store.runs.values():
        run.is_checked = False  # as after a look at the checksums
    board.ingest.stop()


class Known(NamedTuple):
    """What a snapshot has of runs, and of the answers that tell of them."""

    runs: list[Run]
    answers: dict[str, bytes]


def open_again(board: Board) -> Known | None:
    """What is known of the last start; None if that is nothing."""
    opened = board.index.open_snapshot(board.store, board.ingest._loader)
    if opened is None:
        return None
    try:
        found = opened.make()
    except ValueError:
        return None
    board.store.prepare(opened.answers, opened.sizes, opened.run_total)
    board.store.put(found.runs)
    return Known(found.runs, opened.answers)


def files_of(tmp_path: Path) -> list[Path]:
    return list((tmp_path / "cache").glob("*.tfs"))


def test_all_runs_are_there_before_any_file_is_looked_at(
    runs: Path, start: Callable[..., Board], monkeypatch: pytest.MonkeyPatch
) -> None:
    first = start(runs)
    read_and_stop(first)
    expected = first.store.answers()["runs"]
    tags = first.store.tags(["scalars", "images"])
    again = start(runs)
    known = open_again(again)
    assert known is not None
    with monkeypatch.context() as patch:
        patch.setattr(again.index, "load", lambda run: pytest.fail("an index was opened"))
        assert again.store.answers()["runs"] == expected
        assert again.store.tags(["scalars", "images"]) == tags
        assert again.store.sizes() == first.store.sizes()
    assert [run.name for run in known.runs] == [".", "a/train", "a/validation", "b 9", "b 10", "pictures"]
    run = again.store.runs[run_id("a/train")]
    assert not run.is_loaded
    assert run.scalars["loss"].columns["values"].tolist() == [3, 1, 2]
    assert run.scalars["loss"].panel == "scalars"
    assert run.is_loaded
    picture = again.store.runs[run_id("pictures")]
    assert picture.value(picture.entries["grid"], 0).array[2].startswith(b"\x89PNG")


def test_what_tells_of_all_runs_is_given_before_they_are_there(
    runs: Path,
    start: Callable[..., Board],
    serve: Callable[..., Any],
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    read_and_stop(start(runs))
    goes_on = threading.Event()
    real = snapshot._runs
    monkeypatch.setattr(snapshot, "_runs", lambda *given: goes_on.wait(20) and real(*given))
    client = serve(runs, cache=str(tmp_path / "cache"))
    info = client.get("api/v1/info")
    assert (info["progress"]["runs_total"], info["progress"]["is_done"]) == (6, False)
    sizes = {panel["name"]: (panel["tags"], panel["runs"]) for panel in info["panels"]}
    assert (sizes["scalars"], sizes["images"]) == ((1, 5), (1, 1))
    for path in ("overview", "runs/table"):
        head, _ = column_messages.unpack_small(client.ask("GET", f"/api/v1/{path}").body)
        assert len(head["ids"]) >= 5
    found: list[Any] = []
    asking = threading.Thread(target=lambda: found.append(client.series("a/train", "loss")[1][2].tolist()))
    asking.start()
    asking.join(0.3)
    assert not found  # it waits
    goes_on.set()
    asking.join(20)
    assert found == [[3, 1, 2]]
    client.wait_until_read()
    assert set(client.runs()) == {".", "a/train", "a/validation", "b 9", "b 10", "pictures"}


def test_answers_are_kept_as_long_as_nothing_changes(runs: Path, start: Callable[..., Board]) -> None:
    first = start(runs)
    read_and_stop(first)
    again = start(runs)
    known = open_again(again)
    assert known is not None
    assert set(known.answers) == {"overview", "runs/table"}
    head, columns = column_messages.unpack_small(again.store.prepared("overview"))
    fresh, fresh_columns = column_messages.unpack_small(overview_of(again.store))
    assert {**head, "version": 0} == {**fresh, "version": 0}
    for one, other in zip(columns, fresh_columns, strict=True):
        np.testing.assert_array_equal(one, other)
    with again.store.lock:
        again.store.changed(again.store.runs[run_id("b 9")])
    assert again.store.prepared("overview") == b""


def test_what_has_changed_since_is_read(
    runs: Path, events: Any, start: Callable[..., Board], tmp_path: Path, serve: Callable[..., Any]
) -> None:
    read_and_stop(start(runs))
    events.append(runs / "b 9" / "events.out.tfevents.1.host", events.scalars("loss", [9.0], first=1))
    shutil.rmtree(runs / "b 10")
    events.write(runs / "new" / "deep", events.scalars("acc", [0.5]))
    events.write(runs / "a" / "train", events.scalars("late", [1.0]), "events.out.tfevents.2.host")
    client = serve(runs, cache=str(tmp_path / "cache"))
    client.wait_until_read()
    found = client.runs()
    assert set(found) == {".", "a/train", "a/validation", "b 9", "new/deep", "pictures"}
    for run, tag, values in (
        ("b 9", "loss", [7, 9]),
        ("a/train", "loss", [3, 1, 2]),
        ("a/train", "late", [1]),
        ("a/validation", "loss", [4]),
        ("new/deep", "acc", [0.5]),
    ):
        client.wait_for(
            lambda run=run, tag=tag, values=values: client.series(run, tag)[1][2].tolist() == values
        )


def test_a_run_whose_index_is_gone_is_read_again(
    runs: Path, start: Callable[..., Board], tmp_path: Path, serve: Callable[..., Any]
) -> None:
    read_and_stop(start(runs))
    for path in (tmp_path / "cache").glob("*.tfi"):
        path.unlink()
    client = serve(runs, cache=str(tmp_path / "cache"))
    client.wait_for(lambda: client.series("a/train", "loss")[1][2].tolist() == [3, 1, 2])
    assert client.runs()["a/train"]["points"] == 3


def test_points_beyond_what_fits_are_let_go_of(
    runs: Path, start: Callable[..., Board], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(ingest, "MOST_LOADED", 2)
    board = start(runs)
    board.ingest.read_once()
    for run in board.store.runs.values():
        run.is_checked = False
    tags = board.store.tags(["scalars"])
    board.ingest._unload_excess()
    loaded = [run for run in board.store.runs.values() if run.is_loaded]
    assert sum(run.series_total for run in loaded) <= 2
    assert board.store.tags(["scalars"]) == tags
    assert board.store.runs[run_id("b 10")].scalars["loss"].columns["values"].tolist() == [5, 6]
    since = board.store.version
    with board.store.lock:
        for run in board.store.runs.values():
            board.store.changed(run)
    monkeypatch.setattr(ingest, "MOST_LOADED", 0)
    board.ingest._unload_excess()
    assert not any(run.is_loaded for run in board.store.runs.values())
    assert board.store.changes(since).is_partial  # so that pages ask for everything


def test_a_snapshot_is_of_its_log_folders_panels_and_version(runs: Path, start: Callable[..., Board]) -> None:
    read_and_stop(start(runs))
    assert open_again(start(runs)) is not None
    assert open_again(start(runs, version="another")) is None
    assert open_again(start(Logdir(str(runs), "named"))) is None
    assert open_again(start(runs.parent)) is None


def test_runs_that_go_on_are_not_in_it(
    runs: Path, events: Any, start: Callable[..., Board], tmp_path: Path
) -> None:
    events.write(runs / "live", events.scalars("loss", [1.0]))
    read_and_stop(start(runs))
    known = open_again(start(runs))
    assert known is not None
    assert "live" not in [run.name for run in known.runs]
    assert known.answers == {}


def test_names_that_hardly_are_any(
    runs: Path, events: Any, start: Callable[..., Board], tmp_path: Path
) -> None:
    odd = ["a\nb", "ü ☃", "...", "-", "a b/ ", "C:\\x", "%2e%2e", "\u202ex", "x" * 200]
    for name in odd:
        add(events, runs, name, events.scalars("loss", [1.0]))
    broken = os.fsencode(runs) + b"/\xff\xfe"
    os.mkdir(broken)
    shutil.copy(runs / "b 9" / "events.out.tfevents.1.host", broken + b"/events.out.tfevents.1.host")
    outside = tmp_path / "outside"
    events.write(outside, events.scalars("secret", [1.0]))
    (runs / "link").symlink_to(outside)
    (runs / "inner").symlink_to(runs / "b 9")
    first = start(runs)
    read_and_stop(first)
    again = start(runs)
    known = open_again(again)
    assert known is not None
    names = {run.name for run in known.runs}
    assert set(odd) <= names
    assert not names & {"link", "\\xff\\xfe"}  # the walk finds these
    again.ingest.read_once()
    assert set(again.store.runs) == set(first.store.runs)
    for name in odd:
        assert again.store.runs[run_id(name)].scalars["loss"].columns["values"].tolist() == [1]


def test_what_is_judged_is_kept_though_nothing_else_has_changed(
    runs: Path, start: Callable[..., Board]
) -> None:
    first = start(runs)
    first.ingest.read_once()
    for run in first.store.runs.values():
        run.is_checked = False
    first.ingest.stop()
    again = start(runs)
    again.ingest.start()
    again.store.opened.wait()
    assert not any(run.judged for run in again.store.runs.values())
    again.health.look_at_all()
    again.ingest.stop()
    known = open_again(start(runs))
    assert known is not None
    assert all(run.judged == run.points for run in known.runs)


def rewritten(path: Path, change: Callable[[dict[str, Any]], object]) -> None:
    """A snapshot whose head says something else, with a checksum that is right."""
    data = path.read_bytes()
    size = snapshot._START.size
    _, _, length = snapshot._START.unpack_from(data)
    head = orjson.loads(data[size : size + length])
    change(head)
    text = orjson.dumps(head)
    text += b" " * (-len(text) % 8)
    body = text + data[size + length :]
    path.write_bytes(snapshot._START.pack(b"TFS1", zlib.crc32(body), len(text)) + body)


@pytest.mark.parametrize(
    "change",
    [
        lambda head: head["names"].__setitem__(1, "../../etc"),
        lambda head: head["names"].__setitem__(1, "a/../../x"),
        lambda head: head["names"].__setitem__(1, head["names"][2]),
        lambda head: head["names"].append("one more"),
        lambda head: head["names"].__setitem__(1, 7),
        lambda head: head["names"].clear(),
        lambda head: head["files"].__setitem__(0, "../secret"),
        lambda head: head["files"].__setitem__(0, "a/b"),
        lambda head: head["files"].__setitem__(0, None),
        lambda head: head["files"].pop(),
        lambda head: head["layouts"].clear(),
        lambda head: head["layouts"][0].append(["x", True, "scalars", "", ""]),
        lambda head: head["layouts"].__setitem__(0, [[1]]),
        lambda head: head["facts"].update({"0": {"hparams": [1]}}),
        lambda head: head["facts"].update({"99": {}}),
        lambda head: head["facts"].update({"0": {"findings": [{"no": 1}]}}),
        lambda head: head["answers"].append(["x", 1 << 40]),
        lambda head: head["answers"].append(["x", -1]),
        lambda head: head.pop("facts"),
        lambda head: head.update(key=[]),
    ],
)
def test_a_snapshot_that_does_not_fit_is_not_used(
    runs: Path, start: Callable[..., Board], tmp_path: Path, change: Callable[[dict[str, Any]], object]
) -> None:
    read_and_stop(start(runs))
    (path,) = files_of(tmp_path)
    rewritten(path, lambda head: None)
    assert open_again(start(runs)) is not None
    rewritten(path, change)
    assert open_again(start(runs)) is None


def test_a_damaged_snapshot_is_made_again(
    runs: Path, start: Callable[..., Board], tmp_path: Path, serve: Callable[..., Any]
) -> None:
    read_and_stop(start(runs))
    (path,) = files_of(tmp_path)
    whole = path.read_bytes()
    for damaged in (
        b"",
        whole[:10],
        whole[:-1],
        whole[:500] + b"\xff" + whole[501:],
        b"TFS9" + whole[4:],
        whole * 2,
    ):
        path.write_bytes(damaged)
        assert open_again(start(runs)) is None
    client = serve(runs, cache=str(tmp_path / "cache"))
    client.wait_until_read()
    assert client.series("a/train", "loss")[1][2].tolist() == [3, 1, 2]
    serve.stop(client)  # type: ignore[attr-defined]
    read_and_stop(start(runs))
    assert open_again(start(runs)) is not None
