"""What makes, moves and picks elements, in ONNX."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

import tapeflow as tf

FUNCTIONS: dict[str, Callable[[Any], Any]] = {
    "argmax": lambda x: tf.argmax(x, axis=-1),
    "argsort": lambda x: tf.argsort(x, axis=-1, stable=True),
    "boolean_pad": lambda x: tf.pad(x > 0, [[0, 0], [1, 0], [0, 2]], constant_values=True),
    "broadcast": lambda x: tf.broadcast_to(x[:, :1], tf.shape(x)),
    "concat": lambda x: tf.concat([x, x[:, :2]], axis=1),
    "cumsum": lambda x: tf.cumsum(x, axis=1, reverse=True),
    "einsum": lambda x: tf.einsum("bij,bkj->bik", x, x),
    "flip": lambda x: tf.reverse(x, [0, 2]),
    "gather": lambda x: tf.gather(x, [0, 2, 1], axis=2),
    "gather_batch": lambda x: tf.gather(x, tf.zeros([tf.shape(x)[0], 2], tf.int32), axis=1, batch_dims=1),
    "gather_nd": lambda x: tf.gather_nd(tf.transpose(x, [1, 2, 0]), [[0, 1], [2, 3]]),
    "last": lambda x: x[:, -1],
    "one_hot": lambda x: tf.one_hot(tf.cast(tf.abs(x[:, 0]), "int32"), 3),
    "pack": lambda x: tf.stack([x, -x], axis=2),
    "range": lambda x: tf.cast(tf.range(tf.shape(x)[0]), "float32")[:, None] + x[:, 0],
    "repeat": lambda x: tf.repeat(x, 2, axis=1),
    "reshape": lambda x: tf.reshape(x, [tf.shape(x)[0] * 3, -1]),
    "roll": lambda x: tf.roll(x, 1, axis=1),
    "scatter": lambda x: tf.tensor_scatter_nd_add(x, [[0], [0]], tf.ones([2, 3, 4])),
    "slices": lambda x: x[:, 1:3, ::-2],
    "sort": lambda x: tf.sort(x, axis=1),
    "split": lambda x: tf.split(x, [1, 2], axis=1)[1],
    "steps": lambda x: x[::2, ..., 1],
    "tile": lambda x: tf.tile(x, [1, 2, 1]),
    "top_k": lambda x: tf.math.top_k(x, 2)[0],
    "triangle": lambda x: tf.linalg.band_part(x, -1, 0),
    "unstack": lambda x: tf.unstack(x, axis=1)[1],
}


def test_functions(agrees: Any) -> None:
    x = tf.keras.Input((3, 4))
    model = tf.keras.Model(x, [tf.keras.layers.Lambda(f, name=n)(x) for n, f in FUNCTIONS.items()])
    for rows in (1, 2, 6):
        found = agrees(model, np.random.default_rng(rows).normal(size=(rows, 3, 4)).astype("float32"))
    assert list(found) == list(FUNCTIONS)
