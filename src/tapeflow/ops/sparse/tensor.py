"""`tf.SparseTensor` and `tf.SparseTensorSpec`."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np

from tapeflow.engine.recording.symbolic import DispatchTarget, MetSymbolic, Symbolic
from tapeflow.engine.values.annotations import DTypeLike, ShapeLike, TensorLike
from tapeflow.engine.values.convert import convert_to_tensor
from tapeflow.engine.values.dtypes import DType, as_dtype, float32, int32
from tapeflow.engine.values.shape import TensorShape, as_shape
from tapeflow.engine.values.tensor import Tensor
from tapeflow.engine.values.type_spec import TypeSpec
from tapeflow.ops.array import indexing
from tapeflow.ops.host_args import invalid, read_array
from tapeflow.ops.math import arithmetic


class SparseTensorSpec(TypeSpec):
    """The shape and dtype of a sparse tensor."""

    def __init__(self, shape: ShapeLike | None = None, dtype: DTypeLike = float32) -> None:
        self._shape, self._dtype = as_shape(shape), as_dtype(dtype)

    @property
    def shape(self) -> TensorShape:
        """The shape of the whole."""
        return self._shape

    @property
    def dtype(self) -> DType:
        """The dtype of the values."""
        return self._dtype

    @property
    def value_type(self) -> type:
        """The class of what this describes."""
        return SparseTensor

    def is_compatible_with(self, spec_or_value: TensorLike) -> bool:
        """Whether a sparse tensor or a spec can meet this one."""
        return (
            isinstance(spec_or_value, (SparseTensor, SparseTensorSpec))
            and spec_or_value.dtype is self._dtype
            and self._shape.is_compatible_with(spec_or_value.shape)
        )

    def most_specific_compatible_type(self, other: object) -> SparseTensorSpec:
        """The narrowest spec that both meet."""
        if not isinstance(other, SparseTensorSpec) or other._dtype is not self._dtype:
            raise ValueError(f"SparseTensorSpec expected a spec of its kind; got {other!r} for {self!r}.")
        return SparseTensorSpec(self._shape.most_specific_compatible_shape(other._shape), self._dtype)

    def __eq__(self, other: object) -> bool:
        return (
            isinstance(other, SparseTensorSpec)
            and self._dtype is other._dtype
            and repr(self._shape) == repr(other._shape)
        )

    def __hash__(self) -> int:
        return hash((SparseTensorSpec, repr(self._shape), self._dtype))

    def __repr__(self) -> str:
        return f"SparseTensorSpec({self._shape!r}, {self._dtype!r})"


class SparseTensor(DispatchTarget):
    """The values at some places of a tensor that is zero elsewhere.

    >>> st = tf.SparseTensor(indices=[[0, 1], [2, 0]], values=[5, 6], dense_shape=[3, 2])
    >>> tf.sparse.to_dense(st).numpy().tolist()
    [[0, 5], [0, 0], [6, 0]]

    Args:
        indices: one row for each value, its place in every dimension.
        values: the values.
        dense_shape: the shape of the whole.
    """

    __slots__ = ("__dict__", "__weakref__", "_dense_shape", "_places", "_values")

    def __init__(self, indices: TensorLike, values: Any, dense_shape: TensorLike) -> None:
        where = "tf.SparseTensor"
        places = read_array(indices, where, "indices").astype(np.int64)
        shape = read_array(dense_shape, where, "dense_shape").astype(np.int64)
        self._values: Tensor = convert_to_tensor(values)
        if places.size == 0:
            places = places.reshape(0, shape.size)
        if places.ndim != 2 or shape.ndim != 1 or places.shape != (self._values.shape[0], shape.size):
            raise ValueError(
                f"{where} expected indices of shape [values, dimensions]; got indices of shape "
                f"{list(places.shape)}, values of shape {self._values.shape}, dense_shape={shape.tolist()}."
            )
        self._places, self._dense_shape = places, shape

    @property
    def indices(self) -> Tensor:
        """The place of each value."""
        return convert_to_tensor(self._places)

    @property
    def values(self) -> Tensor:
        """The values."""
        return self._values

    @property
    def dense_shape(self) -> Tensor:
        """The shape of the whole, as a tensor."""
        return convert_to_tensor(self._dense_shape)

    @property
    def shape(self) -> TensorShape:
        """The shape of the whole."""
        return TensorShape(self._dense_shape.tolist())

    def get_shape(self) -> TensorShape:
        """The dense shape, under TensorFlow's older name."""
        return self.shape

    @property
    def dtype(self) -> DType:
        """The dtype of the values."""
        return self._values.dtype

    @property
    def _type_spec(self) -> SparseTensorSpec:
        return SparseTensorSpec(self.shape, self.dtype)

    def with_values(self, new_values: TensorLike) -> SparseTensor:
        """Other values at the same places."""
        return SparseTensor(self._places, new_values, self._dense_shape)

    def _for_sums(self) -> tuple[np.ndarray, Tensor]:
        """Places and values; zeros may be among them."""
        return self._places, self._values

    def _with(self, operation: Callable[..., Tensor], other: TensorLike) -> SparseTensor:
        """An operation with a scalar, or with the elements of a tensor at the places of the values."""
        dense = convert_to_tensor(other, dtype_hint=self.dtype)
        if dense.ndim:
            shape = dense.shape.as_list()
            if len(shape) > len(self._dense_shape) or any(
                n not in (1, m) for n, m in zip(shape, self._dense_shape[-len(shape) :], strict=True)
            ):
                raise invalid(f"SparseTensor expected a tensor that broadcasts to {self.shape}; got {shape}.")
            chosen = self._places[:, -len(shape) :] * (np.array(shape) != 1)
            dense = indexing.gather_nd(dense, chosen)
        return self.with_values(operation(self._values, dense))

    def __mul__(self, other: TensorLike) -> SparseTensor:
        return self._with(arithmetic.multiply, other)

    __rmul__ = __mul__

    def __truediv__(self, other: TensorLike) -> SparseTensor:
        return self._with(arithmetic.truediv, other)

    def __neg__(self) -> SparseTensor:
        return self.with_values(-self._values)

    def keep_call(self, function: Callable[..., Any], args: Sequence[Any], kwargs: Mapping[str, Any]) -> Any:
        name = "input" if "input" in kwargs else "x"
        if not args and kwargs.get(name) is self:
            args, kwargs = (self,), {key: value for key, value in kwargs.items() if key != name}
        if args[:1] == (self,):
            if function.__name__ in _OF_VALUES:
                return self.with_values(function(self._values, *args[1:], **kwargs))
            if function.__name__ in _OF_SHAPES:
                # A shape alone, as a whole of this shape may be too large.
                return _OF_SHAPES[function.__name__](self._dense_shape, *args[1:], **kwargs)
        raise TypeError(
            f"tf.{function.__name__} expected tensors; got a sparse tensor of shape {self.shape}. Use "
            "tf.sparse.to_dense, or an op of tf.sparse."
        )

    def _why_no_array(self) -> str:
        return f"An array was expected; got a sparse tensor of shape {self.shape}. Use tf.sparse.to_dense."

    def __repr__(self) -> str:
        parts = (self.indices, self._values, self.dense_shape)
        return "SparseTensor(indices={!s}, values={!s}, dense_shape={!s})".format(*parts)

    __str__ = __repr__


def _shape(sizes: np.ndarray, out_type: DType = int32, name: str | None = None) -> Tensor:
    del name
    return convert_to_tensor(sizes, out_type)


def _size(sizes: np.ndarray, out_type: DType = int32, name: str | None = None) -> Tensor:
    del name
    return convert_to_tensor(math.prod(sizes.tolist()), out_type)


def _rank(sizes: np.ndarray, name: str | None = None) -> Tensor:
    del name
    return convert_to_tensor(len(sizes), int32)


_OF_SHAPES: dict[str, Callable[..., Tensor]] = {"rank": _rank, "shape": _shape, "size": _size}
_OF_VALUES = frozenset(
    ["abs", "cast", "erf", "identity", "negative", "sign", "sqrt", "square", "stop_gradient", "tanh"]
)
"""The functions that take sparse tensors: of the values alone, for zero remains zero."""


def places_of(sparse: SparseTensor) -> np.ndarray:
    """The place of each value in the whole, gone through row by row."""
    return (
        np.ravel_multi_index(tuple(sparse._places.T), tuple(sparse._dense_shape))
        if len(sparse._places)
        else np.zeros(0, np.int64)
    )


def only_sparse(value: TensorLike, where: str, name: str = "sp_input") -> SparseTensor:
    """A sparse tensor, or an error."""
    if isinstance(value, Symbolic):
        raise MetSymbolic(value)
    if not isinstance(value, SparseTensor):
        raise TypeError(
            f"{where} expected a SparseTensor for {name}: input must be a SparseTensor; got {value!r}."
        )
    return value
