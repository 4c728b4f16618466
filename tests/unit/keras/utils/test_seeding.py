"""`set_random_seed`."""

from __future__ import annotations

import random
from typing import Any

import numpy as np
import pytest

import tapeflow as tf
from tapeflow.keras import utils


def test_set_random_seed_seeds_everything() -> None:
    def draw() -> tuple[Any, ...]:
        made = tf.keras.initializers.GlorotUniform()((2, 2)).numpy().tolist()
        return random.random(), np.random.rand(), float(tf.random.normal(())), made

    utils.set_random_seed(3)
    first = draw()
    assert draw() != first
    utils.set_random_seed(3)
    assert draw() == first


def test_a_seed_that_is_no_integer_raises() -> None:
    with pytest.raises(ValueError, match="Expected `seed` argument to be an integer. Received: seed=a"):
        utils.set_random_seed("a")  # pyright: ignore[reportArgumentType]
