"""`tf.summary.scalar`."""

from __future__ import annotations

from typing import Any, SupportsInt

import numpy as np

from tapeflow.summary import hooks
from tapeflow.summary.context import recording_writer
from tapeflow.summary.emission import emit, tag_of
from tapeflow.summary.event_files import encoding

_PLAIN = encoding.metadata("scalars")


def scalar(name: str, data: Any, step: SupportsInt | None = None, description: str | None = None) -> bool:
    """Write a scalar.

    Args:
        name: the tag; the name scope is put in front of it.
        data: a number or a scalar tensor; kept as float32.
        step: the step, unless there is a default one.
        description: a text about the tag, in Markdown.

    Returns:
        Whether it was recorded: there is a default writer, and `record_if` does not say otherwise.

    >>> with tf.summary.create_file_writer("logs").as_default():
    ...     tf.summary.scalar("loss", 0.25, step=1)
    """
    writer = recording_writer()
    if writer is None:
        return False
    meta = _PLAIN if description is None else encoding.metadata("scalars", description=description)
    tag = tag_of(name, "scalar_summary")
    if type(data) is float and type(step) is int and hooks.bridge.is_now():  # the shortest way, for the most
        writer.add(tag, data, step, meta)
        return True
    return emit(writer, tag, data, step, meta, as_float, check_scalar)


def check_scalar(shape: tuple[int, ...], dtype: np.dtype) -> None:
    """Raise unless it is one number."""
    if shape:
        raise ValueError(
            f"tf.summary.scalar expected a scalar; got data of shape {shape}. Expected scalar shape, saw shape: "
            f"{shape}. Reduce it first, for example with tf.reduce_mean."
        )
    if dtype.kind not in "fiubcV":
        raise TypeError(f"tf.summary.scalar expected a number; got data of dtype {dtype}.")


def as_float(value: np.ndarray) -> float:
    """One number as Python's; of a complex one the real part, as TensorFlow's cast takes it."""
    return float(np.real(value))
