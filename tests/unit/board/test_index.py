from __future__ import annotations

import errno
import os
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from tapeflow.board import index
from tapeflow.board.index import Index


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
