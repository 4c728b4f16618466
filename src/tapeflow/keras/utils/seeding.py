"""One seed for everything that draws: `set_random_seed`."""

from __future__ import annotations

import random

import numpy as np

import tapeflow as tf


def set_random_seed(seed: int) -> None:
    """Seed Python's `random`, NumPy and TapeFlow, so that a program draws the same numbers at every run."""
    if not isinstance(seed, int):
        raise ValueError(
            f"Expected `seed` argument to be an integer. Received: seed={seed} (of type {type(seed)})"
        )
    tf.random.set_seed(seed)  # first: it may import what draws from NumPy
    random.seed(seed)
    np.random.seed(seed)
