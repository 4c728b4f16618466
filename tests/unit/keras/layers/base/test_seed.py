"""Seed generators."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

import tapeflow as tf
from tapeflow.keras.layers.base.seed import SeedGenerator


def test_same_seed_gives_the_same_keys() -> None:
    one, two = SeedGenerator(3), SeedGenerator.from_config(SeedGenerator(3).get_config())
    first, second = one.next_key().numpy(), one.next().numpy()
    assert not np.array_equal(first, second)
    np.testing.assert_array_equal(first, two.next_key().numpy())


def test_without_a_seed_the_global_one_decides() -> None:
    def key() -> np.ndarray:
        return SeedGenerator().next_key().numpy()

    tf.random.set_seed(5)
    first, second = key(), key()
    tf.random.set_seed(5)
    np.testing.assert_array_equal(first, key())
    assert not np.array_equal(first, second)


def test_a_seed_that_is_no_integer_raises() -> None:
    with pytest.raises(ValueError, match="`seed` must be an integer"):
        SeedGenerator("one")  # pyright: ignore[reportArgumentType]


def test_layers_in_a_dataset_go_on_where_its_iterator_was(tmp_path: Path) -> None:
    images = np.arange(48, dtype=np.float32).reshape(6, 4, 2, 1)

    def made() -> Any:
        layer = tf.keras.layers.RandomTranslation(0.5, 0.5, seed=7)
        data = tf.data.Dataset.from_tensor_slices(images).batch(1)
        return iter(data.map(lambda x: layer(x, training=True)).prefetch(2))

    one = made()
    first = next(one).numpy()
    path = tf.train.Checkpoint(data=one).write(tmp_path / "w")
    rest = [x.numpy() for x in one]
    other = made()
    tf.train.Checkpoint(data=other).read(path).assert_consumed()
    np.testing.assert_array_equal([x.numpy() for x in other], rest)
    moves = [x - image for x, image in zip([first, *rest], images, strict=True)]
    assert len({m.tobytes() for m in moves}) > 1  # each element has a draw of its own
