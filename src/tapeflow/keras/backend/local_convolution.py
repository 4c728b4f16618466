"""Convolutions whose kernel differs from place to place: `local_conv1d` and `local_conv2d`."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import numpy as np

import tapeflow as tf
from tapeflow.engine.values.annotations import TensorLike
from tapeflow.engine.values.tensor import Tensor
from tapeflow.keras import config


def local_conv(
    inputs: TensorLike,
    kernel: Any,
    kernel_size: Sequence[int],
    strides: Sequence[int],
    output_shape: Sequence[int],
    data_format: str | None = None,
) -> Tensor:
    """A product of every window of the inputs with a matrix of its own.

    Args:
        inputs: (batch, *lengths, channels), or with the channels first.
        kernel: (places, size of a window in numbers, filters).
        kernel_size, strides: the size of the window and how far it moves, an int for each axis.
        output_shape: how many places the window has along each axis.
        data_format: 'channels_last' or 'channels_first'; the global setting if None.
    """
    is_first = config.read_data_format(data_format) == "channels_first"
    rank, axis = len(output_shape), 2 if is_first else 1
    windows = tf.convert_to_tensor(inputs)
    for size, stride, count in zip(kernel_size, strides, output_shape, strict=True):
        cells = np.arange(count)[:, None] * stride + np.arange(size)
        windows = tf.gather(windows, cells, axis=axis)
        axis += 2
    # Now every axis is two, place and cell of the window: places to the front, cells to the back.
    start = 2 if is_first else 1
    places, cells = ([start + i + 2 * a for a in range(rank)] for i in (0, 1))
    inner = [1, *cells] if is_first else [*cells, start + 2 * rank]
    windows = tf.transpose(windows, [*places, 0, *inner])
    flat = tf.reshape(windows, (math.prod(output_shape), -1, kernel.shape[1]))
    outputs = tf.reshape(flat @ kernel, (*output_shape, -1, kernel.shape[2]))
    spatial = list(range(rank))
    return tf.transpose(outputs, [rank, rank + 1, *spatial] if is_first else [rank, *spatial, rank + 1])


def local_conv1d(
    inputs: TensorLike, kernel: Any, kernel_size: Any, strides: Any, data_format: str | None = None
) -> Tensor:
    """`local_conv` over time; the kernel determines the number of positions."""
    return local_conv(inputs, kernel, kernel_size, strides, (kernel.shape[0],), data_format)


def local_conv2d(
    inputs: TensorLike,
    kernel: TensorLike,
    kernel_size: Any,
    strides: Any,
    output_shape: Sequence[Any],
    data_format: str | None = None,
) -> Tensor:
    """`local_conv` over images, to (rows, columns) of `output_shape`."""
    return local_conv(inputs, kernel, kernel_size, strides, output_shape, data_format)
