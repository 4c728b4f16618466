"""A disk with no room left, in the middle of a save: an error, the file before it whole, and nothing left behind."""

from __future__ import annotations

import contextlib
import os
import resource
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest

import tapeflow as tf

NAMES = ("model.keras", "model.h5", "model.weights.h5", "model.safetensors", "checkpoint")


@contextlib.contextmanager
def room_for(nbytes: int) -> Iterator[None]:
    """No file grows beyond `nbytes`: the system refuses the rest of a write, as it does on a full disk."""
    limits = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (nbytes, limits[1]))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, limits)


def save(model: tf.keras.Model, path: Path) -> None:
    if path.name == "checkpoint":
        tf.train.Checkpoint(model=model).write(str(path))
    elif path.name in ("model.keras", "model.h5"):
        model.save(path)
    else:
        model.save_weights(path)


@pytest.fixture(scope="module")
def model() -> tf.keras.Model:
    return tf.keras.Sequential([tf.keras.Input((200,)), tf.keras.layers.Dense(200)])


@pytest.mark.parametrize("name", NAMES)
def test_the_file_before_stays(name: str, model: tf.keras.Model, tmp_path: Path) -> None:
    path = tmp_path / name
    save(model, path)
    before = {entry: entry.read_bytes() for entry in tmp_path.rglob("*") if entry.is_file()}
    model.set_weights([np.random.default_rng(0).random(w.shape) for w in model.get_weights()])
    with room_for(60_000), pytest.raises(OSError, match=os.strerror(27)):
        save(model, path)
    assert {entry: entry.read_bytes() for entry in tmp_path.rglob("*") if entry.is_file()} == before
