"""`tf.IndexedSlices`: some rows of a larger tensor, and which rows they are.

`Variable.scatter_add` and its kin take their updates in this form. Gradients are never given in it:
they are dense, and the program that computes them leaves out what is not used.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, NoReturn

from tapeflow.engine.devices.device import device_name
from tapeflow.engine.values.annotations import TensorLike
from tapeflow.engine.values.convert import convert_to_tensor
from tapeflow.engine.values.dtypes import DType, as_dtype, float32, int64
from tapeflow.engine.values.shape import TensorShape
from tapeflow.engine.values.tensor import Tensor, TensorBase
from tapeflow.ops.host_args import read_shape
from tapeflow.ops.math.segment import unsorted_segment_sum


@dataclass(frozen=True, repr=False)
class IndexedSlicesSpec:
    """The spec of an `IndexedSlices`.

    Args:
        shape: that of the whole tensor.
        dtype: that of the rows.
        indices_dtype: that of their numbers.
        dense_shape_dtype: that of `dense_shape`; None if there is none.
        indices_shape: how many rows there are.
    """

    shape: Any = None
    dtype: Any = float32
    indices_dtype: Any = int64
    dense_shape_dtype: Any = None
    indices_shape: Any = None

    def __post_init__(self) -> None:
        rows = TensorShape([None] if self.indices_shape is None else self.indices_shape)
        kind = None if self.dense_shape_dtype is None else as_dtype(self.dense_shape_dtype)
        for name, value in (
            ("shape", TensorShape(self.shape)),
            ("dtype", as_dtype(self.dtype)),
            ("indices_dtype", as_dtype(self.indices_dtype)),
            ("dense_shape_dtype", kind),
            ("indices_shape", rows),
        ):
            object.__setattr__(self, name, value)

    @property
    def value_type(self) -> type[IndexedSlices]:
        """`tf.IndexedSlices`."""
        return IndexedSlices

    def is_compatible_with(self, spec_or_value: TensorLike) -> bool:
        """Whether a value, or another spec, is of this kind."""
        other = getattr(spec_or_value, "_type_spec", spec_or_value)
        return (
            isinstance(other, IndexedSlicesSpec)
            and (self.dtype, self.indices_dtype, self.dense_shape_dtype)
            == (other.dtype, other.indices_dtype, other.dense_shape_dtype)
            and self.shape.is_compatible_with(other.shape)
            and self.indices_shape.is_compatible_with(other.indices_shape)
        )

    def __repr__(self) -> str:
        parts = (self.shape, self.dtype, self.indices_dtype, self.dense_shape_dtype, self.indices_shape)
        return f"IndexedSlicesSpec({', '.join(map(repr, parts))})"


class IndexedSlices:
    """The rows `indices` of a tensor, all others being zero.

    Args:
        values: the rows.
        indices: the number of each row in the whole tensor; a row named twice counts twice.
        dense_shape: the shape of the whole tensor, needed to make one of it.

    >>> rows = tf.IndexedSlices(tf.constant([5.0, 6.0]), tf.constant([0, 2]), tf.constant([4]))
    >>> tf.convert_to_tensor(rows).numpy()
    array([5., 0., 6., 0.], dtype=float32)
    """

    def __init__(self, values: Any, indices: TensorLike, dense_shape: TensorLike | None = None) -> None:
        self._values = values
        self._indices = indices
        self._dense_shape = dense_shape

    @property
    def _type_spec(self) -> IndexedSlicesSpec:
        values, indices = convert_to_tensor(self._values), convert_to_tensor(self._indices)
        whole = None if self._dense_shape is None else convert_to_tensor(self._dense_shape).dtype
        shape = TensorShape([None, *values.shape[1:]]) if whole is None else self.shape
        return IndexedSlicesSpec(shape, values.dtype, indices.dtype, whole, indices.shape)

    @property
    def values(self) -> Any:
        """The rows, as they were given."""
        return self._values

    @property
    def indices(self) -> Any:
        """Which rows they are, as it was given."""
        return self._indices

    @property
    def dense_shape(self) -> Any:
        """The shape of the whole tensor, or None."""
        return self._dense_shape

    @property
    def shape(self) -> TensorShape:
        """The shape of the whole tensor; of unknown rank without a `dense_shape`."""
        if self._dense_shape is None:
            return TensorShape(None)
        return TensorShape(read_shape(self._dense_shape, "tf.IndexedSlices", "dense_shape"))

    @property
    def dtype(self) -> DType:
        """The dtype of the values."""
        values = self._values
        return (values if isinstance(values, TensorBase) else convert_to_tensor(values)).dtype

    @property
    def device(self) -> str:
        """Where the values live, in TensorFlow's spelling."""
        return device_name()

    @property
    def name(self) -> NoReturn:
        """Undefined, as for every eager tensor."""
        raise AttributeError("IndexedSlices.name is undefined when eager execution is enabled.")

    def consumers(self) -> list[Any]:
        """Nothing: eager tensors do not know who uses them."""
        return []

    def __neg__(self) -> IndexedSlices:
        return IndexedSlices(-convert_to_tensor(self._values), self._indices, self._dense_shape)

    def __tf_tensor__(self, dtype: Any = None, name: str | None = None) -> Tensor:
        """The whole tensor; how `tf.convert_to_tensor` and every op take it."""
        if self._dense_shape is None:
            raise ValueError(
                "convert_to_tensor expected IndexedSlices that say how large the whole is: tensor conversion "
                f"requested for IndexedSlices without dense_shape; got {self}. Give tf.IndexedSlices a "
                "dense_shape."
            )
        if dtype is not None and self.dtype is not dtype:
            raise ValueError(
                f"convert_to_tensor expected IndexedSlices of dtype {dtype.name}; got {self.dtype.name}. "
                "Use tf.cast on their values first."
            )
        return unsorted_segment_sum(self._values, self._indices, self.shape[0])

    def __str__(self) -> str:
        shape = "" if self._dense_shape is None else f", dense_shape={self._dense_shape!s}"
        return f"IndexedSlices(indices={self._indices!s}, values={self._values!s}{shape})"

    __repr__ = __str__
