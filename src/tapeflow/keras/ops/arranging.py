"""`tf.keras.ops` that make, move, join and pick elements."""

from __future__ import annotations

import builtins
from collections.abc import Sequence
from typing import Any

import numpy as np

import tapeflow as tf
from tapeflow.engine.values.annotations import DTypeLike, ShapeLike, TensorLike
from tapeflow.engine.values.tensor import Tensor
from tapeflow.keras.annotations import AxisLike
from tapeflow.keras.config import floatx
from tapeflow.keras.ops.conversion import alike, floating, shape, tensor

# Making


def zeros(shape: Any, dtype: DTypeLike | None = None) -> Tensor:
    """Zeros."""
    return tf.zeros(shape, dtype or floatx())


def ones(shape: ShapeLike, dtype: DTypeLike | None = None) -> Tensor:
    """Ones."""
    return tf.ones(shape, dtype or floatx())


def empty(shape: TensorLike, dtype: DTypeLike | None = None) -> Tensor:
    """Zeros; nothing is left undefined here."""
    return zeros(shape, dtype)


def full(shape: ShapeLike, fill_value: TensorLike, dtype: str | None = None) -> Tensor:
    """One value everywhere."""
    return tf.broadcast_to(tensor(fill_value, dtype or floatx()), shape)


def zeros_like(x: TensorLike, dtype: DTypeLike | None = None) -> Tensor:
    """Zeros in the shape of `x`."""
    return tf.zeros_like(tensor(x), dtype=dtype)


def ones_like(x: TensorLike, dtype: DTypeLike | None = None) -> Tensor:
    """Ones in the shape of `x`."""
    return tf.ones_like(tensor(x), dtype=dtype)


def empty_like(x: TensorLike, dtype: DTypeLike | None = None) -> Tensor:
    """Zeros in the shape of `x`."""
    return zeros_like(x, dtype)


def full_like(x: Tensor, fill_value: TensorLike, dtype: Any = None) -> Tensor:
    """One value in the shape of `x`."""
    x = tensor(x)
    return tf.ones_like(x, dtype=dtype or x.dtype) * tf.cast(tensor(fill_value), dtype or x.dtype)


def arange(
    start: TensorLike,
    stop: TensorLike | None = None,
    step: TensorLike | None = None,
    dtype: DTypeLike | None = None,
) -> Tensor:
    """Numbers from `start` up to `stop`."""
    low, high = (0, start) if stop is None else (start, stop)
    ends = alike(low, high, 1 if step is None else step)
    numbers = tf.range(*ends)
    return numbers if dtype is None else tf.cast(numbers, dtype)


def linspace(
    start: TensorLike,
    stop: TensorLike,
    num: int = 50,
    endpoint: bool = True,
    retstep: bool = False,
    dtype: DTypeLike | None = None,
    axis: int = 0,
) -> Any:
    """Evenly spaced numbers."""
    low, high = map(floating, alike(start, stop))
    step = (high - low) / builtins.max(num - 1 if endpoint else num, 1)
    places = tf.range(num)
    rank = len((low + high).shape)
    line = tf.cast(tf.reshape(places, [num, *[1] * rank]), low.dtype)
    points = low + line * step
    if axis != 0:
        points = moveaxis(points, 0, axis)
    points = points if dtype is None else tf.cast(points, dtype)
    return (points, step) if retstep else points


def logspace(
    start: TensorLike,
    stop: TensorLike,
    num: int = 50,
    endpoint: bool = True,
    base: Any = 10,
    dtype: DTypeLike | None = None,
    axis: int = 0,
) -> Tensor:
    """Powers of `base` whose exponents are evenly spaced."""
    exponents = linspace(start, stop, num, endpoint, axis=axis)
    powers = tf.pow(tf.cast(tensor(base), exponents.dtype), exponents)
    return powers if dtype is None else tf.cast(powers, dtype)


def geomspace(
    start: TensorLike,
    stop: TensorLike,
    num: int = 50,
    endpoint: bool = True,
    dtype: DTypeLike | None = None,
    axis: int = 0,
) -> Tensor:
    """Numbers of which each is the one before times the same."""
    low, high = (tf.math.log(floating(end)) for end in (start, stop))
    powers = tf.exp(linspace(low, high, num, endpoint, axis=axis))
    return powers if dtype is None else tf.cast(powers, dtype)


def eye(N: int, M: int | None = None, k: int = 0, dtype: DTypeLike | None = None) -> Tensor:
    """Ones on a diagonal."""
    return tf.constant(np.eye(N, M, k), dtype or floatx())


def identity(n: int, dtype: DTypeLike | None = None) -> Tensor:
    """The identity matrix."""
    return eye(n, dtype=dtype)


def tri(N: int, M: int | None = None, k: int = 0, dtype: DTypeLike | None = None) -> Tensor:
    """Ones on and below a diagonal."""
    return tf.constant(np.tri(N, M, k), dtype or floatx())


def bartlett(x: int) -> Tensor:
    """A triangular window."""
    return tf.constant(np.bartlett(int(x)), floatx())


def blackman(x: int) -> Tensor:
    """Blackman's window."""
    return tf.constant(np.blackman(int(x)), floatx())


def hamming(x: int) -> Tensor:
    """Hamming's window."""
    return tf.constant(np.hamming(int(x)), floatx())


def hanning(x: int) -> Tensor:
    """Hann's window."""
    return tf.constant(np.hanning(int(x)), floatx())


def kaiser(x: int, beta: float) -> Tensor:
    """Kaiser's window."""
    return tf.constant(np.kaiser(int(x), float(beta)), floatx())


def meshgrid(*x: Any, indexing: str = "xy") -> list[Any]:
    """Coordinates of a grid."""
    return tf.meshgrid(*map(tensor, x), indexing=indexing)


def vander(x: Any, N: int | None = None, increasing: bool = False) -> Tensor:
    """Powers of the elements."""
    x = tensor(x)
    count = x.shape[0] if N is None else N
    powers = tf.range(count) if increasing else tf.range(count - 1, -1, -1)
    return tf.pow(tf.expand_dims(x, -1), tf.cast(powers, x.dtype))


# Moving


def reshape(x: TensorLike, newshape: ShapeLike) -> Tensor:
    """The elements in another shape."""
    return tf.reshape(tensor(x), newshape)


def ravel(x: TensorLike) -> Tensor:
    """The elements in one row."""
    return tf.reshape(tensor(x), [-1])


def transpose(x: TensorLike, axes: AxisLike | None = None) -> Tensor:
    """The axes in another order."""
    return tf.transpose(tensor(x), axes)


def moveaxis(x: Any, source: Any, destination: Any) -> Tensor:
    """Axes moved elsewhere."""
    x = tensor(x)
    rank = len(x.shape)
    left = [a % rank for a in np.atleast_1d(source).tolist()]
    right = [a % rank for a in np.atleast_1d(destination).tolist()]
    order = [a for a in range(rank) if a not in left]
    for place, axis in builtins.sorted(zip(right, left, strict=True)):
        order.insert(place, axis)
    return tf.transpose(x, order)


def swapaxes(x: Tensor, axis1: int, axis2: int) -> Tensor:
    """Two axes exchanged."""
    x = tensor(x)
    order = list(range(len(x.shape)))
    order[axis1], order[axis2] = order[axis2], order[axis1]
    return tf.transpose(x, order)


def expand_dims(x: Tensor, axis: int | Sequence[int]) -> Tensor:
    """With axes of size 1."""
    x = tensor(x)
    if not isinstance(axis, (tuple, list)):
        return tf.expand_dims(x, axis)
    rank = len(x.shape) + len(axis)
    for place in builtins.sorted(a % rank for a in axis):
        x = tf.expand_dims(x, place)
    return x


def squeeze(x: TensorLike, axis: int | Sequence[int] | None = None) -> Tensor:
    """Without axes of size 1."""
    return tf.squeeze(tensor(x), list(axis) if isinstance(axis, tuple) else axis)


def broadcast_to(x: TensorLike, shape: Sequence[Any]) -> Tensor:
    """Repeated to a shape."""
    return tf.broadcast_to(tensor(x), shape)


def flip(x: Any, axis: int | Sequence[int] | None = None) -> Tensor:
    """The other way round."""
    x = tensor(x)
    axes = range(len(x.shape)) if axis is None else np.atleast_1d(axis).tolist()
    return tf.reverse(x, list(axes))


def fliplr(x: TensorLike) -> Tensor:
    """Columns the other way round."""
    return flip(x, 1)


def flipud(x: TensorLike) -> Tensor:
    """Rows the other way round."""
    return flip(x, 0)


def rot90(array: TensorLike, k: int = 1, axes: tuple[int, int] = (0, 1)) -> Tensor:
    """Turned by quarters."""
    x = tensor(array)
    for _ in range(k % 4):
        x = flip(swapaxes(x, *axes), axes[0])
    return x


def roll(x: TensorLike, shift: TensorLike, axis: int | Sequence[int] | None = None) -> Tensor:
    """Moved around the end."""
    x = tensor(x)
    if axis is None:
        return tf.reshape(tf.roll(tf.reshape(x, [-1]), shift, 0), tf.shape(x))
    return tf.roll(x, shift, axis)


def tile(x: Tensor, repeats: Any) -> Tensor:
    """Repeated as a whole."""
    x = tensor(x)
    counts = list(np.atleast_1d(repeats))
    counts = [1] * (len(x.shape) - len(counts)) + [int(c) for c in counts]
    return tf.tile(tf.reshape(x, [1] * (len(counts) - len(x.shape)) + list(shape(x))), counts)


def repeat(x: TensorLike, repeats: TensorLike, axis: int | None = None) -> Tensor:
    """Each element repeated."""
    return tf.repeat(tensor(x), repeats, axis)


def pad(x: Tensor, pad_width: Any, mode: str = "constant", constant_values: Any = None) -> Tensor:
    """With elements around."""
    x = tensor(x)
    widths = np.broadcast_to(np.asarray(pad_width), (len(x.shape), 2)).tolist()
    if mode == "constant":
        return tf.pad(
            x, widths, "CONSTANT", constant_values=0 if constant_values is None else constant_values
        )
    return tf.pad(x, widths, mode.upper())


def tril(x: Any, k: int = 0) -> Tensor:
    """What is on and below a diagonal."""
    x = tensor(x)
    kept = np.tri(*tuple(x.shape)[-2:], k=k, dtype=bool)
    return tf.where(kept, x, tf.zeros_like(x))


def triu(x: Any, k: int = 0) -> Tensor:
    """What is on and above a diagonal."""
    x = tensor(x)
    left = np.tri(*tuple(x.shape)[-2:], k=k - 1, dtype=bool)
    return tf.where(left, tf.zeros_like(x), x)


def diag(x: Tensor, k: int = 0) -> Tensor:
    """A matrix with a diagonal, or the diagonal of a matrix."""
    x = tensor(x)
    return diagonal(x, k) if len(x.shape) == 2 else tf.linalg.diag(x, k=k)


def diagflat(x: TensorLike, k: int = 0) -> Tensor:
    """A matrix with all elements on a diagonal."""
    return tf.linalg.diag(ravel(x), k=k)


def diagonal(x: TensorLike, offset: int = 0, axis1: int = 0, axis2: int = 1) -> Tensor:
    """The elements of a diagonal."""
    return tf.linalg.diag_part(moveaxis(x, (axis1, axis2), (-2, -1)), k=offset)


def trace(x: TensorLike, offset: int = 0, axis1: int = 0, axis2: int = 1) -> Tensor:
    """The sum of a diagonal."""
    return tf.reduce_sum(diagonal(x, offset, axis1, axis2), -1)


def unravel_index(indices: TensorLike, shape: TensorLike) -> tuple[Any, ...]:
    """The places in a shape of elements that are counted through."""
    indices_by_axis = tf.unravel_index(tensor(indices), tf.constant(shape, tensor(indices).dtype))
    return tuple(tf.unstack(tf.cast(indices_by_axis, "int32"), axis=0))


# Joining and splitting


def concatenate(xs: Any, axis: int | None = 0) -> Tensor:
    """One after the other."""
    parts = alike(*xs)
    return tf.concat(
        [tf.reshape(x, [-1]) for x in parts] if axis is None else parts, 0 if axis is None else axis
    )


def append(x1: TensorLike, x2: TensorLike, axis: int | None = None) -> Tensor:
    """One after the other; in one row unless an axis is given."""
    return concatenate([x1, x2], axis)


def stack(x: Tensor, axis: int = 0) -> Tensor:
    """Side by side along a new axis."""
    return tf.stack(alike(*x), axis)


def hstack(xs: Tensor) -> Tensor:
    """Side by side."""
    parts = alike(*xs)
    return tf.concat(parts, 0 if len(parts[0].shape) <= 1 else 1)


def vstack(xs: Tensor) -> Tensor:
    """One above the other."""
    return tf.concat([tf.expand_dims(x, 0) if len(x.shape) < 2 else x for x in alike(*xs)], 0)


def dstack(xs: Sequence[np.ndarray]) -> Tensor:
    """Along a third axis."""
    columns = []
    for x in alike(*xs):
        rows = tf.reshape(x, [1, -1]) if len(x.shape) < 2 else x
        columns.append(tf.expand_dims(rows, -1) if len(rows.shape) < 3 else rows)
    return tf.concat(columns, 2)


def split(x: Any, indices_or_sections: Any, axis: int = 0) -> list[Any]:
    """In equal parts, or before indices."""
    x = tensor(x)
    if isinstance(indices_or_sections, int):
        return tf.split(x, indices_or_sections, axis)
    ends = [0, *[int(i) for i in indices_or_sections], int(x.shape[axis])]
    return tf.split(x, np.diff(ends).tolist(), axis)


def array_split(x: Any, indices_or_sections: int, axis: int = 0) -> list[Any]:
    """In parts of about one size."""
    x = tensor(x)
    whole, more = divmod(int(x.shape[axis]), indices_or_sections)
    return tf.split(x, [whole + (i < more) for i in range(indices_or_sections)], axis)


def vsplit(x: TensorLike, indices_or_sections: Any) -> list[Any]:
    """Split along the first axis."""
    return split(x, indices_or_sections, 0)


def hsplit(x: TensorLike, indices_or_sections: Any) -> list[Any]:
    """Split along the second axis, or the only one."""
    return split(x, indices_or_sections, 0 if len(tensor(x).shape) == 1 else 1)


def dsplit(x: TensorLike, indices_or_sections: Any) -> list[Any]:
    """Split along the third axis."""
    return split(x, indices_or_sections, 2)


def unstack(x: TensorLike, num: int | None = None, axis: int = 0) -> list[Any]:
    """The parts along an axis."""
    return tf.unstack(tensor(x), num, axis)


# Picking


def take(x: TensorLike, indices: TensorLike, axis: int | None = None) -> Tensor:
    """The elements or parts with these numbers; negative ones count from the end."""
    x, places = tensor(x), tensor(indices)
    if axis is None:
        x, axis = tf.reshape(x, [-1]), 0
    size = shape(x)[axis]
    return tf.gather(x, tf.where(places < 0, places + tf.cast(size, places.dtype), places), axis=axis)


def take_along_axis(x: Tensor, indices: TensorLike, axis: int | None = None) -> Tensor:
    """Elements chosen along an axis for each place of the others."""
    x, places = tensor(x), tensor(indices)
    if axis is None:
        return take(tf.reshape(x, [-1]), tf.reshape(places, [-1]), 0)
    last = len(x.shape) - 1
    swapped, chosen = moveaxis(x, axis, last), moveaxis(places, axis, last)
    chosen = tf.where(chosen < 0, chosen + tf.cast(shape(swapped)[-1], chosen.dtype), chosen)
    return moveaxis(tf.gather(swapped, chosen, batch_dims=last), last, axis)


def get_item(x: TensorLike, key: TensorLike) -> Tensor:
    """`x[key]`."""
    return tensor(x)[key]


def slice(inputs: TensorLike, start_indices: Any, shape: Sequence[Any]) -> Tensor:
    """The part of a shape that begins at indices."""
    return tf.slice(tensor(inputs), start_indices, shape)


def slice_update(inputs: TensorLike, start_indices: Any, updates: TensorLike) -> Tensor:
    """With another part that begins at indices."""
    x, part = alike(inputs, updates)
    places = [tf.range(n) + tf.cast(s, "int32") for n, s in zip(shape(part), start_indices, strict=True)]
    grid = tf.stack(tf.meshgrid(*places, indexing="ij"), -1)
    return tf.tensor_scatter_nd_update(x, grid, part)


def scatter(indices: TensorLike, values: TensorLike, shape: TensorLike) -> Tensor:
    """Values at indices of zeros; those at one index are added."""
    return tf.scatter_nd(tensor(indices), tensor(values), shape)


def scatter_update(
    inputs: TensorLike, indices: TensorLike, updates: TensorLike, reduction: str | None = None
) -> Tensor:
    """With values at indices, in the place of those there or joined with them."""
    ways = {
        None: tf.tensor_scatter_nd_update,
        "add": tf.tensor_scatter_nd_add,
        "max": tf.tensor_scatter_nd_max,
        "min": tf.tensor_scatter_nd_min,
    }
    if reduction not in ways:
        raise ValueError(
            f"tf.keras.ops.scatter_update expected reduction to be one of {list(ways)}; got "
            f"reduction={reduction!r}. Leave it out to put values in the place of those there."
        )
    x, values = alike(inputs, updates)
    return ways[reduction](x, tensor(indices), values)


def unique(
    x: TensorLike,
    sorted: bool = True,
    return_index: bool = False,
    return_inverse: bool = False,
    return_counts: bool = False,
    axis: int | None = None,
    size: int | None = None,
    fill_value: TensorLike | None = None,
) -> Any:
    """Each value once, in order. It looks at the values, so it is no part of a program."""
    distinct = np.unique(np.asarray(tensor(x)), return_index, return_inverse, return_counts, axis)
    parts = [distinct] if not isinstance(distinct, tuple) else list(distinct)
    if size is not None:
        kept = parts[0][:size]
        fill = kept[:1] if fill_value is None else np.full_like(kept[:1], fill_value)
        parts[0] = np.concatenate([kept, np.repeat(fill, size - len(kept), 0)])
    given = [tf.constant(parts[0]), *[tf.constant(part, tf.int32) for part in parts[1:]]]
    return given[0] if len(given) == 1 else tuple(given)


def diff(a: TensorLike, n: int = 1, axis: int = -1) -> Tensor:
    """Each less the one before."""
    x = moveaxis(a, axis, -1)
    for _ in range(n):
        x = x[..., 1:] - x[..., :-1]
    return moveaxis(x, -1, axis)
