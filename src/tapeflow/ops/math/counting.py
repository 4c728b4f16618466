"""Counting: how often each integer occurs, confusion matrices.

The size of these results depends on the values unless it is given, so without a size they read the
tensor.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

from tapeflow.engine.backend import jax, jnp
from tapeflow.engine.recording.checks import index_check
from tapeflow.engine.recording.op import op
from tapeflow.engine.values import dtypes
from tapeflow.engine.values.annotations import DTypeLike, TensorLike
from tapeflow.engine.values.convert import convert_to_tensor
from tapeflow.engine.values.dtypes import DType, as_dtype
from tapeflow.engine.values.tensor import Tensor
from tapeflow.ops.array.shaping import reshape
from tapeflow.ops.host_args import describe, invalid, read_int, read_value
from tapeflow.ops.math.casting import cast


@op(
    name="Bincount",
    same_dtype=False,
    differentiable=False,
    check=index_check(arg=1, limit=lambda arrays, statics: 2**62),
    check_text="tf.math.bincount expected arr without negative values; got {value}. Input arr "
    "must be non-negative: filter it first.",
)
def _bincount(weights: jax.Array, arr: jax.Array, *, size: int, binary: bool, dtype: DType) -> jax.Array:
    wanted = dtype.as_numpy_dtype
    rows = arr.reshape(math.prod(arr.shape[:-1]), arr.shape[-1])
    weights = jnp.broadcast_to(weights.astype(wanted), arr.shape).reshape(rows.shape)
    batch = jnp.arange(rows.shape[0], dtype=jnp.int32)[:, None]
    # An index beyond the end is dropped, and so is a negative one, which would count from the end.
    places = jnp.where(rows < 0, size, rows)
    counts = jnp.zeros((rows.shape[0], size), wanted)
    place = counts.at[batch, places]
    if binary:
        counts = place.set(jnp.ones((), wanted), mode="drop")
    else:
        counts = place.add(weights, mode="drop")
    return counts.reshape(*arr.shape[:-1], size)


def bincount(
    arr: TensorLike,
    weights: TensorLike | None = None,
    minlength: TensorLike | None = None,
    maxlength: TensorLike | None = None,
    dtype: DTypeLike = dtypes.int32,
    name: str | None = None,
    axis: int | None = None,
    binary_output: bool = False,
) -> Tensor:
    """Count how often each of 0, 1, 2, ... occurs in `arr`.

    Args:
        arr: integers of at least 0.
        weights: what each element counts, 1 by default; the result has their dtype.
        minlength: the least size of the result.
        maxlength: the largest; greater integers are not counted.
        dtype: of the result if there are no weights.
        name: ignored.
        axis: -1 counts each row of a matrix by itself, None or 0 everything together.
        binary_output: only whether each integer occurs.

    Raises:
        InvalidArgumentError: `arr` holds a negative value, or weights of another shape.
        ValueError: another axis.
    """
    if axis not in (None, 0, -1):
        raise ValueError(
            f"tf.math.bincount expected axis to be None, 0 or -1; got axis={axis!r}. "
            "Transpose the tensor so that what to count lies on the last axis."
        )
    tensor = _as_integers(arr)
    given = convert_to_tensor(1 if weights is None else weights)
    if weights is not None and given.spec.shape != tensor.spec.shape:
        raise invalid(
            "tf.math.bincount expected weights of the same shape as arr; got weights "
            f"{describe(given)} and arr {describe(tensor)}. Broadcast them first."
        )
    if axis == -1 and tensor.ndim > 2:
        raise invalid(
            "tf.math.bincount expected arr of at most rank 2 for axis=-1; got arr "
            f"{describe(tensor)}. Reshape it to a matrix."
        )
    size = _bins(tensor, minlength, maxlength)
    if axis != -1 or tensor.ndim == 0:
        tensor = reshape(tensor, [-1])
        given = given if weights is None else reshape(given, [-1])
    wanted = as_dtype(dtype) if weights is None else given.dtype
    return _bincount(given, tensor, size=size, binary=bool(binary_output), dtype=wanted)


def _as_integers(value: TensorLike) -> Tensor:
    tensor = convert_to_tensor(value)
    return tensor if tensor.dtype.is_integer else cast(tensor, dtypes.int32)


def _bins(tensor: Tensor, minlength: Any, maxlength: Any) -> int:
    least = 0 if minlength is None else read_int(minlength, "tf.math.bincount", "minlength")
    most = None if maxlength is None else read_int(maxlength, "tf.math.bincount", "maxlength")
    if most is not None and least >= most:
        return most
    values = read_value(tensor)
    size = max(least, int(values.max()) + 1 if values.size else 0)
    return size if most is None else min(size, most)


@op(name="ConfusionMatrix", same_dtype=False, differentiable=False)
def _confusion_matrix(
    labels: jax.Array, predictions: jax.Array, weights: jax.Array, *, size: int, dtype: DType
) -> jax.Array:
    wanted = dtype.as_numpy_dtype
    counts = jnp.zeros((size, size), wanted)
    weights = jnp.broadcast_to(weights.astype(wanted), labels.shape)
    return counts.at[labels, predictions].add(weights, mode="drop")


def confusion_matrix(
    labels: Sequence[Any],
    predictions: TensorLike,
    num_classes: int | None = None,
    weights: TensorLike | None = None,
    dtype: DTypeLike = dtypes.int32,
    name: str | None = None,
) -> Tensor:
    """The confusion matrix: how often each label (row) was predicted as each class (column).

    Raises:
        InvalidArgumentError: labels and predictions differ in shape or hold values that are not
            classes.
        ValueError: weights of another shape.
    """
    pair = {"labels": _as_vector(labels), "predictions": _as_vector(predictions)}
    if pair["labels"].spec.shape != pair["predictions"].spec.shape:
        raise invalid(
            "tf.math.confusion_matrix expected as many predictions as labels; got labels "
            f"{describe(pair['labels'])} and predictions {describe(pair['predictions'])}. "
            "Shapes of all inputs must match: pass one class for each example."
        )
    given = convert_to_tensor(1 if weights is None else weights)
    if weights is not None and given.spec.shape != pair["labels"].spec.shape:
        raise ValueError(
            "tf.math.confusion_matrix expected one weight for each label; got weights "
            f"{describe(given)} and labels {describe(pair['labels'])}. Shapes are incompatible."
        )
    size = _classes(pair, num_classes)
    return _confusion_matrix(*pair.values(), given, size=size, dtype=as_dtype(dtype))


def _as_vector(value: Any) -> Tensor:
    tensor = _as_integers(value)
    return reshape(tensor, tensor.spec.shape[:-1]) if tensor.spec.shape[1:] == (1,) else tensor


def _classes(pair: dict[str, Tensor], num_classes: int | None) -> int:
    """The number of classes, having looked that every value is one."""
    values = {name: read_value(tensor) for name, tensor in pair.items()}
    top = max((int(v.max()) for v in values.values() if v.size), default=-1)
    where = "tf.math.confusion_matrix"
    size = top + 1 if num_classes is None else read_int(num_classes, where, "num_classes")
    for name, value in values.items():
        if value.size and value.min() < 0:
            raise invalid(
                f"{where} expected classes of at least 0; got {name} with {int(value.min())}. "
                f"`{name}` contains negative values: leave those examples out."
            )
        if value.size and value.max() >= size:
            raise invalid(
                f"{where} expected classes below num_classes={size}; got {name} with "
                f"{int(value.max())}. `{name}` out of bound: raise num_classes."
            )
    return size
