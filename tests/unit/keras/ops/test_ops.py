"""`tf.keras.ops` on symbols, and what its functions refuse."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import tapeflow as tf

ops = tf.keras.ops
A = np.array([[1.0, -2.0, 3.0], [0.5, 0.25, -1.5]], np.float32)
N = np.array([[3, 1, 2], [6, 4, 5]], np.int32)
S = np.array([[4.0, 1.0, 0.5], [1.0, 3.0, 0.2], [0.5, 0.2, 2.0]], np.float32)
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


# Keras 3's numbers, or numpy's.
NEW: list[tuple[Any, Any]] = [
    (lambda: ops.correlate(V, np.array([0.0, 1.0, 0.5], np.float32)), [3.5]),
    (lambda: ops.correlate(V, V[:2], "full"), np.correlate(V, V[:2], "full")),
    (lambda: ops.correlate(V[:2], V, "same"), np.correlate(V[:2], V, "same")),
    (lambda: ops.trapezoid(A, axis=0), np.trapezoid(A, axis=0)),
    (lambda: ops.trapezoid(V, x=np.array([0.0, 1.0, 4.0])), np.trapezoid(V, [0.0, 1.0, 4.0])),
    (lambda: ops.take(V, ops.argpartition(V[::-1], 1)), V[np.argsort(V[::-1])]),
    (lambda: ops.associative_scan(lambda a, b: a * b, V), [1, 2, 6]),
    (
        lambda: ops.associative_scan(lambda a, b: a + b, N, reverse=True, axis=1),
        N[:, ::-1].cumsum(1)[:, ::-1],
    ),
    (lambda: ops.conv_transpose(np.ones((1, 2, 2, 1)), np.ones((2, 2, 1, 1)), 2), np.ones((1, 4, 4, 1))),
    (lambda: ops.nn.relu(A), A.clip(0)),
    (lambda: ops.numpy.sum(A), A.sum()),
    (lambda: ops.linalg.det(S), np.linalg.det(S)),
]


@pytest.mark.parametrize("case", range(len(NEW)))
def test_further_functions(case: int) -> None:
    call, expected = NEW[case]
    np.testing.assert_allclose(np.asarray(call()), expected, rtol=1e-5, atol=1e-5)


def test_factors_of_a_matrix() -> None:
    factors, order = ops.lu_factor(S)
    lower, upper = np.tril(factors, -1) + np.eye(3), np.triu(factors)
    np.testing.assert_allclose((lower @ upper)[np.asarray(order)], S, atol=1e-5)


@pytest.mark.parametrize("padding", ["valid", "same"])
@pytest.mark.parametrize("output_padding", [None, 0, 1])
def test_sizes_of_transposed_convolutions(padding: str, output_padding: int | None) -> None:
    layer = tf.keras.layers.Conv2DTranspose(
        2, 3, strides=2, padding=padding, output_padding=output_padding, use_bias=False
    )
    x = np.random.default_rng(0).normal(size=(1, 4, 5, 3)).astype(np.float32)
    expected = layer(x)
    found = ops.conv_transpose(x, layer.kernel, 2, padding, output_padding)
    assert found.shape == expected.shape
    np.testing.assert_allclose(found, expected, atol=1e-5)


def test_an_unknown_mode_of_correlation() -> None:
    with pytest.raises(ValueError, match="correlate expected mode to be 'valid', 'same' or 'full'"):
        ops.correlate(V, V, "inner")


def test_symbols_made_by_hand() -> None:
    assert ops.add(tf.keras.KerasTensor((2, 3)), 1.0).shape == (2, 3)
