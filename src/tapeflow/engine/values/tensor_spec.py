"""`TensorSpec`: the shape and dtype a tensor must have, as used in input signatures."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from tapeflow.engine.values.dtypes import DType, as_dtype, float32
from tapeflow.engine.values.shape import ShapeLike, TensorShape, as_shape
from tapeflow.engine.values.type_spec import TypeSpec

if TYPE_CHECKING:
    from tapeflow.engine.values.annotations import DTypeLike


class TensorSpec(TypeSpec):
    """A description of a tensor: its shape (possibly partly unknown), dtype and optional name.

    >>> tf.TensorSpec([None, 3], tf.int32, name="x")
    TensorSpec(shape=(None, 3), dtype=tf.int32, name='x')
    """

    __slots__ = ("_dtype", "_name", "_shape")

    def __init__(self, shape: ShapeLike, dtype: DTypeLike = float32, name: str | None = None) -> None:
        self._shape = as_shape(shape)
        self._dtype = as_dtype(dtype)
        self._name = name

    @classmethod
    def from_spec(cls, spec: TensorSpec, name: str | None = None) -> TensorSpec:
        """A spec with the shape and dtype of another, renamed if `name` is given."""
        return cls(spec.shape, spec.dtype, name or spec.name)

    @classmethod
    def from_tensor(cls, tensor: Any, name: str | None = None) -> TensorSpec:
        """The spec of a tensor, or of anything else with a `shape` and a `dtype`."""
        if not (hasattr(tensor, "shape") and hasattr(tensor, "dtype")):
            raise ValueError(
                "TensorSpec.from_tensor expected a tensor; "
                f"got tensor={tensor!r} of type {type(tensor).__name__}. "
                "Convert it with tf.convert_to_tensor first."
            )
        return cls(tensor.shape, tensor.dtype, name)

    @property
    def value_type(self) -> type:
        """`tf.Tensor`."""
        from tapeflow.engine.values.tensor import Tensor  # which specs are made without

        return Tensor

    @property
    def shape(self) -> TensorShape:
        """The shape a tensor must be compatible with."""
        return self._shape

    @property
    def dtype(self) -> DType:
        """The dtype a tensor must have."""
        return self._dtype

    @property
    def name(self) -> str | None:
        """The name of the described tensor, or None."""
        return self._name

    def is_compatible_with(self, spec_or_tensor: Any) -> bool:
        """Whether a tensor, or some tensor of a spec, can meet this spec; the name does not matter.

        Values that would first have to be converted (lists, numpy arrays) are not compatible, as in
        TensorFlow.
        """
        dtype = getattr(spec_or_tensor, "dtype", None)
        return (
            isinstance(dtype, DType)
            and dtype is self._dtype
            and self._shape.is_compatible_with(spec_or_tensor.shape)
        )

    def is_subtype_of(self, other: object) -> bool:
        """Whether everything that meets this spec also meets `other`."""
        return (
            isinstance(other, TensorSpec)
            and (self._name is None or self._name == other._name)
            and self._dtype is other._dtype
            and self._shape.is_subtype_of(other._shape)
        )

    def most_specific_compatible_type(self, other: TensorSpec) -> TensorSpec:
        """The narrowest spec that both meet; a `ValueError` when the dtypes differ."""
        if not isinstance(other, TensorSpec) or self._dtype is not other._dtype:
            raise ValueError(
                "TensorSpec.most_specific_compatible_type expected a TensorSpec of "
                f"dtype {self._dtype!r}; got other={other!r}. Cast one of the tensors first."
            )
        name = self._name if self._name == other._name else None
        return TensorSpec(self._shape.most_specific_compatible_shape(other._shape), self._dtype, name)

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, TensorSpec):
            return NotImplemented
        return self._key() == other._key()

    def __hash__(self) -> int:
        return hash(self._key())

    def _key(self) -> tuple[TensorShape, DType, str | None]:
        return self._shape, self._dtype, self._name

    def __repr__(self) -> str:
        return f"TensorSpec(shape={self._shape}, dtype={self._dtype!r}, name={self._name!r})"

    def __reduce__(self) -> tuple[Any, tuple[Any, ...]]:
        return TensorSpec, self._key()
