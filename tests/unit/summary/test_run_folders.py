"""`run`: a folder nobody else has, and a writer that is the default inside."""

from __future__ import annotations

import re
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from tapeflow import summary
from tapeflow.summary.context import current
from tapeflow.summary.files import FileWriter
from tapeflow.summary.run_folders import new_folder


def test_it_logs_to_a_new_folder(tmp_path: Path) -> None:
    with summary.run("a b/größe", tmp_path, step=3) as writer:
        assert isinstance(writer, FileWriter)
        summary.scalar("loss", 0.5)
    assert current.writer is None
    assert re.fullmatch(r"größe-\d{8}-\d{6}", Path(writer.logdir).name)
    assert Path(writer.logdir).parent == tmp_path / "a b"
    assert summary.read(writer.logdir)["loss"].steps.tolist() == [3]


def test_it_is_closed_when_training_fails(tmp_path: Path) -> None:
    with pytest.raises(ZeroDivisionError), summary.run("x", tmp_path) as writer:
        summary.scalar("loss", 0.5, step=0)
        raise ZeroDivisionError
    with pytest.raises(RuntimeError, match="already closed"), writer.as_default():
        pass


@pytest.mark.parametrize("name", ["", "x", "x-2"])
def test_folders_of_one_second_differ(tmp_path: Path, name: str) -> None:
    with ThreadPoolExecutor(8) as pool:
        found = list(pool.map(lambda _: new_folder(str(tmp_path), name), range(40)))
    assert len(set(found)) == 40
    assert all(Path(path).is_dir() for path in found)


def test_a_folder_that_cannot_be_made_stops_nothing(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    (tmp_path / "file").write_text("in the way")
    with caplog.at_level("WARNING", "tapeflow.summary"), summary.run("x", tmp_path / "file"):
        summary.scalar("loss", 0.5, step=0)
    assert "file" in caplog.text
    assert (tmp_path / "file").read_text() == "in the way"
