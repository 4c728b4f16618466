"""`tf.keras.random`: where the numbers come from."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import tapeflow as tf

random = tf.keras.random

DRAWS: dict[str, Callable[[Any], Any]] = {
    "normal": lambda seed: random.normal((40,), 2.0, 0.1, seed=seed),
    "truncated_normal": lambda seed: random.truncated_normal((40,), seed=seed),
    "uniform": lambda seed: random.uniform((40,), -1.0, 1.0, seed=seed),
    "randint": lambda seed: random.randint((40,), 0, 9, seed=seed),
    "gamma": lambda seed: random.gamma((40,), 2.0, seed=seed),
    "categorical": lambda seed: random.categorical(tf.zeros((1, 5)), 40, seed=seed),
    "dropout": lambda seed: random.dropout(tf.ones((40,)), 0.5, seed=seed),
    "shuffle": lambda seed: random.shuffle(tf.range(40), seed=seed),
}


@pytest.mark.parametrize("name", DRAWS)
def test_an_integer_repeats_itself_and_a_generator_goes_on(name: str) -> None:
    draw = DRAWS[name]
    np.testing.assert_array_equal(draw(1), draw(1))
    generator = random.SeedGenerator(1)
    first, second = draw(generator).numpy(), draw(generator).numpy()
    assert not np.array_equal(first, second)
    np.testing.assert_array_equal(draw(random.SeedGenerator(1)), first)
    tf.keras.utils.set_random_seed(3)
    free = draw(None).numpy()
    assert not np.array_equal(draw(None), free)
    tf.keras.utils.set_random_seed(3)
    np.testing.assert_array_equal(draw(None), free)


def test_what_is_drawn() -> None:
    assert np.abs(random.normal((500,), 2.0, 0.1, seed=1).numpy() - 2).max() < 0.5
    assert np.abs(random.truncated_normal((500,), seed=1).numpy()).max() <= 2
    assert set(random.randint((200,), 1, 4, seed=1).numpy()) == {1, 2, 3}
    assert set(random.dropout(tf.ones((200,)), 0.5, seed=1).numpy()) == {0.0, 2.0}
    rows = random.dropout(tf.ones((8, 30)), 0.5, noise_shape=(8, 1), seed=1).numpy()
    assert (rows == rows[:, :1]).all()
    assert sorted(random.shuffle(tf.reshape(tf.range(6), (2, 3)), axis=1, seed=1).numpy()[0]) == [0, 1, 2]
    assert random.normal((2,), dtype="float64").dtype == tf.float64


def test_a_wrong_seed_is_refused() -> None:
    with pytest.raises(ValueError, match="must be either an integer or an instance of `SeedGenerator`"):
        random.normal((2,), seed="one")
