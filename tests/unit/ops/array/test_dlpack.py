"""Tests for tapeflow.ops.array.dlpack."""

from __future__ import annotations

import numpy as np
import pytest

import tapeflow as tf

dlpack = tf.experimental.dlpack


@pytest.mark.parametrize("dtype", ["bool", "int8", "int64", "float32", "bfloat16", "complex64"])
def test_a_capsule_gives_back_what_it_was_made_of(dtype: str) -> None:
    tensor = tf.cast([[0, 1], [1, 0]], dtype)
    found = dlpack.from_dlpack(dlpack.to_dlpack(tensor))
    assert found.dtype == tensor.dtype
    assert np.array_equal(found.numpy(), tensor.numpy())


def test_a_variable_goes_on_without_its_capsule() -> None:
    variable = tf.Variable([1.0, 2.0])
    capsule = dlpack.to_dlpack(variable)
    variable.assign_add([1.0, 1.0])
    assert dlpack.from_dlpack(capsule).numpy().tolist() == [1.0, 2.0]
    assert variable.numpy().tolist() == [2.0, 3.0]


def test_arrays_of_others_are_taken_and_copied() -> None:
    array = np.arange(3)
    tensor = dlpack.from_dlpack(array)
    array[0] = 9
    assert tensor.numpy().tolist() == [0, 1, 2]


def test_what_is_no_capsule_is_refused() -> None:
    with pytest.raises(TypeError, match="from_dlpack expected a DLPack capsule.*got list"):
        dlpack.from_dlpack([1])
    capsule = dlpack.to_dlpack(tf.constant(1))
    dlpack.from_dlpack(capsule)
    with pytest.raises(TypeError, match="expected a capsule that nobody has used yet"):
        dlpack.from_dlpack(capsule)
    with pytest.raises(TypeError, match="to_dlpack expected numbers; got tf_tensor of string"):
        dlpack.to_dlpack(tf.constant("a"))
    with pytest.raises(tf.errors.InvalidArgumentError, match="expected contiguous elements"):
        dlpack.from_dlpack(np.arange(4)[::2])
