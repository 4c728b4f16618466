"""Assertions on what is known before anything runs: ranks, shapes, dtypes and Python types.

They raise `ValueError` or `TypeError` at the call, in recorded code too, as TensorFlow's do, and cost
nothing when the record is run.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import numpy as np

from tapeflow.engine.values.annotations import DTypeLike, ShapeLike, TensorLike
from tapeflow.engine.values.convert import convert_to_tensor
from tapeflow.engine.values.dtypes import DType, as_dtype, float32
from tapeflow.engine.values.shape import TensorShape
from tapeflow.engine.values.tensor import Tensor, TensorBase


def _titled(message: str | None, text: str) -> str:
    return text if message is None or message == "" else f"{message}.  {text}"


# ----------------------------------------------------------------------------------------- ranks


def _rank(value: TensorLike, where: str) -> int:
    found = np.asarray(value)
    if found.dtype.kind not in "iu":
        raise TypeError(
            f"tf.debugging.{where} expected an int as rank; got rank={value!r}. Count the dimensions."
        )
    if found.ndim:
        raise ValueError(f"tf.debugging.{where} expected a rank that is a scalar; got rank={value!r}.")
    return int(found)


def _wrong_rank(x: Tensor, rule: str, message: str | None) -> ValueError:
    return ValueError(
        _titled(message, f"Tensor must have rank {rule}.  Received rank {x.ndim}, shape {x.shape}")
    )


def assert_rank(x: TensorLike, rank: TensorLike, message: str | None = None, name: str | None = None) -> None:
    """Assert that `x` has `rank` dimensions."""
    x, wanted = convert_to_tensor(x), _rank(rank, "assert_rank")
    if x.ndim != wanted:
        raise _wrong_rank(x, str(wanted), message)


def assert_rank_at_least(
    x: TensorLike, rank: Any, message: str | None = None, name: str | None = None
) -> None:
    """Assert that `x` has `rank` dimensions or more."""
    x, least = convert_to_tensor(x), _rank(rank, "assert_rank_at_least")
    if x.ndim < least:
        raise _wrong_rank(x, f"at least {least}", message)


def assert_rank_in(
    x: TensorLike, ranks: Iterable[Any], message: str | None = None, name: str | None = None
) -> None:
    """Assert that the number of dimensions of `x` is one of `ranks`."""
    if not isinstance(ranks, Iterable):
        raise TypeError(
            f"tf.debugging.assert_rank_in expected a list of ranks; got ranks={ranks!r}. "
            "Use tf.debugging.assert_rank for one."
        )
    x, wanted = convert_to_tensor(x), tuple(_rank(r, "assert_rank_in") for r in ranks)
    if x.ndim not in wanted:
        raise _wrong_rank(x, f"in {wanted}", message)


def assert_scalar(tensor: TensorLike, message: str | None = None, name: str | None = None) -> None:
    """Assert that `tensor` has no dimensions."""
    tensor = convert_to_tensor(tensor)
    if tensor.ndim:
        raise ValueError(_titled(message, f"Expected scalar shape, saw shape: {tensor.shape}."))


# ---------------------------------------------------------------------------------------- shapes


def assert_shapes(
    shapes: Any,
    data: TensorLike | None = None,
    summarize: int | None = None,
    message: str | None = None,
    name: str | None = None,
) -> None:
    """Assert that tensors have the shapes named, and sizes that agree wherever a name comes back.

    Args:
        shapes: pairs of a tensor and its shape, which is a sequence of sizes: an int, a name that
            stands for one size throughout, `None` or `"."` for any size. `...` or `"*"` in front
            stands for any number of dimensions. A string is a sequence of one-letter names. Scalars
            and tensors of one element are alike, so `()` and `(1,)` fit both.
        data: ignored; shapes are always known, so the error needs no further values.
        summarize: ignored, like `data`.
        message: the beginning of the error message.
        name: ignored.

    >>> x, y = tf.zeros([8, 3]), tf.zeros([8, 5])
    >>> tf.debugging.assert_shapes([(x, ("N", 3)), (y, ("N", "D"))])
    """
    sizes: dict[str, tuple[int, str]] = {}
    for tensor, shape in _shape_pairs(shapes):
        tensor = convert_to_tensor(tensor)
        entries, has_prefix = _entries(tensor, shape, message)
        if not has_prefix and (entries == [] or entries == [1]) and tensor.spec.shape in ((), (1,)):
            continue
        if tensor.ndim != len(entries) and not (has_prefix and tensor.ndim >= len(entries)):
            rule = f"at least {len(entries)}" if has_prefix else str(len(entries))
            raise _wrong_rank(tensor, rule, message)
        for i, entry in enumerate(entries):
            place = i - len(entries) if has_prefix else i
            _check_size(tensor, place, entry, sizes, message)


def _shape_pairs(shapes: Any) -> list[tuple[Any, Any]]:
    pairs = list(shapes.items()) if isinstance(shapes, Mapping) else shapes
    if isinstance(pairs, (list, tuple)) and all(isinstance(p, (list, tuple)) and len(p) == 2 for p in pairs):
        return [(p[0], p[1]) for p in pairs]
    raise TypeError(
        "tf.debugging.assert_shapes expected a list of pairs (tensor, shape); got "
        f"shapes={shapes!r}. Write [(x, ('N', 3)), (y, ('N',))]."
    )


def _entries(tensor: Tensor, shape: ShapeLike, message: str | None) -> tuple[list[Any], bool]:
    """The sizes asked for, and whether any number of dimensions may come before them."""
    if shape is None or (isinstance(shape, TensorShape) and shape.rank is None):
        return [], True
    if isinstance(shape, TensorShape):
        shape = shape.as_list()
    if not isinstance(shape, Sequence):
        raise ValueError(
            _titled(
                message,
                f"{_named(tensor)}.  Specified shape must be an iterable: a tuple, a list or a string.  "
                f"Received specified shape: {shape!r}",
            )
        )
    entries = list(shape)
    has_prefix = bool(entries) and _is_prefix(entries[0])
    entries = entries[has_prefix:]
    for i, entry in enumerate(entries):
        if _is_prefix(entry):
            raise ValueError(
                _titled(
                    message,
                    f"{_named(tensor)} specified shape index {i + has_prefix}.  Symbol `...` or `*` for a "
                    "variable number of unspecified dimensions is only allowed as the first entry",
                )
            )
        if not (entry is None or isinstance(entry, (int, np.integer, str))):
            raise TypeError(
                "tf.debugging.assert_shapes expected sizes that are ints, names or None; got "
                f"{entry!r} in shape={shape!r}. Read a size kept in a tensor with int(...)."
            )
    return entries, has_prefix


def _is_prefix(entry: object) -> bool:
    return entry is ... or (isinstance(entry, str) and entry == "*")


def _check_size(
    tensor: Tensor, place: int, entry: Any, sizes: dict[str, tuple[int, str]], message: str | None
) -> None:
    if entry is None or (isinstance(entry, str) and entry == "."):
        return
    size = tensor.spec.shape[place]
    if isinstance(entry, str):
        here = f"Specified by tensor {_described(tensor)} dimension {place}"
        wanted, source = sizes.setdefault(entry, (size, here))
    else:
        wanted, source = int(entry), "Specified explicitly"
    if size != wanted:
        raise ValueError(
            _titled(
                message,
                f"{source}.  {_named(tensor)} dimension {place} must have size {wanted}.  Received size "
                f"{size}, shape {tensor.shape}",
            )
        )


def _described(tensor: Tensor) -> str:
    return f"shape={tensor.shape} dtype={tensor.dtype.name}"


def _named(tensor: Tensor) -> str:
    return f"Tensor {_described(tensor)}"


# ---------------------------------------------------------------------------------------- dtypes


def assert_type(
    tensor: TensorLike, tf_type: DTypeLike, message: str | None = None, name: str | None = None
) -> None:
    """Assert that `tensor` has dtype `tf_type`."""
    tensor, wanted = convert_to_tensor(tensor), as_dtype(tf_type)
    if tensor.dtype is not wanted:
        text = f"tensor must be of type {wanted!r}; got {tensor.dtype!r}"
        raise TypeError(_titled(message, text))


def assert_integer(x: TensorLike, message: str | None = None, name: str | None = None) -> None:
    """Assert that `x` has an integer dtype, signed or not."""
    x = convert_to_tensor(x)
    if not x.dtype.is_integer:
        text = f'Expected "x" to be integer type.  Found: tensor of dtype {x.dtype!r}'
        raise TypeError(_titled(message, text))


def assert_same_float_dtype(
    tensors: Sequence[Tensor | None] | None = None, dtype: DTypeLike | None = None
) -> DType:
    """The one floating-point dtype that all `tensors` have, which is `dtype` if that is given.

    Args:
        tensors: tensors; a `None` among them is left out.
        dtype: the dtype to have. Without it and without tensors, the answer is float32.

    Raises:
        ValueError: a tensor has another dtype, or the dtype is not a floating-point one.
    """
    wanted = None if dtype is None else as_dtype(dtype)
    first: Any = None
    for tensor in tensors or ():
        if tensor is None:
            continue
        tensor = convert_to_tensor(tensor)
        if wanted is None:
            wanted, first = tensor.dtype, tensor
        elif tensor.dtype is not wanted:
            like = "" if first is None else f" as {_named(first)}"
            raise ValueError(f"{_named(tensor)} must be of the same type ({wanted!r}){like}.")
    wanted = wanted or float32
    if not wanted.is_floating:
        raise ValueError(f"Expected floating point type, got {wanted!r}.")
    return wanted


def is_numeric_tensor(tensor: TensorLike) -> bool:
    """Whether `tensor` is a `Tensor` (not a Variable, not a Python number) of numbers."""
    return isinstance(tensor, Tensor) and tensor.dtype.is_numeric


def assert_proper_iterable(values: TensorLike) -> None:
    """Assert that `values` is iterable and is neither a tensor, an array nor a string.

    Iterating over one of those goes element by element, seldom what a list of tensors is meant to do.
    """
    if isinstance(values, (TensorBase, np.ndarray, bytes, str)):
        raise TypeError(f'Expected argument "values" to be a "proper" iterable.  Found: {type(values)}')
    if not isinstance(values, Iterable):
        raise TypeError(f'Expected argument "values" to be iterable.  Found: {type(values)}')
