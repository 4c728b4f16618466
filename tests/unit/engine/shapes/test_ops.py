"""Ops and layers of every family, at sizes around those that programs are padded to: values, gradients and shapes."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import settings as hypothesis_settings
from hypothesis import strategies as st

import tapeflow as tf
from tapeflow.engine.programs.program import clear_programs, counters
from tapeflow.engine.settings import settings

pytestmark = pytest.mark.slow  # a program is compiled for every size, to compare with

L = tf.keras.layers
SIZES = [6, 4, 5, 7, 8, 9, 3, 16, 17]
"""Sizes of axis 1; the first two are compiled for themselves."""

Layer = Callable[[], Callable[[Any], Any]]


def picture(layer: Any) -> Callable[[Any], Any]:
    """A layer of pictures whose height is what varies."""
    return lambda x: layer(tf.stack([x, x + 1.0, x * x], axis=2))


def _kernel_solved(x: Any) -> Any:
    """What a Gaussian process does with n observations."""
    distance = tf.reduce_sum((x[:, :, None] - x[:, None]) ** 2, -1)
    factor = tf.linalg.cholesky(tf.exp(-distance) + 0.5 * tf.eye(tf.shape(x)[1]))
    given = x[..., :1]
    solved = tf.linalg.cholesky_solve(factor, given)
    return (
        solved,
        tf.math.log(tf.linalg.diag_part(factor)),
        tf.linalg.triangular_solve(factor, given, adjoint=True),
    )


# Of a tensor (2, n, 4); what makes Variables is called once and then used for all sizes.
OPS: dict[str, Callable[[Any], Any]] = {
    "elementwise": lambda x: tf.exp(-x) * tf.sin(x) + tf.math.rsqrt(x * x + 1.0),
    "reduce": lambda x: (
        tf.reduce_sum(x, 1),
        tf.reduce_mean(x),
        tf.reduce_max(x, [0, 1]),
        tf.reduce_prod(x, 1),
    ),
    "variance": lambda x: (tf.math.reduce_std(x, 1), tf.math.reduce_variance(x), tf.norm(x, axis=1)),
    "moments": lambda x: tf.nn.moments(x, [0, 1]),
    "logsumexp": lambda x: (tf.reduce_logsumexp(x, 1), tf.nn.softmax(x, 1), tf.nn.log_softmax(x, 1)),
    "argmax": lambda x: (
        tf.argmax(x, 1),
        tf.argmin(x, 1),
        tf.reduce_any(x > 0.0, 1),
        tf.math.count_nonzero(x, 1),
    ),
    "matmul": lambda x: (tf.matmul(x, x, transpose_b=True), tf.matmul(x, x, transpose_a=True)),
    "einsum": lambda x: (tf.einsum("bnd,bmd->bnm", x, x), tf.einsum("bnd,bne->de", x, x)),
    "tensordot": lambda x: tf.tensordot(x, tf.ones((4, 3)), 1),
    "reshape": lambda x: (tf.reshape(x, (-1, 4)), tf.reshape(x, (2, -1)), tf.reshape(x, (-1,))),
    "transpose": lambda x: tf.transpose(x, (1, 2, 0)) * 2.0,
    "concat": lambda x: (tf.concat([x, x * 2.0], 1), tf.concat([x[:, :1], x], 1), tf.stack([x, x])),
    "split": lambda x: tf.split(x, 2, axis=2),
    "unstack": lambda x: tf.unstack(x, axis=0),
    "tile": lambda x: (tf.tile(x, (1, 2, 1)), tf.repeat(x, 3, axis=1)),
    "slice": lambda x: (x[:, 1:], x[:, :-1] + x[:, 1:], x[:, -1], x[:, ::-1], x[:, ::2]),
    "pad": lambda x: (tf.pad(x, ((0, 0), (1, 2), (0, 0))), tf.pad(x, ((0, 0), (1, 1), (0, 0)), "REFLECT")),
    "reverse": lambda x: tf.reverse(x, (1,)) * x,
    "roll": lambda x: tf.roll(x, 2, 1) * x,
    "cumulative": lambda x: (
        tf.cumsum(x, 1),
        tf.cumsum(x, 1, exclusive=True, reverse=True),
        tf.math.cumprod(x, 1),
    ),
    "sort": lambda x: (tf.sort(x, 1), tf.argsort(x, 1), tf.sort(x, 1, "DESCENDING")),
    "top k": lambda x: tf.math.top_k(tf.transpose(x, (0, 2, 1)), 2),
    "gather": lambda x: (
        tf.gather(x, [0, 2, 1], axis=1),
        tf.gather(x, tf.range(tf.shape(x)[1])[::-1], axis=1),
    ),
    "gather nd": lambda x: tf.gather_nd(x, [[0, 1], [1, 2]]),
    "scatter": lambda x: tf.tensor_scatter_nd_add(x, [[0, 1], [1, 0]], tf.ones((2, 4))),
    "segments": lambda x: tf.math.unsorted_segment_sum(x[0], tf.range(tf.shape(x)[1]) % 3, 3),
    "one hot": lambda x: tf.one_hot(tf.argmax(x, 1), 5) + tf.reduce_sum(x),
    "where": lambda x: (tf.where(x > 0.0, x, 0.1 * x), tf.clip_by_value(x, -0.5, 0.5)),
    "sequence mask": lambda x: tf.cast(tf.sequence_mask([2, 3], tf.shape(x)[1]), tf.float32)[..., None] * x,
    "band": lambda x: tf.linalg.band_part(tf.matmul(x, x, transpose_b=True), -1, 0),
    "diagonal": lambda x: tf.linalg.diag_part(tf.matmul(x, x, transpose_b=True)),
    "normalize": lambda x: (
        tf.math.l2_normalize(x, 1),
        tf.clip_by_norm(x, 1.0),
        tf.clip_by_global_norm([x], 1.0)[0],
    ),
    "map": lambda x: tf.map_fn(lambda row: row * tf.reduce_sum(row), tf.transpose(x, (1, 0, 2))),
    "scan": lambda x: tf.scan(lambda a, b: 0.5 * a + b, tf.transpose(x, (1, 0, 2))),
    "fold": lambda x: tf.foldl(lambda a, b: 0.5 * a + b, tf.transpose(x, (1, 0, 2))),
    "fourier": lambda x: tf.abs(tf.signal.rfft(tf.transpose(x, (0, 2, 1)))) + 0.0,
    "frames": lambda x: tf.signal.frame(tf.transpose(x, (0, 2, 1)), 2, 1),
    "conv": lambda x: tf.nn.conv1d(x, tf.ones((3, 4, 2)) * 0.3, 1, "SAME"),
    "pool": lambda x: (tf.nn.max_pool1d(x, 2, 2, "VALID"), tf.nn.avg_pool1d(x, 3, 1, "SAME")),
    "cross entropy": lambda x: tf.nn.sparse_softmax_cross_entropy_with_logits(
        tf.zeros(tf.shape(x)[:2], tf.int32), x
    ),
    "random": lambda x: x + tf.random.stateless_normal(tf.shape(x), (1, 2)),
    "linear algebra": lambda x: tf.linalg.inv(tf.matmul(x, x, transpose_a=True) + 9.0 * tf.eye(4)),
    "resize": lambda x: tf.image.resize(x[..., None], (8, 8)),
    "cholesky": lambda x: _kernel_solved(x),
    "patches": lambda x: (
        tf.image.extract_patches(x[..., None], [1, 2, 2, 1], [1, 2, 2, 1], [1, 1, 1, 1], "SAME"),
        tf.image.extract_patches(x[..., None], [1, 3, 3, 1], [1, 2, 1, 1], [1, 1, 1, 1], "VALID"),
    ),
    "cropped": lambda x: (x[:, 1:-1], tf.image.central_crop(x[..., None], 0.5)),
    "resize to more": lambda x: (
        tf.image.resize(x[..., None], (9, 5), "bicubic"),
        tf.image.resize(x[..., None], (5, 5), "area"),
        tf.image.resize(x[..., None], (3, 4), "nearest"),
        tf.image.resize(x[..., None], (3, 4), "lanczos3", antialias=True),
    ),
    "spectrogram": lambda x: tf.abs(tf.signal.stft(tf.transpose(x, (0, 2, 1)), 4, 2)),
    "frames filled up": lambda x: tf.signal.frame(tf.transpose(x, (0, 2, 1)), 3, 2, pad_end=True),
    "strided conv": lambda x: (
        tf.nn.conv1d(x, tf.ones((3, 4, 2)) * 0.3, 2, "VALID"),
        tf.nn.conv1d(x, tf.ones((2, 4, 2)) * 0.3, 3, "SAME"),
    ),
    "strided pool": lambda x: (tf.nn.max_pool1d(x, 3, 2, "SAME"), tf.nn.avg_pool1d(x, 2, 2, "VALID")),
    "neighbours": lambda x: tf.gather(
        x, tf.math.top_k(tf.matmul(x, x, transpose_b=True), 2)[1], batch_dims=1
    ),
    "size as value": lambda x: x / tf.cast(tf.shape(x)[1], tf.float32) + tf.cast(tf.size(x), tf.float32),
}
LAYERS: dict[str, Layer] = {
    "Dense": lambda: L.Dense(3, activation="gelu"),
    "EinsumDense": lambda: L.EinsumDense("bnd,de->bne", output_shape=(None, 3)),
    "LayerNormalization": lambda: L.LayerNormalization(),
    "LayerNormalization over the length": lambda: (
        lambda x: L.LayerNormalization(center=False, scale=False)(tf.transpose(x, (0, 2, 1)))
    ),
    "BatchNormalization": lambda: L.BatchNormalization(),
    "GroupNormalization": lambda: L.GroupNormalization(2),
    "UnitNormalization": lambda: L.UnitNormalization(axis=1),
    "LSTM": lambda: L.LSTM(3, return_sequences=True),
    "GRU": lambda: L.GRU(3),
    "SimpleRNN": lambda: L.SimpleRNN(3, go_backwards=True),
    "Bidirectional": lambda: L.Bidirectional(L.LSTM(2)),
    "Conv1D": lambda: L.Conv1D(3, 3),
    "Conv1D causal": lambda: L.Conv1D(3, 2, padding="causal", dilation_rate=2),
    "Conv1D strided": lambda: L.Conv1D(3, 3, strides=2),
    "SeparableConv1D": lambda: L.SeparableConv1D(3, 3, padding="same"),
    "Conv1DTranspose": lambda: L.Conv1DTranspose(3, 3, strides=2, padding="same"),
    "Conv2D": lambda: picture(L.Conv2D(3, 3, padding="same")),
    "DepthwiseConv2D": lambda: picture(L.DepthwiseConv2D(3, padding="same")),
    "MaxPooling1D": lambda: L.MaxPooling1D(2),
    "AveragePooling1D": lambda: L.AveragePooling1D(2, strides=1, padding="same"),
    "GlobalAveragePooling1D": lambda: L.GlobalAveragePooling1D(),
    "GlobalMaxPooling1D": lambda: L.GlobalMaxPooling1D(),
    "MaxPooling2D": lambda: picture(L.MaxPooling2D(2, padding="same")),
    "MultiHeadAttention": lambda: (lambda layer: lambda x: layer(x, x))(L.MultiHeadAttention(2, 3)),
    "causal attention": lambda: (lambda layer: lambda x: layer(x, x, use_causal_mask=True))(
        L.MultiHeadAttention(2, 3)
    ),
    "Attention": lambda: (lambda layer: lambda x: layer([x, x]))(L.Attention(use_scale=True)),
    "AdditiveAttention": lambda: (lambda layer: lambda x: layer([x, x]))(L.AdditiveAttention()),
    "strided Conv2D": lambda: picture(L.Conv2D(3, 3, strides=2)),
    "UpSampling2D, bilinear": lambda: picture(L.UpSampling2D(2, interpolation="bilinear")),
    "UpSampling1D": lambda: L.UpSampling1D(2),
    "ZeroPadding1D": lambda: L.ZeroPadding1D((1, 2)),
    "Cropping1D": lambda: L.Cropping1D((1, 0)),
    "RepeatVector": lambda: lambda x: L.RepeatVector(3)(x[:, 0]) + tf.reduce_sum(x),
    "Permute": lambda: L.Permute((2, 1)),
    "Flatten": lambda: L.Flatten(),
    "TimeDistributed": lambda: L.TimeDistributed(L.Dense(3)),
    "Masking": lambda: (
        lambda x: L.LSTM(2, kernel_initializer="ones", recurrent_initializer="ones")(L.Masking()(x))
    ),
    "Softmax": lambda: L.Softmax(axis=1),
    "Add": lambda: lambda x: L.Add()([x, x]) + L.Concatenate(axis=1)([x, x])[:, :1],
    "Dot": lambda: lambda x: L.Dot(axes=(2, 2))([x, x]),
}


APART = {"reduce", "cumulative", "fourier"}
"""Compiled for every size: gradients of products, and Fourier transforms, which depend on the length as a whole."""

# From (2, n, 4) to (2, m, 4).
LINKS: list[Callable[[Any], Any]] = [
    lambda x: tf.sin(x) + x,
    lambda x: tf.nn.softmax(x, 1) * x,
    lambda x: tf.concat([x, x[:, :1]], 1),
    lambda x: x[:, 1:],
    lambda x: x[:, ::2],
    lambda x: tf.reverse(x, [1]) * 0.5,
    lambda x: tf.nn.max_pool1d(x, 2, 2, "SAME"),
    lambda x: tf.nn.conv1d(x, tf.ones((3, 4, 4)) * 0.2, 1, "SAME"),
    lambda x: tf.nn.conv1d(x, tf.ones((2, 4, 4)) * 0.2, 2, "SAME"),
    lambda x: tf.matmul(tf.nn.softmax(tf.matmul(x, x, transpose_b=True)), x),
    lambda x: x - tf.reduce_mean(x, 1, keepdims=True),
    lambda x: tf.cumsum(x, 1) / 3.0,
    lambda x: tf.gather(x, tf.argsort(x[0, :, 0]), axis=1),
    lambda x: tf.pad(x, [[0, 0], [1, 0], [0, 0]]),
    lambda x: tf.repeat(x, 2, axis=1)[:, :-1],
]
EDGES = [3, 4, 5, 7, 8, 9, 15, 16, 17, 31, 32, 33]


@pytest.fixture(autouse=True)
def _no_programs() -> Iterator[None]:
    clear_programs()
    yield
    clear_programs()


def arrays(sizes: list[int]) -> list[np.ndarray]:
    random = np.random.default_rng(0)
    return [random.normal(size=(2, n, 4)).astype(np.float32) for n in sizes]


def results(function: Callable[[Any], Any], sizes: list[int] = SIZES) -> list[list[np.ndarray]]:
    """What a function gives for every size, and the gradient of the sum of its squares."""

    @tf.function(reduce_retracing=True)
    def step(x: Any) -> Any:
        with tf.GradientTape() as tape:
            tape.watch(x)
            given = tf.nest.flatten(function(x))
            squares = [tf.reduce_sum(tf.cast(g, tf.float32) ** 2) for g in given]
        gradient = tape.gradient(squares, x, unconnected_gradients=tf.UnconnectedGradients.ZERO)
        return [*given, gradient]

    return [[tensor.numpy() for tensor in step(tf.constant(x))] for x in arrays(sizes)]


def assert_equal_to_exact(make: Layer, sizes: list[int] = SIZES, is_apart: bool = False) -> None:
    found = []
    for settings.shares_programs in (True, False):
        clear_programs()
        tf.keras.utils.set_random_seed(1)
        before = counters.compiled
        found.append(results(make(), sizes))
        if settings.shares_programs and not is_apart:
            assert counters.compiled - before < len(sizes)
    for size, shared, exact in zip(sizes, *found, strict=True):
        for one, other in zip(shared, exact, strict=True):
            assert one.shape == other.shape
            assert one.dtype == other.dtype
            np.testing.assert_allclose(one, other, rtol=2e-4, atol=2e-5, err_msg=f"size {size}")


@pytest.mark.parametrize("name", OPS)
def test_op(name: str) -> None:
    assert_equal_to_exact(lambda: OPS[name], is_apart=name in APART)


@pytest.mark.parametrize("name", LAYERS)
def test_layer(name: str) -> None:
    assert_equal_to_exact(LAYERS[name])


@hypothesis_settings(max_examples=15, deadline=None)
@given(
    st.lists(st.sampled_from(range(len(LINKS))), min_size=1, max_size=4),
    st.lists(st.sampled_from(EDGES), min_size=5, max_size=7, unique=True),
)
def test_any_chain_at_any_sizes(chosen: list[int], sizes: list[int]) -> None:
    def chain(x: Any) -> Any:
        for link in chosen:
            x = LINKS[link](x)
        return x

    assert_equal_to_exact(
        lambda: chain, sizes, is_apart=True
    )  # a chain may be too short for the least of its sizes
