"""What the functions of `tf.keras.ops` take: tensors, and numbers in Keras 3's dtypes."""

from __future__ import annotations

from typing import Any

import numpy as np

import tapeflow as tf
from tapeflow.engine.recording.symbolic import DispatchTarget
from tapeflow.engine.values.annotations import DTypeLike, TensorLike
from tapeflow.engine.values.dtypes import DType
from tapeflow.engine.values.tensor import Tensor, TensorBase
from tapeflow.engine.values.variable import Variable
from tapeflow.keras.config import floatx


def tensor(x: TensorLike, dtype: DTypeLike | None = None) -> Any:
    """`x` as a tensor: Python's fractions are of `floatx`, its integers of int32. Symbols stay what they are."""
    if isinstance(x, (DispatchTarget, TensorBase)):
        converted = x if isinstance(x, DispatchTarget) else tf.convert_to_tensor(x)
        return converted if dtype is None else tf.cast(converted, dtype)
    if dtype is None and not isinstance(x, (np.ndarray, np.generic)):
        kind = np.asarray(x).dtype.kind if not _holds_tensors(x) else ""
        dtype = {"f": floatx(), "i": "int32"}.get(kind)
    return tf.convert_to_tensor(x, dtype)


def _holds_tensors(x: TensorLike) -> bool:
    return isinstance(x, (list, tuple)) and any(
        _holds_tensors(part)
        if isinstance(part, (list, tuple))
        else isinstance(part, (TensorBase, DispatchTarget))
        for part in x
    )


def floating(x: TensorLike) -> Any:
    """`x` as a tensor of fractions or complex numbers."""
    converted = tensor(x)
    return (
        converted
        if converted.dtype.is_floating or converted.dtype.is_complex
        else tf.cast(converted, floatx())
    )


def alike(*values: Any) -> list[Any]:
    """Values as tensors of one dtype: fractions win over integers, wide over narrow ones; numbers follow tensors."""
    tensors = [tensor(value) for value in values]
    strong = [
        f.dtype for f, value in zip(tensors, values, strict=True) if not isinstance(value, (bool, int, float))
    ]
    common = _widest(strong or [f.dtype for f in tensors])
    if any(f.dtype.is_floating for f in tensors) and not (common.is_floating or common.is_complex):
        common = tf.as_dtype(floatx())
    if common is tf.bool and any(f.dtype is not tf.bool for f in tensors):
        common = _widest([f.dtype for f in tensors])
    return [f if f.dtype is common else tf.cast(f, common) for f in tensors]


def _widest(dtypes: list[Any]) -> DType:
    def rank(dtype: DType) -> tuple[int, int]:
        return 3 * dtype.is_complex + 2 * dtype.is_floating + dtype.is_integer, dtype.size

    return max(dtypes, key=rank)


def convert_to_tensor(
    x: TensorLike, dtype: DTypeLike | None = None, sparse: bool | None = None, ragged: bool | None = None
) -> Tensor:
    """`x` as a tensor; `sparse=False` and `ragged=False` fill one up."""
    if sparse is False and isinstance(x, tf.SparseTensor):
        x = tf.sparse.to_dense(x)
    if ragged is False and isinstance(x, tf.RaggedTensor):
        x = x.to_tensor()
    return tensor(x, dtype)


def convert_to_numpy(x: TensorLike) -> np.ndarray:
    """The values as an array."""
    return np.asarray(tensor(x))


def array(x: TensorLike, dtype: DType | None = None) -> Tensor:
    """`x` as a tensor."""
    return tensor(x, dtype)


def copy(x: TensorLike) -> Tensor:
    """`x`, as a tensor of its own."""
    return tf.identity(tensor(x))


def cast(x: TensorLike, dtype: DTypeLike) -> Tensor:
    """`x` in another dtype."""
    return tf.cast(tensor(x), dtype)


def saturate_cast(x: TensorLike, dtype: DTypeLike) -> Tensor:
    """`x` in another dtype, what is beyond its range at its ends."""
    return tf.saturate_cast(tensor(x), dtype)


def dtype(x: TensorLike) -> str:
    """The name of the dtype."""
    return tensor(x).dtype.name


def shape(x: TensorLike) -> tuple[Any, ...]:
    """The sizes; what is not known yet as a symbol."""
    converted = tensor(x)
    sizes = tuple(converted.shape)
    return tuple(tf.shape(converted)[i] if size is None else size for i, size in enumerate(sizes))


def ndim(x: TensorLike) -> int:
    """The number of axes."""
    return len(tensor(x).shape)


def size(x: TensorLike) -> Tensor:
    """The number of elements."""
    return tf.size(tensor(x))


def is_tensor(x: TensorLike) -> bool:
    """Whether it is a tensor, dense, ragged or sparse."""
    return isinstance(x, (DispatchTarget, tf.Tensor))


def stop_gradient(variable: Variable) -> Tensor:
    """A value that gradients take for a constant."""
    return tf.stop_gradient(tensor(variable))
