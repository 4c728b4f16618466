"""`experimental_enable_numpy_behavior`: methods, indexing and promotion, and that they are undone after each test."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
import pytest

import tapeflow as tf
from tapeflow.engine.values import convert
from tapeflow.engine.values.tensor import Tensor
from tapeflow.ops.numpy import behavior as numpy_behavior
from tapeflow.ops.numpy import functions as numpy_functions

tnp = tf.experimental.numpy


@pytest.fixture
def numpy_like(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    for name in numpy_behavior.METHODS:
        monkeypatch.setattr(Tensor, name, None, raising=False)
    monkeypatch.setattr(convert, "promotion", None)
    monkeypatch.setattr(numpy_functions, "_fraction", np.float64)
    tnp.experimental_enable_numpy_behavior()
    yield
    monkeypatch.undo()


def test_nothing_changes_without_it() -> None:
    with pytest.raises(AttributeError, match="it is numpy's"):
        tf.ones([2]).astype(tf.int32)
    with pytest.raises(tf.errors.InvalidArgumentError, match="one dtype"):
        tf.ones([2]) + tf.ones([2], tf.int32)


@pytest.mark.usefixtures("numpy_like")
def test_methods() -> None:
    x = tf.constant([[1.0, 2.5, 3.0], [4.0, 5.0, 6.0]])
    np.testing.assert_array_equal(x.T, x.numpy().T)
    assert x.reshape(3, 2).shape == x.reshape((3, 2)).shape == x.reshape(3, -1).shape == (3, 2)
    assert (x.ravel().shape, x.flatten("F").numpy().tolist()[:2]) == ((6,), [1.0, 4.0])
    assert (x.astype(tf.int32).dtype, x.size, x.ndim) == (tf.int32, 6, 2)
    assert (float(x.max()), float(x.min()), float(x.mean())) == (6.0, 1.0, pytest.approx(21.5 / 6))
    assert x.max(axis=0).shape == (3,)
    assert x.clip(2, 3).numpy().tolist() == [[2.0, 2.5, 3.0], [3.0, 3.0, 3.0]]
    assert x.transpose((1, 0)).shape == (3, 2)
    assert x.tolist()[1] == [4.0, 5.0, 6.0]
    assert round(x)[0].numpy().tolist() == [1.0, 2.0, 3.0]
    assert (+x) is x


@pytest.mark.usefixtures("numpy_like")
def test_dtypes_are_promoted_as_numpy_does() -> None:
    ones = {name: tf.ones([2], name) for name in ("int32", "int64", "float32", "float64", "bool")}
    for a, one in ones.items():
        for b, other in ones.items():
            if {a, b} != {"bool"}:
                assert (one * other).dtype == np.result_type(a, b), (a, b)
    assert (ones["int32"] + 1.5).dtype == tf.float64
    assert (ones["float32"] + 1.5).dtype == (2 * ones["float32"]).dtype == tf.float32
    assert (ones["int32"] + 1).dtype == tf.int32
    assert (np.ones(2) + ones["float32"]).dtype == tf.float64


@pytest.mark.usefixtures("numpy_like")
def test_gradients_pass_a_promotion() -> None:
    v = tf.Variable([1.0, 2.0])
    with tf.GradientTape() as tape:
        y = tf.reduce_sum(v * tf.constant([3, 4], tf.int32))
    assert y.dtype == tf.float64
    gradient = tape.gradient(y, v)
    assert (gradient.dtype, gradient.numpy().tolist()) == (tf.float32, [3.0, 4.0])


KEYS = {
    "list": ([2, 0],),
    "tuple": (1, (2, 0)),
    "list twice": ([1, 0], [2, 2]),
    "array and slice": (slice(1, None), np.array([3, 0])),
    "apart": ([0, 1], slice(None), [1, 2]),
    "new axis": (None, [1]),
    "ellipsis": (Ellipsis, [0, -1]),
    "mask in part": (slice(None), np.array([True, False, True, False])),
    "a number between": ([1, 0], 2),
    "none chosen": ([],),
}


@pytest.mark.usefixtures("numpy_like")
@pytest.mark.parametrize("name", KEYS)
def test_indexing_as_in_numpy(name: str) -> None:
    array = np.arange(60).reshape(3, 4, 5)
    np.testing.assert_array_equal(tf.constant(array)[KEYS[name]], array[KEYS[name]])


@pytest.mark.usefixtures("numpy_like")
def test_indices_may_be_tensors_and_are_looked_at() -> None:
    x = tf.Variable([[1.0, 2.0], [3.0, 4.0]])
    rows = tf.constant([1, 1, 0])
    with tf.GradientTape() as tape:
        y = tf.reduce_sum((x * 1)[rows, tf.constant([0, 0, 1])])
    np.testing.assert_array_equal(tape.gradient(y, x), [[0, 1], [2, 0]])
    with pytest.raises(tf.errors.InvalidArgumentError, match=r"index 2 out of bounds.*\[-2, 2\)"):
        tf.constant([[1.0], [2.0]])[[0, 2]].numpy()
    with pytest.raises(tf.errors.InvalidArgumentError, match="too many indices; got 3"):
        tf.constant([[1.0], [2.0]])[[0], [0], [0]]
    with pytest.raises(
        tf.errors.InvalidArgumentError, match="expected integers or truth values; got .* float64"
    ):
        tf.constant([[1.0], [2.0]])[[0.5]]


@pytest.mark.usefixtures("numpy_like")
def test_a_model_trains_all_the_same() -> None:
    model = tf.keras.Sequential([tf.keras.layers.Dense(1)])
    model.compile("adam", "mse")
    history = model.fit(np.ones([4, 2], np.float32), np.ones([4, 1], np.float32), epochs=2, verbose=0)
    assert history.history["loss"][1] < history.history["loss"][0]
    assert model.trainable_variables[0].dtype == tf.float32


@pytest.mark.usefixtures("numpy_like")
def test_float32_may_be_preferred() -> None:
    tnp.experimental_enable_numpy_behavior(prefer_float32=True)
    assert tnp.array([1.5]).dtype == tnp.ones(2).dtype == tnp.sqrt([4]).dtype == tf.float32
    assert tnp.array([1]).dtype == tf.int64
    assert (tf.ones([1], tf.int32) + 1.5).dtype == tnp.random.rand(2).dtype == tf.float32
    assert tnp.result_type(tf.int8, 1.5) == tf.float32


def test_other_modes_are_refused() -> None:
    with pytest.raises(ValueError, match="expected dtype_conversion_mode 'legacy' or 'off'; got .*'safe'"):
        tnp.experimental_enable_numpy_behavior(dtype_conversion_mode="safe")
