"""`tensorflow.python.framework.tensor_spec`: specs of tensors whose values lie between bounds."""

from __future__ import annotations

from typing import Any

import numpy as np

from tapeflow.engine.values.dtypes import float32
from tapeflow.engine.values.shape import ShapeLike
from tapeflow.engine.values.tensor_spec import TensorSpec


class BoundedTensorSpec(TensorSpec):
    """A description of a tensor: its shape, its dtype, and the least and the greatest value of each element.

    Args:
        shape: the shape.
        dtype: the dtype.
        minimum: numbers, or an array that fits the shape.
        maximum: the same.
        name: the name of the tensor.
    """

    __slots__ = ("_maximum", "_minimum")

    def __init__(
        self,
        shape: ShapeLike,
        dtype: Any = float32,
        minimum: Any = None,
        maximum: Any = None,
        name: str | None = None,
    ) -> None:
        super().__init__(shape, dtype, name)
        if minimum is None or maximum is None:
            missing = "minimum" if minimum is None else "maximum"
            raise ValueError(
                f"BoundedTensorSpec expected both bounds: `{missing}` can not be None; got minimum={minimum!r}, "
                f"maximum={maximum!r}. Use tf.TensorSpec for tensors without bounds."
            )
        self._minimum = self._bound(minimum, "minimum")
        self._maximum = self._bound(maximum, "maximum")

    def _bound(self, value: Any, which: str) -> np.ndarray:
        found = np.array(value, self.dtype.as_numpy_dtype)
        sizes: Any = tuple(self.shape) if self.shape.is_fully_defined() else None
        if sizes is not None:
            try:
                np.broadcast_to(found, sizes)
            except ValueError as error:
                raise ValueError(
                    f"BoundedTensorSpec expected {which} to fit the shape {self.shape}; got an array of shape "
                    f"{found.shape}: {which} is not compatible with shape."
                ) from error
        found.setflags(write=False)
        return found

    @classmethod
    def from_spec(cls, spec: Any, name: str | None = None) -> BoundedTensorSpec:
        """The same for another spec; without bounds of its own it has those of its dtype."""
        dtype = spec.dtype
        minimum = getattr(spec, "minimum", dtype.min)
        maximum = getattr(spec, "maximum", dtype.max)
        return cls(spec.shape, dtype, minimum, maximum, name or spec.name)

    @property
    def minimum(self) -> np.ndarray:
        """The least values."""
        return self._minimum

    @property
    def maximum(self) -> np.ndarray:
        """The greatest values."""
        return self._maximum

    def _key(self) -> Any:
        return (*super()._key(), self._minimum.tobytes(), self._maximum.tobytes())

    def __eq__(self, other: object) -> bool:
        return isinstance(other, BoundedTensorSpec) and self._key() == other._key()

    __hash__ = TensorSpec.__hash__

    def __repr__(self) -> str:
        return (
            f"BoundedTensorSpec(shape={self.shape}, dtype={self.dtype!r}, name={self.name!r}, "
            f"minimum={self._minimum!r}, maximum={self._maximum!r})"
        )

    def __reduce__(self) -> tuple[Any, tuple[Any, ...]]:
        return BoundedTensorSpec, (self.shape, self.dtype, self._minimum, self._maximum, self.name)
