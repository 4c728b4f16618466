"""Shapes, orders and pieces of tensors."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

import tapeflow as tf
from tapeflow.engine.recording.symbolic import dispatching
from tapeflow.engine.values.annotations import DTypeLike, ShapeLike, TensorLike
from tapeflow.engine.values.convert import convert_to_tensor
from tapeflow.engine.values.tensor import Tensor
from tapeflow.keras import config
from tapeflow.keras.annotations import AxisLike, InitializerLike


def transpose(x: TensorLike) -> Tensor:
    """The axes in reverse order."""
    return tf.transpose(x)


def permute_dimensions(x: TensorLike, pattern: TensorLike) -> Tensor:
    """The axes in the order `pattern`."""
    return tf.transpose(x, pattern)


def gather(reference: TensorLike, indices: TensorLike) -> Tensor:
    """The rows of `reference` at `indices`."""
    return tf.gather(reference, indices)


def concatenate(tensors: Any, axis: int = -1) -> Tensor:
    """Tensors one after the other along `axis`."""
    return tf.concat(list(tensors), axis)


def stack(x: TensorLike, axis: int = 0) -> Tensor:
    """Tensors of one shape along a new axis."""
    return tf.stack(x, axis)


def reshape(x: TensorLike, shape: ShapeLike) -> Tensor:
    """The same elements in another shape."""
    return tf.reshape(x, shape)


def flatten(x: TensorLike) -> Tensor:
    """All elements in one row."""
    return tf.reshape(x, [-1])


@dispatching
def batch_flatten(x: TensorLike) -> Tensor:
    """The elements of each sample in one row."""
    tensor = convert_to_tensor(x)
    return tf.reshape(tensor, (tensor.shape[0], math.prod(tensor.spec.shape[1:])))


def expand_dims(x: TensorLike, axis: int = -1) -> Tensor:
    """A new axis of length 1."""
    return tf.expand_dims(x, axis)


def squeeze(x: TensorLike, axis: int) -> Tensor:
    """Without an axis of length 1."""
    return tf.squeeze(x, [axis])


def tile(x: TensorLike, n: TensorLike) -> Tensor:
    """`x` so many times over along each axis."""
    return tf.tile(x, [n] if isinstance(n, int) else n)


def repeat(x: Tensor, n: int) -> Tensor:
    """Each row of a matrix `n` times: from (samples, features) to (samples, n, features)."""
    if len(x.shape) != 2:
        raise ValueError(
            f"K.repeat expected a matrix; got x of shape {tuple(x.shape)}. Use K.repeat_elements."
        )
    return tf.repeat(tf.expand_dims(x, 1), n, axis=1)


def repeat_elements(x: TensorLike, rep: int, axis: int) -> Tensor:
    """Each element `rep` times along `axis`."""
    return tf.repeat(x, rep, axis=axis)


def reverse(x: TensorLike, axes: AxisLike) -> Tensor:
    """The other way round along some axes."""
    return tf.reverse(x, [axes] if isinstance(axes, int) else axes)


def arange(
    start: Any, stop: TensorLike | None = None, step: TensorLike = 1, dtype: DTypeLike = "int32"
) -> Tensor:
    """Numbers from `start` up to `stop`, or from 0 up to `start`."""
    if stop is None:
        start, stop = 0, np.maximum(start, 0)
    return tf.cast(tf.range(start, stop, step), dtype)


def one_hot(indices: TensorLike, num_classes: int) -> Tensor:
    """1 at each index and 0 elsewhere."""
    return tf.one_hot(indices, num_classes, axis=-1)


def map_fn(
    fn: Callable[..., Any], elems: TensorLike, name: str | None = None, dtype: DTypeLike | None = None
) -> Tensor:
    """`fn` of each row."""
    return tf.map_fn(fn, elems, dtype=dtype)


def foldl(
    fn: Callable[..., Any], elems: TensorLike, initializer: InitializerLike = None, name: str | None = None
) -> Tensor:
    """`fn(so_far, row)` over the rows, from the first."""
    return tf.foldl(fn, elems, initializer=initializer)


def foldr(
    fn: Callable[..., Any], elems: TensorLike, initializer: InitializerLike = None, name: str | None = None
) -> Tensor:
    """`fn(so_far, row)` over the rows, from the last."""
    return tf.foldr(fn, elems, initializer=initializer)


def temporal_padding(x: TensorLike, padding: Any = (1, 1)) -> Tensor:
    """Zeros before and after the middle axis of three."""
    return tf.pad(x, [[0, 0], list(padding), [0, 0]])


def spatial_2d_padding(
    x: TensorLike, padding: int | Sequence[Any] = ((1, 1), (1, 1)), data_format: str | None = None
) -> Tensor:
    """Zeros around images."""
    return tf.pad(x, _around(padding, data_format))


def spatial_3d_padding(
    x: TensorLike, padding: int | Sequence[Any] = ((1, 1), (1, 1), (1, 1)), data_format: str | None = None
) -> Tensor:
    """Zeros around volumes."""
    return tf.pad(x, _around(padding, data_format))


def _around(padding: Any, data_format: str | None) -> list[list[int]]:
    pairs = [list(pair) for pair in padding]
    if config.read_data_format(data_format) == "channels_first":
        return [[0, 0], [0, 0], *pairs]
    return [[0, 0], *pairs, [0, 0]]


@dispatching
def resize_images(
    x: TensorLike,
    height_factor: int,
    width_factor: int,
    data_format: str | None,
    interpolation: str = "nearest",
) -> Tensor:
    """Enlarge images by integer factors, by repeating pixels or by 'bilinear' interpolation."""
    tensor = convert_to_tensor(x)
    first = 2 if config.read_data_format(data_format) == "channels_first" else 1
    for axis, factor in ((first, height_factor), (first + 1, width_factor)):
        if interpolation == "nearest":
            tensor = tf.repeat(tensor, factor, axis=axis)
        elif interpolation == "bilinear":
            weights = tf.constant(_mixing(int(tensor.shape[axis] or 0), factor), tensor.dtype)
            mixed = tf.tensordot(tensor, weights, [[axis], [1]])  # the new axis is the last
            order = [*range(len(tensor.shape) - 1)]
            order.insert(axis, len(order))
            tensor = tf.transpose(mixed, order)
        else:
            raise ValueError(
                "K.resize_images expected interpolation 'nearest' or 'bilinear'; got "
                f"interpolation={interpolation!r}."
            )
    return tensor


def resize_volumes(
    x: TensorLike, depth_factor: int, height_factor: int, width_factor: int, data_format: str | None
) -> Any:
    """Enlarge volumes by integer factors, by repeating."""
    first = 2 if config.read_data_format(data_format) == "channels_first" else 1
    for axis, factor in enumerate((depth_factor, height_factor, width_factor), first):
        x = tf.repeat(x, factor, axis=axis)
    return x


def _mixing(size: int, factor: int) -> np.ndarray:
    """How much of each of `size` pixels goes into each of `size * factor`, with pixels as little squares."""
    centres = np.clip((np.arange(size * factor) + 0.5) / factor - 0.5, 0, size - 1)
    return np.maximum(0, 1 - np.abs(centres[:, None] - np.arange(size)))
