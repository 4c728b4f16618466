"""`FunctionType`: the signature of a `tf.function`, and of one call of it; `TraceType`: what an argument counts as."""

from __future__ import annotations

import abc
import inspect
from collections.abc import Mapping, Sequence
from typing import Any, Protocol, runtime_checkable

from tapeflow.engine.values.tensor_spec import TensorSpec


class TraceType(abc.ABC):
    """What makes two arguments alike to a `tf.function`: equal types share a record."""

    @abc.abstractmethod
    def is_subtype_of(self, other: TraceType) -> bool:
        """Whether a record for the other type serves this one."""

    @abc.abstractmethod
    def most_specific_common_supertype(self, others: Sequence[TraceType]) -> TraceType | None:
        """A type that serves this one and the others, if there is one."""

    @abc.abstractmethod
    def placeholder_value(self, placeholder_context: Any) -> Any:
        """A value that stands for all of this type; a call is recorded with the argument itself."""

    @abc.abstractmethod
    def __hash__(self) -> int: ...

    @abc.abstractmethod
    def __eq__(self, other: object) -> bool: ...


class TracingContext:
    """What is told to `__tf_tracing_type__`: nothing is needed here."""


@runtime_checkable
class SupportsTracingProtocol(Protocol):
    """An object that says what it counts as."""

    def __tf_tracing_type__(self, context: Any) -> TraceType:
        """The type of this object."""
        ...


class Literal:
    """The type of an argument that counts by its value."""

    def __init__(self, value: Any) -> None:
        self.value = value

    def __eq__(self, other: object) -> bool:
        return (
            isinstance(other, Literal) and type(self.value) is type(other.value) and self.value == other.value
        )

    def __hash__(self) -> int:
        return hash((Literal, repr(self.value)))

    def __repr__(self) -> str:
        return f"Literal[{self.value!r}]"


class _Default:
    def __repr__(self) -> str:
        return "<captured_default_value>"


DEFAULT = _Default()


class FunctionType(inspect.Signature):
    """A signature whose annotations are the types of the arguments."""

    @classmethod
    def of_function(cls, signature: inspect.Signature) -> FunctionType:
        """The type of a function that may be called in many ways."""
        found = [
            p.replace(
                annotation=inspect.Parameter.empty,
                default=p.default if p.default is inspect.Parameter.empty else DEFAULT,
            )
            for p in signature.parameters.values()
        ]
        return cls(found)

    @classmethod
    def of_call(cls, signature: inspect.Signature, arguments: Mapping[str, Any], result: Any) -> FunctionType:
        """The type of calls with arguments like these."""
        found = [
            p.replace(default=inspect.Parameter.empty, annotation=_type_of(arguments[name]))
            for name, p in signature.parameters.items()
            if name in arguments
        ]
        return cls(found, return_annotation=_type_of(result))


def _type_of(value: Any) -> Any:
    if isinstance(value, TensorSpec):
        return TensorSpec(value.shape, value.dtype)
    if isinstance(value, (list, tuple)):
        return type(value)([_type_of(v) for v in value]) if not hasattr(value, "_fields") else value
    if isinstance(value, dict):
        return {k: _type_of(v) for k, v in value.items()}
    return value if value is None else Literal(value)
