"""The structure of an element: tuples, dicts and named tuples of components; a list is one component.

Inside a pipeline an element is *flat*: a tuple of numpy arrays (of objects for strings) or of datasets,
without the places where the user's structure has None. A `Structure` goes between the two forms.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np

from tapeflow.data.piped import Piped
from tapeflow.engine.programs.running import materialise
from tapeflow.engine.recording.node import host_node, spec_of
from tapeflow.engine.recording.recorder import tensor_of
from tapeflow.engine.recording.symbolic import DispatchTarget
from tapeflow.engine.values import nest
from tapeflow.engine.values.annotations import TensorLike
from tapeflow.engine.values.convert import to_node
from tapeflow.engine.values.dtypes import DType, as_dtype, string
from tapeflow.engine.values.tensor import Tensor, TensorBase
from tapeflow.engine.values.tensor_spec import TensorSpec
from tapeflow.ops.types.extension_type import ExtensionType

Flat = tuple[Any, ...]


class NoneTensorSpec:
    """The spec of a place that holds None."""

    def __eq__(self, other: object) -> bool:
        return isinstance(other, NoneTensorSpec)

    def __hash__(self) -> int:
        return hash(NoneTensorSpec)

    def __repr__(self) -> str:
        return "NoneTensorSpec()"


class Structure:
    """How the components of an element are arranged, with None where there is no component."""

    __slots__ = ("_has_none", "_is_plain_tuple", "_is_single", "template")

    def __init__(self, template: object) -> None:
        leaves = nest.flatten(template)
        self._has_none = any(leaf is None for leaf in leaves)
        self._is_single = not nest.is_nested(template) and not self._has_none
        self._is_plain_tuple = (
            type(template) is tuple
            and not self._has_none
            and not any(nest.is_nested(part) for part in template)
        )
        self.template = nest.map_structure(lambda leaf: None if leaf is None else 0, template)

    @property
    def is_tuple(self) -> bool:
        """Whether a function of the element gets its parts as arguments of their own."""
        return type(self.template) is tuple

    def pack(self, flat: Sequence[Any]) -> Any:
        """Components in the user's structure."""
        if self._is_single:
            return flat[0]
        if self._is_plain_tuple:
            return tuple(flat)
        if not self._has_none:
            return nest.pack_sequence_as(self.template, list(flat))
        rest = iter(flat)
        return nest.map_structure(lambda leaf: None if leaf is None else next(rest), self.template)

    def specs(self, specs: Sequence[Any]) -> Any:
        """Specs in the user's structure, with one for None too."""
        rest = iter(specs)
        return nest.map_structure(
            lambda leaf: NoneTensorSpec() if leaf is None else next(rest), self.template
        )

    def matches(self, other: Structure) -> bool:
        """Whether elements of both are arranged alike."""
        try:
            nest.assert_same_structure(self.template, other.template)
        except (TypeError, ValueError):
            return False
        return nest.flatten(self.template) == nest.flatten(other.template)


def flattened(structure: object) -> list[Any]:
    """The components of a structure without lists, None left out."""
    return [leaf for leaf in nest.flatten(structure) if leaf is not None]


def map_parts(function: Callable[[Any], Any], value: object) -> Any:
    """Apply `function` to each component; lists are components, not structure."""
    if value is None:
        return None
    if isinstance(value, (Mapping, tuple)):
        keys = sorted(value) if isinstance(value, Mapping) else range(len(value))
        parts = {k: map_parts(function, value[k]) for k in keys}
        if isinstance(value, Mapping):
            found = {k: parts[k] for k in value}
            return found if type(value) is dict else nest.map_structure(lambda x: x, _like(value, found))
        rebuilt = [parts[k] for k in keys]
        return type(value)(*rebuilt) if hasattr(value, "_fields") else tuple(rebuilt)
    if isinstance(value, ExtensionType):
        return value._from_fields(*[map_parts(function, getattr(value, name)) for name in value._fields])
    return function(value)


def _like(mapping: Mapping[Any, Any], parts: dict[Any, Any]) -> Any:
    try:
        return type(mapping)(parts)  # pyright: ignore[reportCallIssue]
    except TypeError:
        return parts


def as_array(value: TensorLike, dtype: DType | None = None) -> np.ndarray:
    """Anything a tensor can be made of, as an array nobody else will change."""
    node = to_node(value, dtype)
    array = np.asarray(materialise(node))
    if array.dtype != node.spec.np_dtype:
        array = array.astype(node.spec.np_dtype)
    return array


def as_tensor(array: TensorLike) -> Any:
    """A component as user code sees it: a tensor on the host, or a dataset as it is."""
    if not isinstance(array, np.ndarray):
        return array
    plain = array.view(np.ndarray)
    if plain.dtype == object:
        return tensor_of(host_node(plain, spec_of(plain.shape, string)))
    return tensor_of(host_node(plain))


def spec_of_array(array: np.ndarray) -> TensorSpec:
    """The spec of a component."""
    return TensorSpec(array.shape, string if array.dtype == object else as_dtype(array.dtype))


def as_result(value: object) -> Any:
    """One part of what a user's function returned, as a tensor; ragged and sparse tensors and datasets stay."""
    if isinstance(value, Tensor):
        return value
    if isinstance(value, TensorBase):
        return tensor_of(value._as_node())
    if isinstance(value, DispatchTarget):
        return value
    return value if isinstance(value, Piped) else tensor_of(to_node(value))
