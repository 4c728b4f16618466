"""Variables that are read in another dtype."""

from __future__ import annotations

import threading

import numpy as np
import pytest

import tapeflow as tf
from tapeflow.keras.mixed_precision.autocast import AutoCastVariable, autocast_dtype, autocast_scope
from tapeflow.keras.optimizers import SGD


@pytest.mark.parametrize("dtype", ["float16", "bfloat16", tf.float16, "float64"])
def test_reads_have_the_dtype_of_the_scope(dtype: object) -> None:
    v = AutoCastVariable([1.0, 2.0], name="v")
    wanted = tf.as_dtype(dtype)
    assert v.value().dtype is tf.float32
    with autocast_scope(dtype):
        for read in (v.value(), tf.convert_to_tensor(v), v + tf.ones(2, wanted), v * 2.0, v[0]):
            assert read.dtype is wanted
        assert (v.dtype, v.true_dtype, v.numpy().dtype) == (tf.float32, tf.float32, np.float32)
        with autocast_scope(None):
            assert v.value().dtype is tf.float32
        assert autocast_dtype() is wanted
    assert v.value().dtype is tf.float32
    assert autocast_dtype() is None


def test_only_floating_variables_and_dtypes() -> None:
    count = AutoCastVariable(3, dtype=tf.int32)
    v = AutoCastVariable(1.0)
    with autocast_scope("float16"):
        assert count.value().dtype is tf.int32
    with autocast_scope("int32"):
        assert v.value().dtype is tf.float32


def test_gradients_come_back_in_the_stored_dtype() -> None:
    v = AutoCastVariable([1.0, 2.0])
    with tf.GradientTape() as tape, autocast_scope("float16"):
        loss = tf.reduce_sum(v * v)
    gradient = tape.gradient(loss, v)
    assert loss.dtype is tf.float16
    assert gradient.dtype is tf.float32
    np.testing.assert_array_equal(gradient.numpy(), [2.0, 4.0])
    SGD(0.5).apply_gradients([(gradient, v)])
    np.testing.assert_array_equal(v.numpy(), [0.0, 0.0])


def test_staged() -> None:
    v = AutoCastVariable(1.0)

    @tf.function
    def double() -> tf.Tensor:
        with autocast_scope("float16"):
            return v * 2.0

    assert double().dtype is tf.float16
    v.assign(3.0)
    assert float(double()) == 6.0


def test_assignment_is_in_the_stored_dtype() -> None:
    v = AutoCastVariable(1.0)
    with autocast_scope("float16"):
        v.assign(1e-7)
        v.assign_add(1e-7)
    assert float(v) == pytest.approx(2e-7)


def test_nothing_is_recorded_where_dtypes_agree() -> None:
    from tapeflow.engine.recording.trace import live_trace

    v = AutoCastVariable(1.0)
    before = len(live_trace().nodes)
    with autocast_scope("float32"):
        v.value()
    assert len(live_trace().nodes) == before


def test_a_scope_is_its_threads_own() -> None:
    seen = []
    with autocast_scope("float16"):
        thread = threading.Thread(target=lambda: seen.append(autocast_dtype()))
        thread.start()
        thread.join()
    assert seen == [None]
