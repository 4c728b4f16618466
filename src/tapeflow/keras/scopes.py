"""Names that `keras` itself has in Keras 3, for what `tf` has: scopes, devices, operations, and the release."""

from __future__ import annotations

from typing import Any

import tapeflow as tf
from tapeflow.keras.layers import Layer

Operation = Layer
"""What computes tensors of tensors. A subclass has `call`, and needs no weights."""
name_scope = tf.name_scope
remat = tf.recompute_grad


def device(device_name: str) -> Any:
    """A scope whose ops run on a device, `'cpu:0'` or `'gpu:0'`."""
    return tf.device(device_name)


def version() -> str:
    """The release of TensorFlow whose Keras this is like."""
    return tf.__version__
