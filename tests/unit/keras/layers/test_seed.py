"""Seed generators."""

from __future__ import annotations

import numpy as np
import pytest

import tapeflow as tf
from tapeflow.keras.layers.seed import SeedGenerator


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
