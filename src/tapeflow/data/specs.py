"""Specs of components: their union, their batches, and that of a dataset within a dataset."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from tapeflow.data import composites
from tapeflow.data.composites import COMPOSITE_SPECS, COMPOSITES
from tapeflow.data.structure import spec_of_array
from tapeflow.engine.values.annotations import ShapeLike
from tapeflow.engine.values.dtypes import string
from tapeflow.engine.values.shape import TensorShape, as_shape
from tapeflow.engine.values.tensor_spec import TensorSpec


def are_settled(specs: Sequence[Any]) -> bool:
    """Whether components are arrays of numbers, of shapes that are known: who has none of a batch knows its form."""
    return all(isinstance(s, TensorSpec) and s.dtype != string and s.shape.is_fully_defined() for s in specs)


class DatasetSpec:
    """The spec of a component that is itself a dataset."""

    def __init__(self, element_spec: Any, dataset_shape: ShapeLike = ()) -> None:
        self._element_spec = element_spec
        self._shape = as_shape(dataset_shape)

    @property
    def element_spec(self) -> Any:
        """The structure of specs of the dataset's elements."""
        return self._element_spec

    @property
    def shape(self) -> TensorShape:
        """The shape of the component: a scalar."""
        return self._shape

    def __eq__(self, other: object) -> bool:
        return isinstance(other, DatasetSpec) and self._element_spec == other._element_spec

    def __hash__(self) -> int:
        return hash((DatasetSpec, repr(self._element_spec)))

    def __repr__(self) -> str:
        return f"DatasetSpec({self._element_spec!r}, {self._shape!r})"


class _Held:
    """The spec of something that holds or gives elements of one structure."""

    def __init__(self, element_spec: Any) -> None:
        self._element_spec = element_spec

    @property
    def element_spec(self) -> Any:
        """The structure of specs of the elements."""
        return self._element_spec

    def is_compatible_with(self, other: object) -> bool:
        """Whether another spec, or the spec of a value, is the same."""
        return self == getattr(other, "_type_spec", other)

    def __eq__(self, other: object) -> bool:
        return type(other) is type(self) and self._element_spec == other._element_spec

    def __hash__(self) -> int:
        return hash((type(self), repr(self._element_spec)))

    def __repr__(self) -> str:
        return f"{type(self).__name__}({self._element_spec!r},)"


class IteratorSpec(_Held):
    """The spec of an iterator over a dataset."""


class OptionalSpec(_Held):
    """The spec of a `tf.experimental.Optional`."""


def spec_of_component(value: object) -> Any:
    """The spec of one component of an element."""
    if isinstance(value, np.ndarray):
        return spec_of_array(value)
    return DatasetSpec(value.element_spec) if not isinstance(value, COMPOSITES) else value._type_spec  # pyright: ignore[reportAttributeAccessIssue]


def batch_spec(spec: object, size: int | None) -> Any:
    """The spec of `size` components (None if it is not known) stacked."""
    if isinstance(spec, COMPOSITE_SPECS):
        return composites.batch_spec(spec, size)
    if not isinstance(spec, TensorSpec):
        raise TypeError(
            "tf.data.Dataset.batch expected components that are tensors; got a component that is a "
            f"dataset, {spec!r}. Use flat_map or interleave, such as ds.flat_map(lambda w: w.batch(3))."
        )
    shape = None if spec.shape.rank is None else [size, *spec.shape]
    return TensorSpec(shape, spec.dtype)


def no_rows(spec: TensorSpec) -> np.ndarray:
    """A batch of no components."""
    shape: Any = (0, *spec.shape)
    return np.empty(shape, spec.dtype.as_numpy_dtype)


def row_spec(spec: Any) -> Any:
    """The spec of a row of a component."""
    if isinstance(spec, COMPOSITE_SPECS):
        return composites.row_spec(spec)
    return TensorSpec(None if spec.shape.rank is None else spec.shape[1:], spec.dtype)


def common_specs(several: Sequence[Sequence[Any]]) -> tuple[Any, ...]:
    """For each component the narrowest spec that all have."""
    found = list(several[0])
    for other in several[1:]:
        found = [
            a.most_specific_compatible_type(b) if isinstance(a, (TensorSpec, *COMPOSITE_SPECS)) else a
            for a, b in zip(found, other, strict=True)
        ]
    return tuple(found)
