"""`tf.config.optimizer`: just-in-time compilation, which is always on."""

from __future__ import annotations

from typing import Any


def set_jit(enabled: Any) -> None:
    """Accepted and without effect: every program is compiled by XLA, whatever is asked for.

    To see ops run one by one, use `tf.debugging.enable_op_by_op`.
    """


def get_jit() -> str:
    """`"autoclustering"`, TensorFlow's word for compilation being on."""
    return "autoclustering"
