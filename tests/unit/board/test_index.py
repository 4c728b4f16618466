from __future__ import annotations

import dataclasses
import errno
import os
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from tapeflow.board import index
from tapeflow.board.index import Index
from tapeflow.board.runs import Run, signature


@pytest.fixture
def run(tmp_path: Path, events: Any, load: Callable[..., Any]) -> Any:
    events.write(tmp_path / "runs" / "a", events.scalars("loss", [1.0]))
    return load(tmp_path / "runs").store.ordered_runs()[0]


def test_nothing_is_left_of_an_index_that_cannot_be_written(
    tmp_path: Path, run: Any, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    def refuse(*arguments: object) -> None:
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    kept = Index(str(tmp_path / "cache"))
    with monkeypatch.context() as patch:
        patch.setattr(index.os, "replace", refuse)
        kept.save(run)
        kept.save(run)
    assert list((tmp_path / "cache").iterdir()) == []
    assert caplog.messages == [
        f"the index in {tmp_path / 'cache'} cannot be written: [Errno 28] No space left on device"
    ]
    kept.save(run)
    assert [path.suffix for path in (tmp_path / "cache").iterdir()] == [".tfi"]


def test_two_boards_may_remove_old_indexes_at_the_same_time(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in (f"{'a' * 32}.tfi", "tmpb.part", f"{'c' * 32}.tfi", "other"):
        (tmp_path / name).write_bytes(b"")
        os.utime(tmp_path / name, (0, 0))
    real = os.unlink

    def unlink(path: str) -> None:
        real(path)
        real(path)  # as if another board had been quicker

    monkeypatch.setattr(index.os, "unlink", unlink)
    Index(str(tmp_path)).prune()
    assert [path.name for path in tmp_path.iterdir()] == ["other"]


def fresh(run: Any) -> Run:
    """The same run as a new start finds it."""
    statuses = {path: os.stat(path) for path in run.found.files}
    return Run(dataclasses.replace(run.found, files=statuses))


def test_a_file_that_has_not_changed_is_not_opened(
    tmp_path: Path, run: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    kept = Index(str(tmp_path / "cache"))
    kept.save(run)
    again = fresh(run)
    with monkeypatch.context() as patch:
        patch.setattr(index, "open_regular", lambda *arguments, **options: pytest.fail("it was opened"))
        found = kept.load(again)
    assert found is not None
    found.fill(again)
    assert again.scalars["loss"].columns["values"].tolist() == [1.0]
    assert again.seen == run.seen
    (path,) = run.found.files
    with open(path, "ab") as file:
        file.write(b"more")
    grown = fresh(run)
    found = kept.load(grown)
    assert found is not None  # it still begins as it did
    found.fill(grown)
    assert grown.seen[path] != signature(os.stat(path))  # so that the rest is read


def test_a_file_that_was_not_read_to_its_end_is_opened_again(tmp_path: Path, run: Any) -> None:
    kept = Index(str(tmp_path / "cache"))
    (path,) = run.found.files
    with open(path, "ab") as file:
        file.write(b"more")
    run.seen[path] = signature(os.stat(path))  # and the board stops before it has read that
    kept.save(run)
    again = fresh(run)
    found = kept.load(again)
    assert found is not None
    assert found.signatures == {path: ()}


def test_large_indexes_are_mapped(tmp_path: Path, run: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(index, "_MOST_READ", 0)
    kept = Index(str(tmp_path / "cache"))
    kept.save(run)
    found = kept.load(fresh(run))
    assert found is not None
    assert found.series[0].columns["values"].tolist() == [1.0]
