"""`BoundedTensorSpec`: specs with the least and the greatest values."""

from __future__ import annotations

import pickle

import numpy as np
import pytest

import tapeflow as tf
from tapeflow.compat.inner.bounded_specs import BoundedTensorSpec


def test_bounds_are_part_of_the_spec() -> None:
    spec = BoundedTensorSpec([2], tf.int32, 0, [3, 4], name="action")
    assert (spec.minimum.tolist(), spec.maximum.tolist(), spec.minimum.dtype) == (0, [3, 4], np.int32)
    assert spec == BoundedTensorSpec([2], tf.int32, 0, [3, 4], name="action")
    assert spec != BoundedTensorSpec([2], tf.int32, 0, [3, 5], name="action")
    assert spec != tf.TensorSpec([2], tf.int32, "action")
    assert pickle.loads(pickle.dumps(spec)) == spec
    assert len({spec, BoundedTensorSpec([2], tf.int32, 0, [3, 4], name="action")}) == 1
    assert spec.is_compatible_with(tf.constant([1, 2]))
    assert "maximum=array([3, 4], dtype=int32)" in repr(spec)
    with pytest.raises(ValueError, match="read-only"):
        spec.minimum[...] = 1


def test_from_another_spec() -> None:
    assert BoundedTensorSpec.from_spec(BoundedTensorSpec([], tf.float32, 0.0, 1.0)).maximum == 1.0
    assert BoundedTensorSpec.from_spec(tf.TensorSpec([], tf.uint8), name="x").maximum == 255


def test_errors() -> None:
    with pytest.raises(ValueError, match="`maximum` can not be None"):
        BoundedTensorSpec([], tf.float32, 0.0)
    with pytest.raises(ValueError, match="minimum is not compatible with shape"):
        BoundedTensorSpec([2], tf.float32, [0.0, 1.0, 2.0], 3.0)
