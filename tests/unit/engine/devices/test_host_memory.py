"""Arrays of the host that programs on a CPU read in place."""

import jax
import numpy as np
import pytest

import tapeflow as tf
from tapeflow.engine.devices import host_memory

MANY = np.arange(4000, dtype=np.float32).reshape(40, 100)
ROWS = np.array([3, 1, 39])


def is_aligned(array):
    return array.ctypes.data % 64 == 0


@pytest.mark.parametrize("array", [MANY, MANY[:, ::2], MANY.T, MANY[:1], MANY[0, 0], np.zeros((0, 3))])
def test_a_copy_holds_the_same(array):
    copy = host_memory.copied(np.asarray(array))
    np.testing.assert_array_equal(copy, array)
    assert not np.shares_memory(copy, array)
    assert copy.flags.c_contiguous
    assert copy.nbytes < 4096 or is_aligned(copy)


def test_a_copy_may_have_another_dtype():
    assert host_memory.copied(MANY, np.dtype(np.int64)).dtype == np.int64


def test_rows_are_taken_and_stacked():
    many = np.repeat(MANY, 20, axis=1)
    taken, stacked = host_memory.taken(many, ROWS), host_memory.stacked([many[i] for i in ROWS])
    np.testing.assert_array_equal(taken, many[ROWS])
    np.testing.assert_array_equal(stacked, many[ROWS])
    assert is_aligned(taken)
    assert is_aligned(stacked)


def test_objects_stay_objects():
    assert host_memory.taken(np.array([b"a", b"b"] * 2000, object), ROWS).tolist() == [b"b", b"b", b"b"]


def test_a_tensor_is_read_in_place_and_never_changes():
    given = MANY.copy()
    tensor = tf.constant(given)
    held = tensor._node.value
    if jax.default_backend() == "cpu":
        assert jax.device_put(held).unsafe_buffer_pointer() == held.ctypes.data
    variable = tf.Variable(tensor)
    variable.assign_add(tensor)
    given[:] = 0
    np.testing.assert_array_equal(tensor, MANY)
    np.testing.assert_array_equal(variable, 2 * MANY)
