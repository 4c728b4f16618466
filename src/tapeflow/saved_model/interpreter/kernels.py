"""The table of kernels: what is called for a node of a graph, by the name of its op."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from tapeflow.engine.values import dtypes
from tapeflow.engine.values.dtypes import DType

if TYPE_CHECKING:
    from tapeflow.saved_model.interpreter.library import Library

_MOST_DIMENSIONS = 64


class Dead:
    """What comes out of the side of a `Switch` that is not taken: no op runs on it."""


DEAD = Dead()


class GraphError(ValueError):
    """A graph that cannot be run: it is malformed, or holds an op that is not there."""


class Node:
    """One node of a graph as its kernel sees it: attributes with TensorFlow's defaults, and the functions around it."""

    def __init__(self, proto: Any, library: Library) -> None:
        self.name: str = proto.name
        self.op: str = proto.op
        self.library = library
        self._attributes = proto.attr

    def _get(self, name: str, kind: str) -> Any:
        if name not in self._attributes:
            return None
        value = self._attributes[name]
        if value.WhichOneof("value") != kind:
            raise GraphError(f"node {self.name!r} ({self.op}) has an attribute {name!r} that is no {kind}")
        return getattr(value, kind)

    def has(self, name: str) -> bool:
        """Whether an attribute is given."""
        return name in self._attributes

    def number(self, name: str, default: int = 0) -> int:
        """A whole number."""
        found = self._get(name, "i")
        return default if found is None else found

    def real(self, name: str, default: float = 0.0) -> float:
        """A number."""
        found = self._get(name, "f")
        return default if found is None else found

    def flag(self, name: str, default: bool = False) -> bool:
        """A truth value."""
        found = self._get(name, "b")
        return default if found is None else found

    def text(self, name: str, default: str = "") -> str:
        """A string."""
        found = self._get(name, "s")
        return default if found is None else found.decode("utf-8", "replace")

    def raw(self, name: str, default: bytes = b"") -> bytes:
        """A string as it is."""
        found = self._get(name, "s")
        return default if found is None else found

    def dtype(self, name: str, default: DType = dtypes.float32) -> DType:
        """A dtype."""
        found = self._get(name, "type")
        return default if found is None else dtype_of(found)

    def tensor(self, name: str) -> Any:
        """A TensorProto."""
        found = self._get(name, "tensor")
        if found is None:
            raise GraphError(f"node {self.name!r} ({self.op}) lacks its attribute {name!r}")
        return found

    def shape(self, name: str) -> list[int | None] | None:
        """A shape, None for sizes that are open; None if nothing is known."""
        found = self._get(name, "shape")
        return None if found is None else shape_of(found)

    def ints(self, name: str, default: tuple[int, ...] = ()) -> list[int]:
        """A list of whole numbers."""
        found = self._get(name, "list")
        return list(default) if found is None or not found.i else list(found.i)

    def floats(self, name: str) -> list[float]:
        """A list of numbers."""
        found = self._get(name, "list")
        return [] if found is None else list(found.f)

    def types(self, name: str) -> list[DType]:
        """A list of dtypes."""
        found = self._get(name, "list")
        return [] if found is None else [dtype_of(t) for t in found.type]

    def shapes(self, name: str) -> list[list[int | None] | None]:
        """A list of shapes."""
        found = self._get(name, "list")
        return [] if found is None else [shape_of(s) for s in found.shape]

    def texts(self, name: str) -> list[str]:
        """A list of strings."""
        found = self._get(name, "list")
        return [] if found is None else [s.decode("utf-8", "replace") for s in found.s]

    def function(self, name: str) -> str:
        """The name of a function."""
        found = self._get(name, "func")
        if found is None:
            raise GraphError(f"node {self.name!r} ({self.op}) lacks its function {name!r}")
        return found.name

    def functions(self, name: str) -> list[str]:
        """The names of several functions."""
        found = self._get(name, "list")
        return [] if found is None else [f.name for f in found.func]

    def functions_called(self) -> list[str]:
        """The names of all functions that it may call."""
        found: list[str] = []
        for value in self._attributes.values():
            kind = value.WhichOneof("value")
            if kind == "func":
                found.append(value.func.name)
            elif kind == "list":
                found += [f.name for f in value.list.func]
        return found


def dtype_of(number: int) -> DType:
    """A dtype by TensorFlow's number; a reference dtype is that of the value."""
    try:
        return dtypes.as_dtype(number - 100 if number > 100 else number)
    except TypeError as error:
        raise GraphError(f"a dtype has number {number}, which is none") from error


def shape_of(proto: Any) -> list[int | None] | None:
    """A TensorShapeProto as a list."""
    if proto.unknown_rank:
        return None
    if len(proto.dim) > _MOST_DIMENSIONS:
        raise GraphError(f"a shape has {len(proto.dim)} dimensions")
    return [d.size if d.size >= 0 else None for d in proto.dim]


Kernel = Callable[..., Any]


class Entry(NamedTuple):
    """A kernel, and the names of its results where there are several."""

    kernel: Kernel
    outputs: tuple[str, ...]


KERNELS: dict[str, Entry] = {}


def implements(*ops: str, outputs: tuple[str, ...] = ()) -> Callable[[Kernel], Kernel]:
    """Put a function into the table: called with the node and its inputs.

    Args:
        ops: the ops that it implements.
        outputs: the names of the results of an op that has several: the function returns a tuple with a value, or a
            list of values, for each. Without, it returns the value or list of the one result.
    """

    def register(kernel: Kernel) -> Kernel:
        for op in ops:
            KERNELS[op] = Entry(kernel, outputs)
        return kernel

    return register


def forwards(op: str, function: Callable[..., Any]) -> None:
    """Put an op into the table whose inputs are a function's arguments and which has no attributes that matter."""
    KERNELS[op] = Entry(lambda _, *inputs: function(*inputs), ())


def array(value: Any) -> np.ndarray:
    """The value of a tensor that decides a shape or an axis."""
    known = value.host_value()
    return np.asarray(value.numpy()) if known is None else np.asarray(known)


def ints(value: object) -> list[int]:
    """A vector of whole numbers, or one of them, as a list."""
    return [int(n) for n in array(value).reshape(-1).tolist()]


def integer(value: object) -> int:
    """A whole number."""
    return int(array(value).reshape(()))
