"""Functions of numbers in ONNX."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

import tapeflow as tf

X = np.array([[-2.5, -1e-6, 0, 1e-6, 0.3, 0.5, 2.5, 80]], "float32")

FUNCTIONS: dict[str, Callable[[Any], Any]] = {
    "abs": tf.abs,
    "asinh": tf.asinh,
    "atan": tf.atan,
    "ceil": tf.math.ceil,
    "cos": tf.cos,
    "erf": tf.math.erf,
    "erfc": tf.math.erfc,
    "exp": lambda x: tf.exp(x / 10),
    "expm1": lambda x: tf.math.expm1(x / 10),
    "floor": tf.floor,
    "floordiv": lambda x: x // 0.4,
    "is_finite": lambda x: tf.math.is_finite(1 / x),
    "log1p": lambda x: tf.math.log1p(tf.abs(x)),
    "log1p_of_infinity": lambda x: tf.math.log1p(tf.abs(1 / x)),
    "log_sigmoid": tf.math.log_sigmoid,
    "maximum": lambda x: tf.maximum(x, x[:, ::-1]),
    "pow": lambda x: tf.pow(tf.abs(x), 1.5),
    "round": tf.round,
    "rsqrt": lambda x: tf.math.rsqrt(tf.abs(x) + 1),
    "sign": tf.sign,
    "softplus": tf.nn.softplus,
    "sqrt": lambda x: tf.sqrt(tf.abs(x)),
    "squared_difference": lambda x: tf.math.squared_difference(x, 0.5),
    "where": lambda x: tf.where(x > 0, x, tf.zeros_like(x)),
    "where_of_truths": lambda x: tf.where(x > 0, x > 1, x < -1),
    "whole": lambda x: tf.cast(tf.clip_by_value(x, -5, 5), "int32") // 2,
    "rest": lambda x: tf.cast(tf.clip_by_value(x, -5, 5), "int32") % 3,
    "bytes": lambda x: tf.cast(tf.cast(tf.abs(x), "uint8") * 2, "float32"),
    "all": lambda x: tf.reduce_all(x > -3, axis=-1),
    "any": lambda x: tf.reduce_any(x > 3, axis=-1),
    "mean": lambda x: tf.reduce_mean(x, axis=-1),
    "variance": lambda x: tf.math.reduce_variance(x, axis=-1, keepdims=True),
    "logsumexp": lambda x: tf.reduce_logsumexp(x, axis=-1),
    "prod": lambda x: tf.reduce_prod(tf.clip_by_value(x, 0.5, 2), axis=-1),
    "norm": lambda x: tf.math.l2_normalize(x, axis=-1),
}


def test_functions(agrees: Any) -> None:
    x = tf.keras.Input((8,))
    model = tf.keras.Model(x, [tf.keras.layers.Lambda(f, name=n)(x) for n, f in FUNCTIONS.items()])
    assert list(agrees(model, X)) == list(FUNCTIONS)
