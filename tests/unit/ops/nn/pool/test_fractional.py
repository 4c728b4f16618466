"""Pooling over windows of random sizes: `tf.nn.fractional_max_pool` and `fractional_avg_pool`."""

from __future__ import annotations

import itertools
from collections.abc import Callable

import numpy as np
import pytest

import tapeflow as tf

IMAGES = np.random.default_rng(1).normal(size=(1, 7, 7, 2)).astype(np.float32)


@pytest.mark.parametrize(("pseudo_random", "overlapping"), [(False, False), (True, True)])
def test_windows_of_a_fractional_pool(pseudo_random: bool, overlapping: bool) -> None:
    for pool, reduce in ((tf.nn.fractional_max_pool, np.max), (tf.nn.fractional_avg_pool, np.mean)):
        found = pool(IMAGES, 1.5, pseudo_random, overlapping, seed=4)
        rows, columns = (s.numpy() for s in found[1:])
        assert rows[0] == columns[0] == 0
        assert rows[-1] == columns[-1] == 7
        assert set(np.diff(rows)) | set(np.diff(columns)) <= {1, 2}
        extra = int(overlapping)
        wanted = [
            [reduce(IMAGES[0, a : b + extra, c : d + extra], (0, 1)) for c, d in itertools.pairwise(columns)]
            for a, b in itertools.pairwise(rows)
        ]
        np.testing.assert_allclose(found.output[0], wanted, rtol=1e-5, atol=1e-6)


@pytest.mark.parametrize(
    ("call", "text"),
    [
        pytest.param(
            lambda: tf.nn.fractional_max_pool(tf.ones([3, 3]), 1.5),
            r"\[batch, height, width, channels\]",
            id="pool rank",
        ),
        pytest.param(
            lambda: tf.nn.fractional_max_pool(IMAGES, 0.5),
            "should be >= 1.0; got pooling_ratio=0.5",
            id="pool ratio",
        ),
        pytest.param(
            lambda: tf.nn.fractional_max_pool(IMAGES, 9.0), "leave at least one cell", id="pool size"
        ),
    ],
)
def test_wrong_arguments_raise(call: Callable[[], object], text: str) -> None:
    with pytest.raises((tf.errors.InvalidArgumentError, ValueError, TypeError), match=text):
        call()
