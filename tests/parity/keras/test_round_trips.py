"""One model for every family of layers goes through files from Keras 3 to here and back."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from types import ModuleType
from typing import Any

import numpy as np
import pytest

import tapeflow as tf

RNG = np.random.default_rng(2)
pytestmark = pytest.mark.slow


def normal(*shape: int) -> np.ndarray:
    return RNG.normal(size=shape).astype("float32")


def chain(K: Any, shape: tuple[int, ...], *layers: Any) -> tuple[Any, Any]:
    return K.Sequential([K.Input(shape), *layers]), normal(3, *shape)


def convolutions_1d(K: Any) -> tuple[Any, Any]:
    L = K.layers
    return chain(
        K,
        (12, 3),
        L.ZeroPadding1D(2),
        L.Conv1D(4, 3, dilation_rate=2, activation="relu"),
        L.SeparableConv1D(5, 3, padding="same", depth_multiplier=2),
        L.DepthwiseConv1D(3),
        L.Conv1DTranspose(3, 4, strides=2),
        L.UpSampling1D(2),
        L.Cropping1D((1, 2)),
    )


def convolutions_2d(K: Any) -> tuple[Any, Any]:
    L = K.layers
    return chain(
        K,
        (8, 8, 4),
        L.Conv2D(4, 3, groups=2, padding="same", bias_initializer="ones"),
        L.Conv2D(6, (3, 2), strides=(2, 1), use_bias=False),
        L.Cropping2D(((0, 1), (1, 0))),
        L.Conv2DTranspose(3, 3, output_padding=1, strides=2),
    )


def convolutions_3d(K: Any) -> tuple[Any, Any]:
    L = K.layers
    return chain(
        K,
        (5, 6, 5, 2),
        L.ZeroPadding3D(1),
        L.Conv3D(3, 3, activation="elu"),
        L.Conv3DTranspose(2, 2, strides=2),
        L.Cropping3D(1),
        L.UpSampling3D(2),
        L.MaxPooling3D(2),
        L.AveragePooling3D(2, padding="same"),
        L.GlobalAveragePooling3D(),
    )


def pooling(K: Any) -> tuple[Any, Any]:
    L = K.layers
    x = K.Input((9, 3))
    y = L.Concatenate()([L.MaxPooling1D(2)(x), L.AveragePooling1D(2)(x)])
    return K.Model(x, [L.GlobalMaxPooling1D()(y), L.GlobalAveragePooling1D(keepdims=True)(y)]), normal(
        3, 9, 3
    )


def merging(K: Any) -> tuple[Any, Any]:
    L = K.layers
    a, b = K.Input((4,), name="a"), K.Input((4,), name="b")
    pair = [a, L.Dense(4)(b)]
    kinds = [L.Add, L.Subtract, L.Multiply, L.Average, L.Maximum, L.Minimum, L.Concatenate]
    found = [kind()(pair) for kind in kinds]
    return K.Model([a, b], [*found, L.Dot(1, normalize=True)(pair)]), [normal(3, 4), normal(3, 4)]


def normalizing(K: Any) -> tuple[Any, Any]:
    L = K.layers
    return chain(
        K,
        (6, 4),
        L.BatchNormalization(momentum=0.9, scale=False),
        L.LayerNormalization(axis=[1, 2], epsilon=1e-4),
        L.GroupNormalization(groups=2),
        L.UnitNormalization(),
    )


def activating(K: Any) -> tuple[Any, Any]:
    L = K.layers
    return chain(
        K,
        (5,),
        L.Dense(6, activation="swish"),
        L.PReLU(alpha_initializer="uniform"),
        L.ELU(0.5),
        L.LeakyReLU(0.2),
        L.ReLU(max_value=4.0),
        L.Activation("tanh"),
        L.Softmax(),
    )


def dropping(K: Any) -> tuple[Any, Any]:
    L = K.layers
    return chain(
        K,
        (6, 4),
        L.GaussianNoise(0.1),
        L.GaussianDropout(0.2),
        L.AlphaDropout(0.1),
        L.SpatialDropout1D(0.3),
        L.ActivityRegularization(l2=0.1),
        L.Dense(3),
    )


def reshaping(K: Any) -> tuple[Any, Any]:
    L = K.layers
    return chain(
        K,
        (4, 6),
        L.Permute((2, 1)),
        L.Reshape((3, 8)),
        L.Flatten(),
        L.RepeatVector(2),
        L.Dense(3, kernel_initializer=K.initializers.HeNormal(seed=1)),
    )


def recurrent(K: Any) -> tuple[Any, Any]:
    L = K.layers
    return chain(
        K,
        (6, 3),
        L.Masking(0.5),
        L.SimpleRNN(4, return_sequences=True, activation="relu"),
        L.RNN([L.LSTMCell(3), L.GRUCell(4)], return_sequences=True),
        L.Bidirectional(L.GRU(2, return_sequences=True), merge_mode="sum"),
        L.LSTM(3, go_backwards=True, dropout=0.1, recurrent_dropout=0.1),
    )


def films(K: Any) -> tuple[Any, Any]:
    L = K.layers
    # Keras 2's hard sigmoid, which is its default here, is another one than Keras 3's.
    inner = L.ConvLSTM2D(3, 3, padding="same", return_sequences=True, recurrent_activation="sigmoid")
    last = L.ConvLSTM2D(2, 2, recurrent_activation="sigmoid")
    return chain(K, (3, 5, 5, 2), inner, L.TimeDistributed(L.Conv2D(2, 3)), last)


def attending(K: Any) -> tuple[Any, Any]:
    L = K.layers
    q, v = K.Input((4, 6), name="q"), K.Input((5, 6), name="v")
    y = L.MultiHeadAttention(2, 3, output_shape=6)(q, v)
    y = L.EinsumDense("abc,cd->abd", output_shape=(None, 6), bias_axes="d")(y)
    found = [L.Attention(use_scale=True)([y, v]), L.AdditiveAttention()([y, v])]
    return K.Model([q, v], found), [normal(3, 4, 6), normal(3, 5, 6)]


def preparing(K: Any) -> tuple[Any, Any]:
    L = K.layers
    return chain(
        K,
        (6, 6, 3),
        L.Rescaling(2.0, offset=-1.0),
        L.Normalization(mean=[0.1, 0.2, 0.3], variance=[1.0, 2.0, 3.0]),
        L.Resizing(5, 4),
        L.CenterCrop(4, 4),
        L.RandomFlip("horizontal"),
        L.RandomRotation(0.1),
        L.Conv2D(2, 3),
    )


def counting(K: Any) -> tuple[Any, Any]:
    L = K.layers
    i = K.Input((4,), dtype="int32", name="i")
    hot = L.CategoryEncoding(7, output_mode="multi_hot")(i)
    return K.Model(i, [L.Dense(2)(hot), L.Flatten()(L.Embedding(7, 3)(i))]), RNG.integers(
        0, 7, (3, 4)
    ).astype("int32")


def held_back(K: Any) -> tuple[Any, Any]:
    """Regularizers, constraints and initializers, and a layer that is not trained."""
    L = K.layers
    return chain(
        K,
        (4,),
        L.Dense(
            5,
            kernel_regularizer=K.regularizers.L1L2(0.1, 0.2),
            bias_constraint=K.constraints.NonNeg(),
            kernel_initializer=K.initializers.VarianceScaling(2.0, "fan_out", "uniform", seed=3),
        ),
        L.Dense(3, kernel_constraint=K.constraints.MaxNorm(2.0), trainable=False),
        L.Dense(2, activity_regularizer="l2", kernel_initializer=K.initializers.Orthogonal(seed=3)),
    )


def half(K: Any) -> tuple[Any, Any]:
    L = K.layers
    return chain(K, (4,), L.Dense(5, dtype="mixed_bfloat16"), L.Dense(2, dtype="float32"))


MODELS: list[Callable[[Any], tuple[Any, Any]]] = [
    *(convolutions_1d, convolutions_2d, convolutions_3d, pooling, merging, normalizing, activating, dropping),
    *(reshaping, recurrent, films, attending, preparing, counting, held_back, half),
]
# Keras 3 cannot read `.h5` files of its own with these.
NOT_IN_H5 = (attending, half)


def outputs(model: Any, x: Any) -> list[np.ndarray]:
    found = model(x, training=False)
    return [np.asarray(y, np.float32) for y in (found if isinstance(found, (list, tuple)) else [found])]


def assert_alike(mine: Any, theirs: Any, x: Any) -> None:
    for a, b in zip(outputs(mine, x), outputs(theirs, x), strict=True):
        np.testing.assert_allclose(a, b, rtol=1e-5, atol=1e-5)
    for a, b in zip(mine.get_weights(), theirs.get_weights(), strict=True):
        np.testing.assert_array_equal(np.asarray(a), np.asarray(b))


@pytest.mark.parametrize("make", MODELS, ids=lambda m: m.__name__)
def test_round_trip(make: Any, keras: ModuleType, tmp_path: Path) -> None:
    theirs, x = make(keras)
    theirs.compile("adam", "mse")
    theirs.save(tmp_path / "1.keras")
    mine = tf.keras.models.load_model(tmp_path / "1.keras")
    assert_alike(mine, theirs, x)
    mine.save(tmp_path / "2.keras")
    assert_alike(mine, keras.models.load_model(tmp_path / "2.keras"), x)
    ours, x = make(tf.keras)
    ours.compile("adam", "mse")
    ours.save(tmp_path / "3.keras")
    assert_alike(ours, keras.models.load_model(tmp_path / "3.keras"), x)
    if make not in NOT_IN_H5:
        theirs.save(tmp_path / "1.h5")
        assert_alike(tf.keras.models.load_model(tmp_path / "1.h5"), theirs, x)
    ours.save(tmp_path / "2.h5")
    assert_alike(tf.keras.models.load_model(tmp_path / "2.h5"), ours, x)
