"""`CompositeTensor`: the base of classes, such as those of TensorFlow's libraries, whose values consist of tensors.

A subclass says by its `_type_spec` which tensors those are. Functions, loops and tapes see these tensors; `tf.nest`
does so when it is asked to (`expand_composites=True`), and takes the object as one value otherwise.
"""

from __future__ import annotations

import abc
from typing import TYPE_CHECKING, Any

from tapeflow.engine.values import nest
from tapeflow.engine.values.shape import ShapeLike
from tapeflow.engine.values.tensor_spec import TensorSpec
from tapeflow.engine.values.type_spec import TypeSpec

if TYPE_CHECKING:
    from tapeflow.engine.values.annotations import DTypeLike


class CompositeTensor(abc.ABC):
    """The base class of values that are made of tensors; `_type_spec` takes them apart and puts them together."""

    _is_composite_tensor = True

    @property
    @abc.abstractmethod
    def _type_spec(self) -> TypeSpec:
        """How this value is taken apart: a `TypeSpec` with `_to_components` and `_from_components`."""
        raise NotImplementedError

    def _convert_variables_to_tensors(self) -> Any:
        """The same value with its Variables replaced by their values; most values have none."""
        return self


class BatchableTypeSpec(TypeSpec):
    """A spec of values that datasets batch by batching their tensors."""


class VariableSpec(TensorSpec):
    """A spec of a Variable: its shape, its dtype and whether it is trainable."""

    __slots__ = ("trainable",)

    def __init__(
        self, shape: ShapeLike, dtype: DTypeLike | None = None, trainable: bool = True, alias_id: Any = None
    ) -> None:
        super().__init__(shape, "float32" if dtype is None else dtype)
        self.trainable = trainable

    def __eq__(self, other: object) -> bool:
        return (
            isinstance(other, VariableSpec)
            and self._key() == other._key()
            and self.trainable == other.trainable
        )

    def __hash__(self) -> int:
        return hash((self._key(), self.trainable))

    def __repr__(self) -> str:
        return f"VariableSpec(shape={self.shape}, dtype={self.dtype!r}, trainable={self.trainable})"


def convert_variables_to_tensors(values: Any) -> Any:
    """The structure with each Variable replaced by its value, also inside composite tensors."""
    from tapeflow.engine.values.convert import convert_to_tensor  # start-up
    from tapeflow.engine.values.variable import Variable

    def read(value: object) -> Any:
        if isinstance(value, CompositeTensor):
            return value._convert_variables_to_tensors()
        return convert_to_tensor(value) if isinstance(value, Variable) else value

    return nest.map_structure(read, values)
