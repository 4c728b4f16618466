"""Trace types: which calls of a `tf.function` TensorFlow traces once, and which it traces anew.

A record is of fixed shapes, so Python may run again for a size, a Variable or a tape that an existing trace covers.
Such a run is no trace: `experimental_get_tracing_count` counts what `TraceTypes` has not met, by TensorFlow's rules.
"""

from __future__ import annotations

from collections.abc import Hashable
from dataclasses import dataclass
from typing import NamedTuple

from tapeflow.engine.functions.function_type import TraceType
from tapeflow.engine.recording.node import Spec
from tapeflow.engine.values.tensor_spec import TensorSpec
from tapeflow.engine.values.variable import Variable

Dims = tuple[int | None, ...] | None


@dataclass(frozen=True)
class OfTensor:
    """A tensor of some dtype and shape; `dims` is None if not even the rank is known."""

    dtype: Hashable
    dims: Dims

    def covers(self, other: LeafType) -> bool:
        """Whether a trace for this type serves the other one."""
        if not isinstance(other, OfTensor) or self.dtype is not other.dtype:
            return False
        if self.dims is None:
            return True
        return (
            other.dims is not None
            and len(self.dims) == len(other.dims)
            and all(a is None or a == b for a, b in zip(self.dims, other.dims, strict=True))
        )

    def joined(self, other: LeafType) -> OfTensor | None:
        """The closest type that covers both."""
        if not isinstance(other, OfTensor) or self.dtype is not other.dtype:
            return None
        if self.dims is None or other.dims is None or len(self.dims) != len(other.dims):
            return OfTensor(self.dtype, None)
        dims = [a if a == b else None for a, b in zip(self.dims, other.dims, strict=True)]
        return OfTensor(self.dtype, tuple(dims))


@dataclass(frozen=True)
class OfValue:
    """Anything else, which counts by its value or identity."""

    key: Hashable

    def covers(self, other: LeafType) -> bool:
        """Whether a trace for this type serves the other one."""
        if (
            isinstance(other, OfValue)
            and isinstance(self.key, TraceType)
            and isinstance(other.key, TraceType)
        ):
            return self.key == other.key or other.key.is_subtype_of(self.key)
        return self == other

    def joined(self, other: LeafType) -> OfValue | None:
        """The closest type that covers both, if there is one."""
        if self == other:
            return self
        if (
            isinstance(other, OfValue)
            and isinstance(self.key, TraceType)
            and isinstance(other.key, TraceType)
        ):
            common = self.key.most_specific_common_supertype([other.key])
            return None if common is None else OfValue(common)
        return None


LeafType = OfTensor | OfValue


class CallType(NamedTuple):
    """The type of a call: the structure of its arguments, and the type of each leaf."""

    structure: Hashable
    leaves: tuple[LeafType, ...]

    def covers(self, other: CallType) -> bool:
        """Whether a trace for this call serves the other one."""
        return self.structure == other.structure and all(
            a.covers(b) for a, b in zip(self.leaves, other.leaves, strict=True)
        )

    def joined(self, other: CallType) -> CallType | None:
        """The closest type that covers both, if there is one."""
        if self.structure != other.structure:
            return None
        found: list[LeafType] = []
        for a, b in zip(self.leaves, other.leaves, strict=True):
            common = a.joined(b)
            if common is None:
                return None
            found.append(common)
        return CallType(self.structure, tuple(found))


def type_of_spec(spec: Spec | TensorSpec) -> OfTensor:
    """The type of tensors with this spec."""
    if isinstance(spec, TensorSpec):
        return OfTensor(spec.dtype, None if spec.shape.rank is None else tuple(spec.shape.as_list()))
    return OfTensor(spec.dtype, spec.shape)


def type_of_variable(variable: Variable, before: list[Variable]) -> OfValue:
    """The type of a Variable: those of one shape and dtype are alike, unless one is passed twice.

    Args:
        variable: the argument.
        before: the Variables among the arguments so far; it is added.
    """
    number = next((i for i, v in enumerate(before) if v is variable), len(before))
    if number == len(before):
        before.append(variable)
    return OfValue(("variable", variable.dtype, tuple(variable.shape), variable.trainable, number))


class TraceTypes:
    """The types of the calls that have been traced.

    Attributes:
        count: how many traces there were.
    """

    def __init__(self) -> None:
        self._traced: list[CallType] = []
        self.count = 0

    def covering(self, call: CallType) -> CallType | None:
        """The type of the trace that serves a call, if there is one."""
        return next((t for t in self._traced if t == call), None) or next(
            (t for t in self._traced if t.covers(call)), None
        )

    def trace(self, call: CallType, generalises: bool) -> CallType:
        """Count a trace for a call, of a more general type if it `generalises` from those before."""
        if generalises:
            for other in self._traced:
                call = call.joined(other) or call
        self._traced.append(call)
        self.count += 1
        return call

    def forget_since(self, count: int) -> None:
        """Take back the traces after so many, as Python has raised an error in them."""
        del self._traced[len(self._traced) - (self.count - count) :]
        self.count = count
