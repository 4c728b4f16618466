"""Models of every family of layers, by name, each made by a function that takes no arguments."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

import tapeflow as tf

K, L, Input = tf.keras, tf.keras.layers, tf.keras.Input
ACTIVATIONS = [
    "elu", "exponential", "gelu", "hard_sigmoid", "leaky_relu", "linear", "log_softmax", "mish", "relu6", "selu",
    "sigmoid", "softplus", "softsign", "swish",
]  # fmt: skip


def _stack(shape: Any, *layers: Callable[[], Any], dtype: Any = None) -> Callable[[], Any]:
    return lambda: K.Sequential([Input(shape, dtype=dtype), *[make() for make in layers]])


TEXTS = ["The cat sat, on the mat!", "cat", "über den dog", "", "zebra"]
TERMS = ["cat", "dog", "mat"]


def _text(*layers: Callable[[], Any]) -> Callable[[], Any]:
    return _stack((1,), *layers, dtype=tf.string)


def _vectorization(**options: Any) -> Any:
    layer = L.TextVectorization(**options)
    layer.adapt(TEXTS[:2])
    return layer


def _attention(length: int | None) -> Callable[[], Any]:
    def make() -> Any:
        x = Input((length, 8))
        y = L.MultiHeadAttention(2, 4)(x, x, use_causal_mask=length is None)
        y = L.LayerNormalization()(x + y)
        return K.Model(x, L.GlobalMaxPooling1D()(L.Dense(16, "gelu")(y)))

    return make


def _two_attentions() -> Any:
    a, b = Input((5, 4)), Input((6, 4))
    return K.Model([a, b], [L.Attention()([a, b]), L.AdditiveAttention()([a, b])])


def _merges() -> Any:
    pair = [Input((5,)), Input((5,))]
    kinds = [L.Add, L.Multiply, L.Average, L.Maximum, L.Minimum, L.Subtract, L.Concatenate]
    return K.Model(pair, [*[kind()(pair) for kind in kinds], L.Dot(1)(pair)])


def _ops() -> Any:
    x = Input((5,))
    y = tf.transpose(tf.reshape(tf.concat([x, tf.square(x)], -1), (-1, 2, 5)), (0, 2, 1))
    return K.Model(x, [tf.reduce_sum(y, -1) + tf.nn.relu(x)[:, ::-1], y[:, 1:3]])


def _u_net() -> Any:
    x = Input((None, None, 3))
    a = L.Conv2D(4, 3, padding="same")(x)
    b = L.UpSampling2D()(L.Conv2D(4, 3, padding="same")(L.MaxPooling2D()(a)))
    return K.Model(x, L.Conv2D(1, 1)(L.Concatenate()([a, b])))


def _residual() -> Any:
    x = y = Input((16, 16, 3))
    y = L.Conv2D(4, 3, padding="same")(y)
    for _ in range(2):
        y = L.add([y, L.ReLU()(L.BatchNormalization()(L.Conv2D(4, 3, padding="same", use_bias=False)(y)))])
    return K.Model(x, L.Dense(3)(L.GlobalAveragePooling2D()(y)))


MODELS: dict[str, Callable[[], Any]] = {
    **{f"act_{name}": _stack((8,), lambda name=name: L.Dense(4, name)) for name in ACTIVATIONS},
    "dense": _stack((8,), lambda: L.Dense(4, "relu"), lambda: L.Dense(3, "softmax")),
    "dense_3d": _stack((5, 8), lambda: L.Dense(4, "tanh")),
    "conv2d": _stack(
        (12, 12, 3),
        lambda: L.Conv2D(4, 3, padding="same", activation="relu"),
        L.MaxPooling2D,
        lambda: L.Conv2D(5, 3, strides=2),
        L.Flatten,
        lambda: L.Dense(2),
    ),
    "conv2d_open": _stack(
        (None, None, 3),
        lambda: L.Conv2D(4, 3, padding="same", strides=2),
        L.BatchNormalization,
        L.GlobalAveragePooling2D,
    ),
    "conv1d": _stack(
        (12, 3),
        lambda: L.Conv1D(4, 3, padding="causal", dilation_rate=2),
        L.MaxPooling1D,
        L.AveragePooling1D,
        L.GlobalMaxPooling1D,
    ),
    "conv3d": _stack((6, 6, 6, 2), lambda: L.Conv3D(3, 2), L.MaxPooling3D, L.GlobalAveragePooling3D),
    "groups": _stack((8, 8, 4), lambda: L.Conv2D(4, 3, groups=2)),
    "dilated": _stack((12, 12, 3), lambda: L.Conv2D(4, 3, dilation_rate=2, padding="same")),
    "conv2d_transpose": _stack(
        (6, 6, 3),
        lambda: L.Conv2DTranspose(4, 3, strides=2, padding="same"),
        lambda: L.Conv2DTranspose(2, 3),
    ),
    "conv1d_transpose": _stack((6, 3), lambda: L.Conv1DTranspose(4, 3, strides=2, padding="same")),
    "conv3d_transpose": _stack((4, 4, 4, 3), lambda: L.Conv3DTranspose(2, 3, strides=2, padding="same")),
    "depthwise": _stack(
        (8, 8, 3),
        lambda: L.DepthwiseConv2D(3, padding="same", depth_multiplier=2),
        lambda: L.SeparableConv2D(4, 3, strides=2),
    ),
    "depthwise_1d": _stack((8, 3), lambda: L.DepthwiseConv1D(3), lambda: L.SeparableConv1D(4, 3)),
    "paddings": _stack(
        (8, 8, 3),
        lambda: L.ZeroPadding2D(((1, 2), (0, 1))),
        lambda: L.Cropping2D(1),
        lambda: L.UpSampling2D(2),
        lambda: L.UpSampling2D(2, interpolation="bilinear"),
        lambda: L.AveragePooling2D(padding="same"),
    ),
    "paddings_1d": _stack((8, 3), lambda: L.ZeroPadding1D(2), lambda: L.Cropping1D(1), L.UpSampling1D),
    "paddings_3d": _stack((4, 4, 4, 3), L.ZeroPadding3D, L.Cropping3D, L.UpSampling3D),
    "normalizations": _stack((8,), L.BatchNormalization, L.LayerNormalization, lambda: L.Dense(3)),
    "more_normalizations": _stack(
        (6, 6, 8),
        lambda: L.GroupNormalization(4),
        lambda: L.LayerNormalization(axis=[1, 2]),
        L.UnitNormalization,
    ),
    "dropouts": _stack(
        (6, 8),
        lambda: L.Dropout(0.3),
        lambda: L.SpatialDropout1D(0.3),
        lambda: L.GaussianNoise(0.1),
        lambda: L.GaussianDropout(0.1),
        lambda: L.AlphaDropout(0.1),
    ),
    "reshapes": _stack(
        (6, 8),
        lambda: L.Reshape((8, 6)),
        lambda: L.Permute((2, 1)),
        lambda: L.Reshape((-1,)),
        lambda: L.RepeatVector(3),
    ),
    "activation_layers": _stack(
        (6,), L.LeakyReLU, L.PReLU, L.ELU, lambda: L.ThresholdedReLU(0.1), lambda: L.ReLU(6.0), L.Softmax
    ),
    "embedding_lstm": _stack(
        (7,), lambda: L.Embedding(20, 6, mask_zero=True), lambda: L.LSTM(5), lambda: L.Dense(2), dtype="int32"
    ),
    "embedding_gru_open": _stack(
        (None,),
        lambda: L.Embedding(20, 6, mask_zero=True),
        lambda: L.GRU(5, return_sequences=True),
        L.GlobalAveragePooling1D,
        dtype="int32",
    ),
    "recurrent_open": _stack((None, 4), lambda: L.SimpleRNN(5, return_sequences=True), lambda: L.LSTM(3)),
    "bidirectional": _stack(
        (7, 4),
        lambda: L.Bidirectional(L.LSTM(5, return_sequences=True)),
        lambda: L.Bidirectional(L.GRU(3)),
    ),
    "gru_reset_before": _stack((7, 4), lambda: L.GRU(5, reset_after=False)),
    "cells": _stack((7, 4), lambda: L.RNN([L.LSTMCell(4), L.GRUCell(3)])),
    "conv_lstm": _stack((3, 6, 6, 2), lambda: L.ConvLSTM2D(3, 3)),
    "time_distributed": _stack(
        (4, 6, 6, 2),
        lambda: L.TimeDistributed(L.Conv2D(3, 3)),
        lambda: L.TimeDistributed(L.Flatten()),
        lambda: L.LSTM(3),
    ),
    "masking": _stack((6, 3), L.Masking, lambda: L.LSTM(4, return_sequences=True), lambda: L.Dense(2)),
    "locally_connected": _stack((8, 8, 2), lambda: L.LocallyConnected2D(3, 3)),
    "locally_connected_1d": _stack((8, 2), lambda: L.LocallyConnected1D(3, 3)),
    "einsum": _stack((6, 8), lambda: L.EinsumDense("abc,cd->abd", output_shape=(None, 5), bias_axes="d")),
    "transformer": _attention(6),
    "transformer_open": _attention(None),
    "attentions": _two_attentions,
    "merges": _merges,
    "ops": _ops,
    "u_net_open": _u_net,
    "residual": _residual,
    "images": _stack(
        (8, 8, 3),
        lambda: L.Rescaling(1 / 255.0),
        lambda: L.Resizing(5, 6),
        lambda: L.CenterCrop(4, 4),
    ),
    "normalization": _stack((4,), lambda: L.Normalization(mean=[1.0, 2, 3, 4], variance=[1.0, 2, 3, 4])),
    "augmentation": _stack((8, 8, 3), L.RandomFlip, lambda: L.RandomRotation(0.1), lambda: L.Conv2D(2, 3)),
    "categories": _stack((4,), lambda: L.CategoryEncoding(6, "multi_hot"), dtype="int32"),
    "texts": _text(lambda: _vectorization(output_sequence_length=4), lambda: L.Embedding(12, 3)),
    "texts_open": _text(_vectorization),
    "texts_ngrams": _text(lambda: _vectorization(ngrams=2)),
    "texts_characters": _text(lambda: _vectorization(split="character")),
    "texts_whole": _text(lambda: _vectorization(split=None, standardize="lower")),
    "texts_counted": _text(lambda: _vectorization(output_mode="count"), lambda: L.Dense(2)),
    "texts_marked": _text(lambda: _vectorization(output_mode="multi_hot"), lambda: L.Dense(2)),
    "texts_weighted": _text(lambda: _vectorization(output_mode="tf_idf"), lambda: L.Dense(2)),
    "terms": _text(lambda: L.StringLookup(vocabulary=TERMS), lambda: L.Embedding(8, 3)),
    "terms_masked": _text(lambda: L.StringLookup(vocabulary=TERMS, mask_token="the")),
    "terms_unknown": _text(lambda: L.StringLookup(vocabulary=TERMS, num_oov_indices=3)),
    "terms_one_hot": _text(lambda: L.StringLookup(vocabulary=TERMS, output_mode="one_hot")),
    "hashes": _text(lambda: L.Hashing(5)),
    "hashes_salted": _text(lambda: L.Hashing(5, salt=[3, 4], mask_value="")),
    "integers": _stack((4,), lambda: L.IntegerLookup(vocabulary=[3, 5, 7]), dtype="int64"),
}

TEXTUAL = [name for name in MODELS if name.startswith(("texts", "terms", "hashes"))]


def inputs_of(model: Any, rows: int = 3, open_size: int = 8) -> list[np.ndarray]:
    """Random inputs for a model, of so many rows, and of one size wherever another one is open."""
    random = np.random.default_rng(0)
    found = []
    for tensor in tf.nest.flatten(model.inputs):
        if tensor.dtype == tf.string:
            found.append(np.array(TEXTS, object)[:, None])
            continue
        shape = [rows if i == 0 else size or open_size for i, size in enumerate(tensor.shape)]
        kind = tf.as_dtype(tensor.dtype)
        whole = random.integers(0, 6, shape).astype(kind.name) if kind.is_integer else None
        found.append(random.normal(size=shape).astype("float32") if whole is None else whole)
    return found
