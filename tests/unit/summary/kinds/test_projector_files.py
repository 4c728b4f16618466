"""The projector's files: whole or not at all, sprites that fit, paths that stay inside."""

from __future__ import annotations

import io
import os
import socket
import subprocess
import sys
import threading
from pathlib import Path

import numpy as np
import pytest
from PIL import Image

from tapeflow.summary.kinds.projector_files import (
    asset_path,
    locked,
    metadata_file,
    read_config,
    sprite_file,
    vectors_file,
    write_config,
    write_file,
)


def test_a_file_that_cannot_be_written_leaves_the_old_one(tmp_path: Path) -> None:
    path = tmp_path / "deep" / "file"
    write_file(str(path), b"old")
    with pytest.raises(TypeError):
        write_file(str(path), None)  # pyright: ignore[reportArgumentType]
    assert path.read_bytes() == b"old"
    assert [p.name for p in path.parent.iterdir()] == ["file"]


def test_changes_of_many_threads_are_all_kept(tmp_path: Path) -> None:
    def add(number: int) -> None:
        with locked(str(tmp_path)):
            config = read_config(str(tmp_path))
            config.embeddings.add(tensor_name=str(number))
            write_config(str(tmp_path), config)

    threads = [threading.Thread(target=add, args=(i,)) for i in range(16)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    names = sorted(int(e.tensor_name) for e in read_config(str(tmp_path)).embeddings)
    assert names == list(range(16))


@pytest.mark.parametrize("count", [1, 3, 4, 10])
def test_a_sprite_is_square_and_goes_row_by_row(count: int) -> None:
    images = np.random.default_rng(0).integers(0, 256, (count, 3, 5, 3), dtype=np.uint8)
    data, (width, height) = sprite_file(images)
    sprite = np.asarray(Image.open(io.BytesIO(data)))
    side = int(np.ceil(np.sqrt(count)))
    assert (width, height) == (5, 3)
    assert sprite.shape == (side * 3, side * 5, 3)
    for i in range(count):
        row, column = divmod(i, side)
        cut = sprite[row * 3 : row * 3 + 3, column * 5 : column * 5 + 5]
        np.testing.assert_array_equal(cut, images[i])


def test_a_sprite_fits_a_graphics_card() -> None:
    data, size = sprite_file(np.zeros((4, 5000, 10), np.float32))
    assert size == (5, 2500)
    assert Image.open(io.BytesIO(data)).size == (10, 5000)


def test_grey_pictures_stay_grey() -> None:
    data, _ = sprite_file(np.full((4, 2, 2), 0.5))
    assert np.unique(np.asarray(Image.open(io.BytesIO(data)))).tolist() == [127]


def test_vectors_that_look_like_text_are_written_as_text() -> None:
    assert vectors_file(np.zeros((2, 2)))[0] == "tsv"
    assert vectors_file(np.zeros((2, 2)))[1] == b"0\t0\n0\t0\n"
    assert vectors_file(np.full((2, 2), -1.5e30))[0] == "bytes"
    line = np.frombuffer(b"1234\n678\xff\xff\xff\xff", "<f4").reshape(1, 3)  # text up to the first newline
    assert vectors_file(line)[0] == "tsv"


def test_metadata_has_a_line_for_each_point() -> None:
    assert metadata_file({"a": ["x", "", "y\r\nz"]}) == b"x\n \ny z\n"
    assert metadata_file({"a\tb": [1], "c": [None]}) == b"a b\tc\n1\tNone\n"


def test_paths_stay_inside(tmp_path: Path) -> None:
    (tmp_path / "run").mkdir()
    assert asset_path(tmp_path / "run", "a/b.tsv") == str((tmp_path / "run" / "a" / "b.tsv").resolve())
    for path in ("../secret", "/etc/passwd", "a/../../x"):
        with pytest.raises(ValueError, match="is outside of it"):
            asset_path(tmp_path / "run", path)


def test_a_folder_without_a_configuration_has_an_empty_one(tmp_path: Path) -> None:
    assert not read_config(str(tmp_path)).embeddings


def test_what_a_killed_process_left_is_removed(tmp_path: Path) -> None:
    gone = subprocess.Popen([sys.executable, "-c", ""])
    gone.wait()
    here = socket.gethostname()

    def temporary(name: str, process: int, host: str = here) -> str:
        return f"{name}.{host}.{process}-0123456789ab.tmp"

    left = [temporary("file", gone.pid), temporary("file", os.getpid())]
    kept = [
        temporary("file", os.getppid()),
        temporary("file", gone.pid, "elsewhere"),
        temporary("other", gone.pid),
        "file.tmp",
    ]
    for name in (*left, *kept):
        (tmp_path / name).touch()
    write_file(str(tmp_path / "file"), b"data")
    assert {path.name for path in tmp_path.iterdir()} == {*kept, "file"}
