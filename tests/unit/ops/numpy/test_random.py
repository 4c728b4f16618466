"""`tf.experimental.numpy.random`: shapes, dtypes, ranges, seeds."""

from __future__ import annotations

import numpy as np
import pytest

import tapeflow as tf

random = tf.experimental.numpy.random


def test_shapes_and_dtypes() -> None:
    assert (random.randn(2, 3).shape, random.standard_normal().shape, random.random(4).shape) == (
        (2, 3),
        (),
        (4,),
    )
    assert random.rand(2).dtype == random.uniform().dtype == random.standard_normal(2).dtype == tf.float64
    assert random.uniform([0.0, 5.0], 10.0).shape == (2,)
    assert random.poisson(3.0, 5).dtype == random.randint(3).dtype == tf.int64
    assert random.randint(2, 5, (2, 2), dtype=np.int32).dtype == tf.int32


def test_ranges_and_seeds() -> None:
    random.seed(3)
    first = random.randint(2, 5, 100).numpy()
    assert set(first) == {2, 3, 4}
    random.seed(3)
    np.testing.assert_array_equal(random.randint(2, 5, 100), first)
    drawn = random.uniform(-1.0, 2.0, 100).numpy()
    assert drawn.min() >= -1
    assert drawn.max() < 2
    assert drawn.min() < 0
    assert drawn.max() > 1


def test_other_dtypes_are_refused() -> None:
    with pytest.raises(ValueError, match="expected dtype int32 or int64; got dtype=int8"):
        random.randint(3, dtype=np.int8)
