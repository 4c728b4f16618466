"""`tf.config.optimizer`: just-in-time compilation, which is always on, and options of TensorFlow's optimizer."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

_options: dict[str, Any] = {}


def set_jit(enabled: object) -> None:
    """Accepted and without effect: every program is compiled by XLA, whatever is asked for.

    To see ops run one by one, use `tf.debugging.enable_op_by_op`.
    """


def get_jit() -> str:
    """`"autoclustering"`, TensorFlow's word for compilation being on."""
    return "autoclustering"


def set_experimental_options(options: Mapping[str, Any]) -> None:
    """Remembered, and without effect: these are of TensorFlow's rewriting of graphs, which XLA does its own way.

    For `{"auto_mixed_precision": True}` use `tf.keras.mixed_precision.set_global_policy`.
    """
    _options.update(options)


def get_experimental_options() -> dict[str, Any]:
    """The options that were set."""
    return dict(_options)
