"""`tf.TypeSpec`: the base class of descriptions of values."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from tapeflow.engine.values.annotations import TensorLike


class TypeSpec:
    """The base class of specs: of tensors, ragged and sparse ones, extension types, and of a library's own values.

    A subclass for values of one's own defines `value_type`, `_component_specs`, `_to_components`, `_from_components`
    and `_serialize`; the rest follows from these.
    """

    __slots__ = ()

    @property
    def value_type(self) -> type:
        """The Python type of the values that this spec describes."""
        raise NotImplementedError(f"{type(self).__name__}.value_type")

    @property
    def _component_specs(self) -> Any:
        """A structure of specs: one for each of a value's components."""
        raise NotImplementedError(f"{type(self).__name__}._component_specs")

    def _to_components(self, value: object) -> Any:
        """The tensors that a value is made of, in the structure of `_component_specs`."""
        raise NotImplementedError(f"{type(self).__name__}._to_components")

    def _from_components(self, components: Any) -> Any:
        """A value of tensors in the structure of `_component_specs`."""
        raise NotImplementedError(f"{type(self).__name__}._from_components")

    def _serialize(self) -> tuple[Any, ...]:
        """The values that define this spec: specs of one class are equal if these are."""
        raise NotImplementedError(f"{type(self).__name__}._serialize")

    @classmethod
    def _deserialize(cls, serialization: tuple[Any, ...]) -> TypeSpec:
        """A spec of what `_serialize` gave."""
        return cls(*serialization)

    def is_compatible_with(self, spec_or_value: Any, /) -> bool:
        """Whether a value, or some value of a spec, can meet this spec."""
        other = spec_or_value if isinstance(spec_or_value, TypeSpec) else _spec_of(spec_or_value)
        return type(other) is type(self) and _are_compatible(_comparable(self), _comparable(other))

    def is_subtype_of(self, other: TensorLike) -> bool:
        """Whether everything that meets this spec also meets `other`."""
        return type(other) is type(self) and _comparable(self) == _comparable(other)

    def most_specific_common_supertype(self, others: Sequence[Any]) -> TypeSpec | None:
        """The narrowest spec that this one and the others meet, if there is one."""
        return self if all(self.is_subtype_of(o) and o.is_subtype_of(self) for o in others) else None

    def most_specific_compatible_type(self, other: Any) -> TypeSpec:
        """The narrowest spec that both meet; a `ValueError` if there is none."""
        common = self.most_specific_common_supertype([other])
        if common is None:
            raise ValueError(
                f"{type(self).__name__}.most_specific_compatible_type expected a spec that is compatible "
                f"with {self!r}; got "
                f"other={other!r}. No TypeSpec is compatible with both."
            )
        return common

    def __eq__(self, other: object) -> bool:
        if type(other) is not type(self) or not isinstance(other, TypeSpec):
            return NotImplemented
        return _comparable(self) == _comparable(other)

    def __hash__(self) -> int:
        return hash((type(self), _comparable(self)))

    def __repr__(self) -> str:
        return f"{type(self).__name__}{self._serialize()!r}"


def _spec_of(value: object) -> Any:
    return getattr(value, "_type_spec", None)


def _comparable(value: object) -> Any:
    """A hashable key to compare specs by: structures as tuples, and what cannot be hashed as its text."""
    if isinstance(value, TypeSpec) and type(value)._serialize is not TypeSpec._serialize:
        return type(value), _comparable(value._serialize())
    if isinstance(value, dict):
        return "dict", tuple((key, _comparable(value[key])) for key in sorted(value, key=repr))
    if isinstance(value, (list, tuple)):
        return type(value).__name__, tuple(_comparable(v) for v in value)
    try:
        hash(value)
    except TypeError:
        return repr(value)
    return value


def _are_compatible(mine: Any, other: TensorLike) -> bool:
    if isinstance(mine, tuple) and isinstance(other, tuple):
        return len(mine) == len(other) and all(map(_are_compatible, mine, other))
    return mine.is_compatible_with(other) if isinstance(mine, TypeSpec) else mine == other
