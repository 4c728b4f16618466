"""Pooling, global pooling, zero padding and upsampling: values, masks and what they refuse."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import tapeflow as tf

L = tf.keras.layers
K = tf.keras
IMAGE = np.arange(16, dtype="float32").reshape(1, 4, 4, 1)


def test_windows_by_hand() -> None:
    np.testing.assert_array_equal(L.MaxPooling2D()(IMAGE).numpy()[0, :, :, 0], [[5, 7], [13, 15]])
    np.testing.assert_array_equal(L.AveragePooling2D()(IMAGE).numpy()[0, :, :, 0], [[2.5, 4.5], [10.5, 12.5]])
    steps = L.MaxPooling1D(3, 2, "same")(IMAGE.reshape(1, 16, 1)).numpy()
    np.testing.assert_array_equal(steps[0, :, 0], [2, 4, 6, 8, 10, 12, 14, 15])


def test_padding_does_not_count_in_a_mean() -> None:
    found = L.AveragePooling2D(3, 2, "same")(IMAGE).numpy()[0, :, :, 0]
    np.testing.assert_array_equal(found, [[5, 6.5], [11, 12.5]])


def test_a_mask_picks_the_steps_of_a_mean() -> None:
    embedding = L.Embedding(5, 3, mask_zero=True)
    words = tf.constant([[1, 2, 0], [3, 0, 0]])
    found = L.GlobalAveragePooling1D()(embedding(words))
    vectors = embedding.get_weights()[0]
    np.testing.assert_allclose(found.numpy(), [(vectors[1] + vectors[2]) / 2, vectors[3]], rtol=1e-6)
    assert getattr(found, "_keras_mask", None) is None


def test_global_pooling() -> None:
    x = np.random.default_rng(0).normal(size=(2, 3, 4, 5)).astype("float32")
    np.testing.assert_array_equal(L.GlobalMaxPooling2D()(x).numpy(), x.max((1, 2)))
    kept = L.GlobalAveragePooling2D("channels_first", keepdims=True)(x).numpy()
    np.testing.assert_allclose(kept, x.mean((2, 3), keepdims=True), rtol=1e-5, atol=1e-6)


def test_integers_can_be_pooled() -> None:
    assert L.MaxPooling2D()(tf.ones((1, 4, 4, 1), tf.int32)).dtype == tf.int32


def test_upsampling() -> None:
    small = np.array([[1.0, 3.0]], "float32").reshape(1, 1, 2, 1)
    np.testing.assert_array_equal(L.UpSampling2D((1, 2))(small).numpy().ravel(), [1, 1, 3, 3])
    np.testing.assert_array_equal(L.UpSampling2D((1, 2), None, "area")(small).numpy().ravel(), [1, 1, 3, 3])
    np.testing.assert_allclose(
        L.UpSampling2D((1, 2), None, "Bilinear")(small).numpy().ravel(), [1, 1.5, 2.5, 3]
    )
    assert L.UpSampling1D(3)(tf.zeros((2, 4, 1))).shape == (2, 12, 1)
    assert L.UpSampling3D((1, 2, 3))(tf.zeros((1, 2, 2, 2, 1))).shape == (1, 2, 4, 6, 1)


def test_zero_padding() -> None:
    assert L.ZeroPadding1D((1, 2))(tf.ones((1, 2, 1))).numpy().ravel().tolist() == [0, 1, 1, 0, 0]
    assert L.ZeroPadding2D((1, 2)).padding == ((1, 1), (2, 2))
    assert L.ZeroPadding3D(2, "channels_first")(tf.ones((1, 2, 3, 3, 3))).shape == (1, 2, 7, 7, 7)


@pytest.mark.parametrize(
    ("layer", "shape", "expected"),
    [
        (lambda: L.MaxPooling2D(3, 2), (None, None, 9, 3), (None, None, 4, 3)),
        (lambda: L.AveragePooling1D(2, None, "same"), (None, 5, 3), (None, 3, 3)),
        (lambda: L.ZeroPadding2D(1), (None, None, 4, 1), (None, None, 6, 1)),
        (lambda: L.UpSampling2D(2, "channels_first"), (None, 3, None, 4), (None, 3, None, 8)),
        (lambda: L.GlobalMaxPooling3D(), (None, None, 2, 2, 5), (None, 5)),
    ],
)
def test_sizes_may_be_unknown(layer: Any, shape: Any, expected: Any) -> None:
    assert tuple(layer().compute_output_shape(shape)) == expected
    assert tuple(layer()(K.Input(shape[1:])).shape) == expected


_REFUSED = [
    (
        lambda: L.MaxPooling2D(0),
        ValueError,
        r"`pool_size` argument must be a tuple of 2 integers. Received: 0",
    ),
    (lambda: L.MaxPooling2D(2, 0), ValueError, r"`strides` argument .* including \{0\}"),
    (
        lambda: L.MaxPooling2D(padding="causal"),
        ValueError,
        r'`padding` argument must be one of "valid", "same"',
    ),
    (lambda: L.MaxPooling2D()(tf.zeros((4, 4, 1))), ValueError, r"expected ndim=4, found ndim=3"),
    (
        lambda: L.MaxPooling2D()(K.Input((1, 4, 1))),
        ValueError,
        r"Negative dimension size caused by subtracting 2 from 1",
    ),
    (
        lambda: L.GlobalAveragePooling2D()(tf.zeros((1, 0, 4, 2))),
        ValueError,
        r"Incorrect input shape \[1, 0, 4, 2\] with dimension 0 at reduction axis 1",
    ),
    (
        lambda: L.UpSampling2D(interpolation="foo"),
        NotImplementedError,
        r"Value not recognized for `interpolation`: foo. Supported values are: \['nearest'",
    ),
    (lambda: L.UpSampling2D((2, 2, 2)), ValueError, r"`size` argument must be a tuple of 2 integers"),
    (
        lambda: L.ZeroPadding2D((1, 2, 3)),
        ValueError,
        r"`padding` should have two elements. Received: \(1, 2, 3\)",
    ),
    (lambda: L.ZeroPadding3D((1, 2)), ValueError, r"`padding` should have 3 elements"),
    (lambda: L.ZeroPadding2D(1.5), ValueError, r"`padding` should be either an int, a tuple of 2 ints"),
    (
        lambda: L.ZeroPadding2D(((1, 2, 3), 1)),
        ValueError,
        r"`1st entry of padding` argument must be a tuple of 2",
    ),
    (lambda: L.ZeroPadding1D(-1), ValueError, r"does not satisfy the requirement `>= 0`"),
]


@pytest.mark.parametrize(("call", "error", "text"), _REFUSED, ids=[t for *_, t in _REFUSED])
def test_wrong_arguments_raise(call: Any, error: type[Exception], text: str) -> None:
    with pytest.raises(error, match=text):
        call()


def test_aliases() -> None:
    for rank in (1, 2, 3):
        assert getattr(L, f"MaxPool{rank}D") is getattr(L, f"MaxPooling{rank}D")
        assert getattr(L, f"AvgPool{rank}D") is getattr(L, f"AveragePooling{rank}D")
        assert getattr(L, f"GlobalMaxPool{rank}D") is getattr(L, f"GlobalMaxPooling{rank}D")
        assert getattr(L, f"GlobalAvgPool{rank}D") is getattr(L, f"GlobalAveragePooling{rank}D")
