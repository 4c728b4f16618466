"""Logging scalars with each package: a call a scalar, in a loop, flushed at the end."""

import tempfile
from collections.abc import Callable
from typing import Any

_TAGS = ("loss", "accuracy", "val/loss", "val/accuracy")


def tapeflow() -> Callable[[int], float]:
    """`tf.summary.scalar` of TapeFlow."""
    from tapeflow import summary

    return _by_default(summary)


def tensorflow() -> Callable[[int], float]:
    """`tf.summary.scalar` of TensorFlow."""
    import tensorflow as tf

    return _by_default(tf.summary)


def _by_default(summary: Any) -> Callable[[int], float]:
    writer = summary.create_file_writer(tempfile.mkdtemp())
    writer.set_as_default()

    def run_steps(count: int) -> float:
        for number in range(count):
            summary.scalar(_TAGS[number % 4], number / count, step=number)
        writer.flush()
        return 1.0

    return run_steps


def torch() -> Callable[[int], float]:
    """`SummaryWriter.add_scalar` of PyTorch."""
    from torch.utils.tensorboard import SummaryWriter

    return _by_method(SummaryWriter(tempfile.mkdtemp()))


def tensorboardx() -> Callable[[int], float]:
    """`SummaryWriter.add_scalar` of tensorboardX."""
    from tensorboardX import SummaryWriter

    return _by_method(SummaryWriter(tempfile.mkdtemp()))


def _by_method(writer: Any) -> Callable[[int], float]:
    def run_steps(count: int) -> float:
        for number in range(count):
            writer.add_scalar(_TAGS[number % 4], number / count, number)
        writer.flush()
        return 1.0

    return run_steps
