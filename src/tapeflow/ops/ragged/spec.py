"""`tf.RaggedTensorSpec`: what a ragged tensor is like."""

from __future__ import annotations

from typing import Any, ClassVar

from tapeflow.engine.values.annotations import DTypeLike, ShapeLike
from tapeflow.engine.values.dtypes import DType, as_dtype, float32, int64
from tapeflow.engine.values.shape import TensorShape, as_shape
from tapeflow.engine.values.type_spec import TypeSpec


class RaggedTensorSpec(TypeSpec):
    """The shape, dtype and number of ragged dimensions of a ragged tensor.

    >>> tf.RaggedTensorSpec([None, None], tf.int32)
    RaggedTensorSpec(TensorShape([None, None]), tf.int32, 1, tf.int64)
    """

    _kind: ClassVar[type]  # `RaggedTensor`, which its module sets

    def __init__(
        self,
        shape: ShapeLike | None = None,
        dtype: DTypeLike = float32,
        ragged_rank: int | None = None,
        row_splits_dtype: DTypeLike = int64,
        flat_values_spec: Any = None,
    ) -> None:
        self._shape = as_shape(shape)
        self._dtype = as_dtype(dtype if flat_values_spec is None else flat_values_spec.dtype)
        self._row_splits_dtype = as_dtype(row_splits_dtype)
        if ragged_rank is None:
            if self._shape.rank is None:
                raise ValueError(
                    "tf.RaggedTensorSpec expected a shape of known rank or a ragged_rank: must specify "
                    f"ragged_rank or a shape with a known rank; got shape={shape!r}."
                )
            ragged_rank = self._shape.rank - 1
        self._ragged_rank = int(ragged_rank)

    @property
    def shape(self) -> TensorShape:
        """The shape, None for dimensions that are ragged or not known."""
        return self._shape

    @property
    def dtype(self) -> DType:
        """The dtype of the values."""
        return self._dtype

    @property
    def ragged_rank(self) -> int:
        """How many dimensions are divided into rows."""
        return self._ragged_rank

    @property
    def row_splits_dtype(self) -> DType:
        """The dtype of the row splits."""
        return self._row_splits_dtype

    @property
    def value_type(self) -> type:
        """The class of what this describes."""
        return self._kind

    def is_compatible_with(self, spec_or_value: Any) -> bool:
        """Whether a ragged tensor, or a spec, can meet this one; a tensor has no ragged dimension."""
        return (
            getattr(spec_or_value, "ragged_rank", 0) == self._ragged_rank
            and spec_or_value.dtype is self._dtype
            and self._shape.is_compatible_with(spec_or_value.shape)
        )

    def most_specific_compatible_type(self, other: RaggedTensorSpec) -> RaggedTensorSpec:
        """The narrowest spec that both meet."""
        if not isinstance(other, RaggedTensorSpec) or other._key()[1:] != self._key()[1:]:
            raise ValueError(f"RaggedTensorSpec expected a spec of its kind; got {other!r} for {self!r}.")
        shape = self._shape.most_specific_compatible_shape(other._shape)
        return RaggedTensorSpec(shape, *self._key()[1:])

    def _key(self) -> tuple[Any, ...]:
        return self._shape, self._dtype, self._ragged_rank, self._row_splits_dtype

    def __eq__(self, other: object) -> bool:
        return isinstance(other, RaggedTensorSpec) and self._key() == other._key()

    def __hash__(self) -> int:
        return hash(self._key())

    def __repr__(self) -> str:
        return f"RaggedTensorSpec({', '.join(map(repr, self._key()))})"
