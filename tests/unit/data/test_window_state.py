"""Windows in the state of an iterator that is written to a file."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import tapeflow as tf
from tapeflow.data.dataset import Dataset

PIPELINES: dict[str, Callable[[], Any]] = {
    "flat": lambda: Dataset.range(9).window(3, shift=1).flat_map(lambda w: w.batch(3)),
    "pairs": lambda: (
        Dataset.zip((Dataset.range(9), Dataset.range(9)))
        .window(2)
        .flat_map(lambda a, b: Dataset.zip((a.batch(2), b.batch(2))))
    ),
    "shuffled": lambda: Dataset.range(9).window(2).shuffle(3, seed=1).prefetch(2).interleave(lambda w: w, 2),
    "inside": lambda: Dataset.range(3).flat_map(
        lambda k: Dataset.range(4).window(2).flat_map(lambda w: w.batch(2).map(lambda x: x + k))
    ),
}


@pytest.mark.parametrize("name", PIPELINES)
def test_an_iterator_over_windows_goes_on_from_a_file(name: str, tmp_path: Path) -> None:
    first = iter(PIPELINES[name]())
    for _ in range(3):
        next(first)
    path = tf.train.Checkpoint(iterator=first).save(str(tmp_path / "state"))
    rest = [tf.nest.map_structure(lambda x: x.numpy().tolist(), e) for e in first]
    second = iter(PIPELINES[name]())
    tf.train.Checkpoint(iterator=second).restore(path)
    assert rest == [tf.nest.map_structure(lambda x: x.numpy().tolist(), e) for e in second]


def test_a_window_of_a_dict_of_one_column_holds_the_column() -> None:
    [window] = Dataset.from_tensor_slices({"a": np.arange(2)}).window(2)
    assert [int(x) for x in window["a"]] == [0, 1]
