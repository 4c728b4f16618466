"""`tf.keras.ops` on symbols, and what its functions refuse."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import tapeflow as tf

ops = tf.keras.ops
A = np.array([[1.0, -2.0, 3.0], [0.5, 0.25, -1.5]], np.float32)
V = np.array([1.0, 2.0, 3.0], np.float32)


def test_functions_of_symbols_make_a_model_that_is_saved(tmp_path: Any) -> None:
    inputs = tf.keras.Input((3,))
    mean = ops.relu(ops.mean(inputs, axis=-1, keepdims=True) - 1.0)
    outputs = ops.concatenate([mean, ops.softmax(inputs)], axis=-1)
    assert outputs.shape == (None, 4)
    model = tf.keras.Model(inputs, outputs)
    data = np.array([[1.0, 2.0, 6.0]], np.float32)
    model.save(tmp_path / "model.keras")
    for one in (model, tf.keras.models.load_model(tmp_path / "model.keras")):
        np.testing.assert_allclose(one(data)[0, :2], [2.0, 0.006573], rtol=1e-4)


@pytest.mark.parametrize(
    ("call", "text"),
    [
        (lambda: ops.quantile(A, 0.5, method="x"), "quantile expected method to be one of"),
        (
            lambda: ops.scatter_update(V, [[0]], [1.0], reduction="x"),
            "scatter_update expected reduction to be one of",
        ),
        (lambda: ops.norm(A, ord=7), "norm expected ord to be None, 'fro'"),
    ],
)
def test_arguments_that_are_refused(call: Any, text: str) -> None:
    with pytest.raises(ValueError, match=text):
        call()
