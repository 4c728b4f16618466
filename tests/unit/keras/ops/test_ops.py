"""`tf.keras.ops`: what Keras 3 gives for the same calls, symbols and all."""

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
NAN = np.array([[1.0, np.nan, 3.0], [np.nan, 5.0, 6.0]], np.float32)

# Every case says the same as numpy.
ALIKE: list[tuple[Any, Any]] = [
    (lambda: ops.mean(A, axis=(0, 1)), A.mean()),
    (lambda: ops.mean(N), N.mean()),
    (lambda: ops.std(A, axis=1, keepdims=True), A.std(1, keepdims=True)),
    (lambda: ops.sum(A > 0), 4),
    (lambda: ops.max(A > 0, axis=1), [True, True]),
    (lambda: ops.quantile(A, [0.1, 0.9], axis=1), np.quantile(A, [0.1, 0.9], axis=1)),
    (lambda: ops.median(A, axis=0, keepdims=True), np.median(A, 0, keepdims=True)),
    (lambda: ops.average(A, axis=1, weights=V), np.average(A, 1, V)),
    (lambda: ops.argmax(A), 2),
    (lambda: ops.cumsum(A), A.cumsum()),
    (lambda: ops.nanmean(NAN, axis=0), np.nanmean(NAN, 0)),
    (lambda: ops.nanstd(NAN), np.nanstd(NAN)),
    (lambda: ops.nan_to_num(NAN, nan=7.0), np.nan_to_num(NAN, nan=7.0)),
    (lambda: ops.add(N, 1.5), N + 1.5),
    (lambda: ops.divide(N, 2), N / 2),
    (lambda: ops.floor_divide(N, 2), N // 2),
    (lambda: ops.mod(A, 2), A % 2),
    (lambda: ops.logaddexp(A, 1.0), np.logaddexp(A, 1.0)),
    (lambda: ops.heaviside(A, 0.5), np.heaviside(A, 0.5)),
    (lambda: ops.sinc(A), np.sinc(A)),
    (lambda: ops.trunc(A), np.trunc(A)),
    (lambda: ops.round(A * 1.234, 1), np.round(A * 1.234, 1)),
    (lambda: ops.isclose(A, A + 1e-7), True),
    (lambda: ops.where(A > 0, A, 0.0), np.where(A > 0, A, 0)),
    (lambda: ops.stack(ops.nonzero(A > 1)), np.stack(np.nonzero(A > 1))),
    (lambda: ops.select([A > 1, A < 0], [A, -A], default=5.0), np.select([A > 1, A < 0], [A, -A], 5)),
    (lambda: ops.matmul(A, S), A @ S),
    (lambda: ops.matmul(S, V), S @ V),
    (lambda: ops.dot(V, V), V @ V),
    (lambda: ops.tensordot(A, A, axes=2), np.tensordot(A, A, 2)),
    (lambda: ops.einsum("ij,kj->ik", A, A), A @ A.T),
    (lambda: ops.kron(A, A), np.kron(A, A)),
    (lambda: ops.cross(V, V[::-1]), np.cross(V, V[::-1])),
    (lambda: ops.inv(S), np.linalg.inv(S)),
    (lambda: ops.solve(S, V), np.linalg.solve(S, V)),
    (lambda: ops.lstsq(A.T, V), np.linalg.lstsq(A.T, V, None)[0]),
    (lambda: ops.norm(A, ord="nuc"), np.linalg.norm(A, "nuc")),
    (lambda: ops.norm(A, ord=1), np.linalg.norm(A, 1)),
    (lambda: ops.norm(V, ord=3), np.linalg.norm(V, 3)),
    (lambda: ops.stack(ops.rfft(V)), np.stack([np.fft.rfft(V).real, np.fft.rfft(V).imag])),
    (lambda: ops.arange(1, 7, 2), np.arange(1, 7, 2)),
    (lambda: ops.linspace(0, 1, 5, endpoint=False), np.linspace(0, 1, 5, endpoint=False)),
    (lambda: ops.geomspace(1, 100, 3), [1, 10, 100]),
    (lambda: ops.moveaxis(A[None], (0, 1), (2, 0)), np.moveaxis(A[None], (0, 1), (2, 0))),
    (lambda: ops.rot90(A, -1), np.rot90(A, -1)),
    (lambda: ops.tile(A, (2, 1, 1)), np.tile(A, (2, 1, 1))),
    (
        lambda: ops.pad(A, ((0, 1), (1, 0)), constant_values=3.0),
        np.pad(A, ((0, 1), (1, 0)), constant_values=3),
    ),
    (lambda: ops.tril(A, 1), np.tril(A, 1)),
    (lambda: ops.trace(S, offset=1), np.trace(S, 1)),
    (lambda: ops.concatenate([A, N], axis=None), np.concatenate([A, N], None)),
    (lambda: ops.dstack([V, V]), np.dstack([V, V])),
    (lambda: ops.array_split(V, 2)[0], [1, 2]),
    (lambda: ops.take(A, [0, -1], axis=1), A[:, [0, -1]]),
    (lambda: ops.take_along_axis(A, np.argsort(A, 0), axis=0), np.sort(A, 0)),
    (lambda: ops.slice_update(A, (0, 1), np.zeros((2, 2), np.float32)), A * [1, 0, 0]),
    (lambda: ops.scatter_update(V, [[0], [0]], [9.0, 8.0], reduction="add"), [18, 2, 3]),
    (lambda: ops.diff(V, n=2), [0]),
    (lambda: ops.digitize(A, [-1.0, 0.0, 1.0]), np.digitize(A, [-1, 0, 1])),
    (lambda: ops.histogram(V, 2)[0], [1, 2]),
    (lambda: ops.isin(N, [1, 4], invert=True), np.isin(N, [1, 4], invert=True)),
    (lambda: ops.unique([3, 1, 3], return_counts=True)[1], [1, 2]),
    (lambda: ops.multi_hot([[0, 2], [1, 1]], 3), [[1, 0, 1], [0, 1, 0]]),
    (lambda: ops.softmax(A, axis=None), np.exp(A) / np.exp(A).sum()),
    (lambda: ops.rms_normalization(A), A / np.sqrt((A**2).mean(-1, keepdims=True) + 1e-7)),
    (lambda: ops.max_pool(A[None, ..., None], 2, 1), [[[[1], [3]]]]),
    (lambda: ops.conv(A[None, ..., None], np.ones((2, 2, 1, 1), np.float32)), [[[[-0.25], [-0.25]]]]),
    (lambda: ops.fori_loop(0, 4, lambda i, x: x + i, 0), 6),
    (lambda: ops.while_loop(lambda i, x: i < 3, lambda i, x: (i + 1, x * 2.0), (0, 1.0))[1], 8),
    (lambda: ops.scan(lambda total, x: (total + x, total), 0.0, V)[1], [0, 1, 3]),
    (lambda: ops.map(lambda x: x * 2, V), V * 2),
]


@pytest.mark.parametrize(("call", "expected"), ALIKE, ids=range(len(ALIKE)))
def test_functions_give_known_values(call: Any, expected: Any) -> None:
    np.testing.assert_allclose(np.asarray(call()), expected, rtol=2e-5, atol=1e-6)


@pytest.mark.parametrize(
    ("call", "dtype"),
    [
        (lambda: ops.array(1), "int32"),
        (lambda: ops.array([1.0]), "float32"),
        (lambda: ops.add(N, 1.5), "float32"),
        (lambda: ops.add(A, 1), "float32"),
        (lambda: ops.add(tf.constant(1, tf.int64), A), "float32"),
        (lambda: ops.mean(N), "float32"),
        (lambda: ops.argmax(A), "int32"),
        (lambda: ops.sqrt(N), "float32"),
        (lambda: ops.relu(N), "int32"),
        (lambda: ops.shape(A)[0], "int"),
    ],
    ids=range(10),
)
def test_functions_give_known_dtypes(call: Any, dtype: str) -> None:
    found = call()
    assert (found.dtype.name if tf.is_tensor(found) else type(found).__name__) == dtype


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


def test_attention_masks_and_biases() -> None:
    x = np.arange(24, dtype=np.float32).reshape(1, 3, 2, 4) / 10
    found = ops.dot_product_attention(x, x, x, is_causal=True)
    np.testing.assert_allclose(found[:, 0], x[:, 0], rtol=1e-6)
    masked = ops.dot_product_attention(x, x, x, mask=np.tri(3, dtype=bool)[None, None])
    np.testing.assert_allclose(found, masked, rtol=1e-6)


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
