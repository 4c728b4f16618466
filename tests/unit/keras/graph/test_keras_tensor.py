"""Symbolic tensors: what they are and refuse to be."""

from __future__ import annotations

import copy
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import tapeflow as tf


@pytest.fixture
def x() -> Any:
    return tf.keras.Input((4,), name="x")


def test_it_knows_shape_dtype_and_history(x: Any) -> None:
    dense = tf.keras.layers.Dense(2, name="dense_here")
    y = dense(x)
    assert (y.shape.as_list(), y.dtype, y.ndim, y.rank) == ([None, 2], tf.float32, 2, 2)
    assert y.get_shape() == y.shape
    assert y._keras_history == (dense, 0, 0)
    assert y.type_spec == tf.TensorSpec((None, 2), tf.float32)
    assert repr(y) == "<KerasTensor: shape=(None, 2) dtype=float32 (created by layer 'dense_here')>"
    assert tf.keras.backend.is_keras_tensor(y)
    assert copy.deepcopy(y) is y
    y.set_shape((3, 2))
    assert y.shape.as_list() == [3, 2]


@pytest.mark.parametrize(
    ("name", "operate"),
    [
        ("tf.__operators__.add", lambda x: x + 1.0),
        ("tf.math.subtract", lambda x: 2.0 - x),
        ("tf.math.multiply", lambda x: np.float32(2.0) * x),
        ("tf.math.truediv", lambda x: x / 2.0),
        ("tf.compat.v1.floor_div", lambda x: x // 2.0),
        ("tf.math.floormod", lambda x: x % 2.0),
        ("tf.math.pow", lambda x: x**2),
        ("tf.linalg.matmul", lambda x: x @ tf.ones((4, 3))),
        ("tf.math.less", lambda x: x < 0.0),
        ("tf.math.less_equal", lambda x: x <= 0.0),
        ("tf.math.greater", lambda x: x > 0.0),
        ("tf.math.greater_equal", lambda x: x >= 0.0),
        ("tf.__operators__.eq", lambda x: x == 1.0),
        ("tf.__operators__.ne", lambda x: x != 1.0),
        ("tf.math.negative", lambda x: -x),
        ("tf.math.abs", lambda x: abs(x)),
        ("tf.math.logical_not", lambda x: ~(x > 0.0)),
        ("tf.math.logical_and", lambda x: (x > 0.0) & (x < 1.0)),
        ("tf.math.logical_or", lambda x: (x > 0.0) | (x < -1.0)),
        ("tf.__operators__.getitem", lambda x: x[..., ::2]),
    ],
)
def test_operators_are_layers_named_as_in_keras(name: str, operate: Callable[[Any], Any], x: Any) -> None:
    tf.keras.backend.clear_session()
    symbol = operate(x)
    assert symbol.node.layer.name.removesuffix("_1") == name
    data = np.linspace(-2, 2, 12, dtype="float32").reshape(3, 4)
    np.testing.assert_array_equal(tf.keras.Model(x, symbol)(data), operate(tf.constant(data)))


@pytest.mark.parametrize("ask", [float, bool, len, np.asarray, lambda x: x.numpy(), lambda x: int(x)])
def test_it_has_no_value(ask: Callable[[Any], Any], x: Any) -> None:
    with pytest.raises(TypeError, match="which has none until the model is called with data"):
        ask(x)


def test_it_is_iterated_where_its_size_is_known(x: Any) -> None:
    first, second = tf.keras.Input(batch_shape=(2, 3))
    assert first.shape.as_list() == second.shape.as_list() == [3]
    with pytest.raises(TypeError, match="Cannot iterate over a Tensor with unknown first dimension"):
        list(x)


def test_it_is_a_key_by_identity(x: Any) -> None:
    other = tf.keras.Input((4,))
    assert {x: 1, other: 2}[x] == 1
    assert x.ref() == x.ref()
    assert x.ref() != other.ref()


def test_printed() -> None:
    x = tf.keras.Input((2,), name="shown")
    spec = "TensorSpec(shape=(None, 2), dtype=tf.float32, name='shown')"
    assert str(x) == f"KerasTensor(type_spec={spec}, name='shown', description=\"created by layer 'shown'\")"
    y = tf.keras.layers.Dense(3, name="shown_dense")(x)
    assert str(y).startswith(
        "KerasTensor(type_spec=TensorSpec(shape=(None, 3), dtype=tf.float32, name=None), name="
    )


def test_a_mask_is_a_symbol_too(x: Any) -> None:
    assert not hasattr(x, "_keras_mask")
    tokens = tf.keras.Input((None,), dtype="int32")
    mask = tf.keras.layers.Embedding(5, 2, mask_zero=True)(tokens)._keras_mask
    assert (mask.shape.as_list(), mask.dtype) == ([None, None], tf.bool)
    model = tf.keras.Model(tokens, tf.cast(mask, tf.int32))
    again = tf.keras.Model.from_config(model.get_config())
    for each in (model, again):
        assert each(tf.constant([[3, 0]])).numpy().tolist() == [[1, 0]]
