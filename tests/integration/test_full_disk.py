"""A disk with no room left, in the middle of a save: an error, what was there before whole, and nothing left behind."""

from __future__ import annotations

import contextlib
import errno
import os
import resource
from collections.abc import Callable, Iterator
from pathlib import Path

import numpy as np
import pytest

import tapeflow as tf

FULL = os.strerror(errno.EFBIG)  # what RLIMIT_FSIZE gives instead of ENOSPC
LAST_BYTES, STEPS = 24, 9


@contextlib.contextmanager
def room_for(nbytes: int) -> Iterator[None]:
    """No file grows beyond `nbytes`: the system refuses the rest of a write, as it does on a full disk."""
    limits = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (nbytes, limits[1]))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, limits)


def _model(units: int = 30) -> tf.keras.Model:
    model = tf.keras.Sequential([tf.keras.Input((units,)), tf.keras.layers.Dense(units)])
    model.compile("adam", "mse")
    model.train_on_batch(np.ones((2, units)), np.ones((2, units)))
    return model


def _dataset() -> tf.data.Dataset:
    return tf.data.Dataset.from_tensor_slices(np.random.default_rng(0).integers(0, 1 << 60, 200))


MODEL = _model()
WRITERS: dict[str, Callable[[Path], object]] = {
    "model.keras": MODEL.save,
    "model.h5": MODEL.save,
    "model": MODEL.save,
    "a.weights.h5": MODEL.save_weights,
    "weights.h5": MODEL.save_weights,
    "weights.safetensors": MODEL.save_weights,
    "weights": MODEL.save_weights,
    "checkpoint": lambda path: tf.train.Checkpoint(model=MODEL).write(str(path)),
    "saved": lambda path: _dataset().save(str(path)),
    "zipped": lambda path: _dataset().save(str(path), "GZIP"),
    "snapshot": lambda path: list(_dataset().snapshot(str(path))),
    "cache": lambda path: list(_dataset().cache(str(path))),
    "exported": MODEL.export,
    "functions": lambda path: tf.saved_model.save(MODEL, path),
}
READ_AGAIN = ("snapshot", "cache")


def _files(folder: Path) -> dict[Path, bytes]:
    return {file: file.read_bytes() for file in folder.rglob("*") if file.is_file()}


@pytest.mark.parametrize("name", WRITERS)
def test_what_was_there_stays_wherever_the_disk_ends(name: str, tmp_path: Path) -> None:
    path, write = tmp_path / name, WRITERS[name]
    write(path)
    files = _files(tmp_path)
    before = {} if name in READ_AGAIN else files
    if name in READ_AGAIN:
        for file in files:
            file.unlink()
        path.rmdir()
    MODEL.set_weights([np.random.default_rng(0).random(w.shape) for w in MODEL.get_weights()])
    size = max(map(len, files.values()))
    # The date in a `.keras` file, and the names of a state file, are as long as before: so is the file.
    for room in {*range(0, size, size // STEPS), *range(size - LAST_BYTES, size, 3), size - 1}:
        with room_for(room), pytest.raises(OSError, match=FULL) as caught:
            write(path)
        assert caught.value.errno == errno.EFBIG
        assert caught.value.filename, room
        assert _files(tmp_path) == before
    with room_for(size):
        write(path)


def test_a_large_model_too(tmp_path: Path) -> None:
    model = _model(600)
    for name in ("model.keras", "model.h5", "a.weights.h5"):
        model.save(tmp_path / name) if "weights" not in name else model.save_weights(tmp_path / name)
        size = (tmp_path / name).stat().st_size
        for room in range(0, size, size // 5):
            with room_for(room), pytest.raises(OSError, match=FULL):
                model.save(tmp_path / name) if "weights" not in name else model.save_weights(tmp_path / name)
    assert len(list(tmp_path.iterdir())) == 3


def test_event_files_end_with_a_whole_record(tmp_path: Path) -> None:
    for room in range(100, 2000, 97):
        writer = tf.summary.create_file_writer(str(tmp_path / str(room)), on_error="raise")
        with writer.as_default():
            for step in range(100):
                tf.summary.scalar("loss", 0.5, step=step)
        with room_for(room), pytest.raises(OSError, match=FULL):
            writer.flush()
        (file,) = (tmp_path / str(room)).iterdir()
        for _ in tf.compat.v1.train.summary_iterator(str(file)):
            pass  # a damaged record raises
        writer.flush()
        assert len(list(tf.compat.v1.train.summary_iterator(str(file)))) == 101
        writer.close()
