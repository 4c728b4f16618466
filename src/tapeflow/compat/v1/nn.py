"""`tf.compat.v1.nn`: `tf.nn`, and a function under the name that TensorFlow 1 had for it."""

from __future__ import annotations

from typing import Any

from tapeflow import nn as _nn
from tapeflow.engine.values.annotations import TensorLike
from tapeflow.engine.values.tensor import Tensor


def softmax_cross_entropy_with_logits_v2(
    labels: TensorLike,
    logits: TensorLike,
    axis: int | None = None,
    name: str | None = None,
    dim: int | None = None,
) -> Tensor:
    """`tf.nn.softmax_cross_entropy_with_logits`; `dim` is an old name of `axis`."""
    axis = dim if axis is None else axis
    return _nn.softmax_cross_entropy_with_logits(labels, logits, axis=-1 if axis is None else axis, name=name)


def __getattr__(name: str) -> Any:
    return getattr(_nn, name)
