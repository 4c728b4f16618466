"""`tf.sets`: the last dimension of tensors, dense or sparse, taken as sets. Found on the host."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from tapeflow.engine.values.annotations import TensorLike
from tapeflow.engine.values.convert import convert_to_tensor
from tapeflow.engine.values.dtypes import string
from tapeflow.engine.values.tensor import Tensor
from tapeflow.ops.host_args import invalid, read_value
from tapeflow.ops.sparse.tensor import SparseTensor, only_sparse
from tapeflow.ops.strings.text import string_tensor

Groups = dict[tuple[int, ...], set[Any]]
_INTEGERS = ("int8", "int16", "int32", "int64", "uint8", "uint16")


def _groups(value: TensorLike, where: str, name: str) -> tuple[Groups, tuple[int, ...], Any]:
    """The set at each place of all dimensions but the last, their shape, and the dtype."""
    if isinstance(value, SparseTensor):
        found: Groups = {}
        for place, element in zip(value._places.tolist(), read_value(value.values).tolist(), strict=True):
            found.setdefault(tuple(place[:-1]), set()).add(element)
        shape, dtype = tuple(value._dense_shape[:-1].tolist()), value.dtype
    else:
        tensor = convert_to_tensor(value)
        array, dtype = read_value(tensor), tensor.dtype
        shape = array.shape[:-1]
        found = {place: set(array[place].tolist()) for place in np.ndindex(shape)} if array.ndim > 1 else {}
    if not shape:
        raise invalid(
            f"{where} expected sets in the last of at least two dimensions; got {name} of rank 1 or less. Use "
            "tf.expand_dims."
        )
    if dtype is not string and dtype.name not in _INTEGERS:
        raise TypeError(
            f"{where} expected sets of integers or strings; got {name} of dtype {dtype.name}. Use tf.cast."
        )
    return found, shape, dtype


def _combined(
    where: str, a: TensorLike, b: TensorLike, combine: Callable[[set[Any], set[Any]], set[Any]]
) -> SparseTensor:
    first, shape, dtype = _groups(a, where, "a")
    hint = {} if isinstance(b, SparseTensor) else {"dtype_hint": dtype}
    second, other, kind = _groups(convert_to_tensor(b, **hint) if hint else b, where, "b")
    if shape != other or dtype is not kind:
        raise invalid(
            f"{where} expected a and b to differ in their last dimension alone: mismatched group shapes; got groups of "
            f"shape {list(shape)}, {dtype.name}, and {list(other)}, {kind.name}."
        )
    places, elements, longest = [], [], 0
    for place in sorted({*first, *second}):
        found = sorted(combine(first.get(place, set()), second.get(place, set())))
        places += [(*place, number) for number in range(len(found))]
        elements += found
        longest = max(longest, len(found))
    values = (
        string_tensor(elements, (len(elements),))
        if dtype is string
        else convert_to_tensor(np.array(elements, dtype.as_numpy_dtype))
    )
    indices = np.array(places, np.int64).reshape(len(places), len(shape) + 1)
    return SparseTensor(indices, values, np.array([*shape, longest]))


def intersection(a: TensorLike, b: TensorLike, validate_indices: bool = True) -> SparseTensor:
    """The elements of both sets, in ascending order.

    >>> tf.sparse.to_dense(tf.sets.intersection([[1, 2, 3]], [[3, 1, 7]])).numpy().tolist()
    [[1, 3]]
    """
    return _combined("tf.sets.intersection", a, b, set.intersection)


def union(a: TensorLike, b: TensorLike, validate_indices: bool = True) -> SparseTensor:
    """The elements of either set, in ascending order."""
    return _combined("tf.sets.union", a, b, set.union)


def difference(
    a: TensorLike, b: TensorLike, aminusb: bool = True, validate_indices: bool = True
) -> SparseTensor:
    """The elements of `a` that are not in `b`, or with `aminusb=False` the reverse."""
    return _combined("tf.sets.difference", a, b, lambda x, y: x - y if aminusb else y - x)


def size(a: TensorLike, validate_indices: bool = True) -> Tensor:
    """The number of distinct elements in each set of a sparse tensor."""
    where = "tf.sets.size"
    found, shape, _ = _groups(only_sparse(a, where, "a"), where, "a")
    counts = np.zeros(shape, np.int32)
    for place, elements in found.items():
        counts[place] = len(elements)
    return convert_to_tensor(counts)
