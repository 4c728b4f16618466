"""The recorded expression: `Spec` (shape and dtype) and `Node` (one op applied, or one value).

A node is *concrete* (it has a value), *pending* (it belongs to a trace that has not run) or a
*placeholder* (the argument of a body that is being recorded). Nodes point only at their inputs, so
they never form cycles, and at no user object: who still wants a node's value is known from a weak
reference to its `Tensor` and from `held`, the count of Variables and staged functions owning it.
"""

from __future__ import annotations

import os
import sys
from types import CodeType
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from tapeflow.engine.shapes.skeleton import Fixed, structured
from tapeflow.engine.values.dtypes import DType, as_dtype

if TYPE_CHECKING:
    from tapeflow.engine.recording.trace import Trace

Value = Any
"""A concrete value: `numpy.ndarray` (still on the host), `jax.Array`, or a Python float (a host scalar)."""


class Spec:
    """A shape and a dtype. Interned by `spec_of`: two equal specs are one object."""

    __slots__ = ("dtype", "is_differentiable", "nbytes", "np_dtype", "packed", "shape")

    def __init__(self, shape: tuple[int, ...], dtype: DType) -> None:
        self.shape = shape
        self.dtype = dtype
        self.np_dtype = np.dtype(dtype.as_numpy_dtype)
        self.nbytes = int(np.prod(shape, dtype=np.int64)) * self.np_dtype.itemsize
        self.is_differentiable = dtype.is_floating or dtype.is_complex
        # Stands in a program's key for a host scalar, which travels packed with the others.
        self.packed = ("packed", dtype) if shape == () and dtype.name in _PACKABLE else None

    def __repr__(self) -> str:
        return f"{self.dtype.name}[{','.join(map(str, self.shape))}]"


class SizedSpec(NamedTuple):
    """What the inside of a program asks of a spec, for sizes that may be symbolic."""

    shape: tuple[Any, ...]
    dtype: DType
    np_dtype: np.dtype


structured[Spec] = (
    lambda spec: (Fixed(spec.dtype), spec.shape),
    lambda spec, parts: SizedSpec(parts[1], spec.dtype, spec.np_dtype),
)

_PACKABLE = frozenset(
    [
        "float16",
        "bfloat16",
        "float32",
        "float64",
        "complex64",
        "complex128",
        "bool",
        "int8",
        "int16",
        "int32",
        "int64",
        "uint8",
        "uint16",
        "uint32",
        "uint64",
    ]
)
_SPECS: dict[tuple[tuple[int, ...], DType], Spec] = {}
_DTYPES: dict[Any, DType] = {}


def spec_of(shape: tuple[int, ...], dtype: DType) -> Spec:
    """The one `Spec` with this shape and dtype."""
    spec = _SPECS.get((shape, dtype))
    if spec is None:
        spec = _SPECS.setdefault((shape, dtype), Spec(shape, dtype))
    return spec


def spec_of_value(value: Value) -> Spec:
    """The spec of a numpy or JAX array."""
    dtype = _DTYPES.get(value.dtype)
    if dtype is None:
        dtype = _DTYPES[value.dtype] = as_dtype(value.dtype)
    return spec_of(value.shape, dtype)


class Node:
    """One op applied to inputs, or one value. See the module's text for the three kinds.

    What few nodes have is a class attribute until it is set: a node is made for every op call.
    """

    __slots__ = (
        "__dict__",
        "code",
        "error",
        "handle",
        "held",
        "host",
        "inputs",
        "instance",
        "lasti",
        "slot",
        "slots",
        "spec",
        "tapes",
        "trace",
        "value",
    )
    inner: tuple[Any, ...] = ()
    source: Any = None
    parts: Any = None
    ghost: Node | None = None
    tape_count = 0  # how many live tapes keep it

    def __init__(self, spec: Any, value: Value = None, host: bool = False) -> None:
        self.spec = spec
        self.value = value
        self.host = host
        self.instance: Any = None
        self.inputs: tuple[Node, ...] = ()
        self.slots: tuple[int, ...] = ()
        self.slot = 0
        self.trace: Trace | None = None
        self.tapes: tuple[Any, ...] = ()
        self.handle: Any = None
        self.held = 0
        self.error: BaseException | None = None
        self.code: CodeType | None = None
        self.lasti = 0

    @property
    def is_wanted(self) -> bool:
        """Whether somebody could still ask for this node's value."""
        return self.held > 0 or (self.handle is not None and self.handle() is not None)

    def array(self) -> Value:
        """The value as an array."""
        value = self.value
        return np.asarray(value, self.spec.np_dtype) if type(value) is float else value

    def line(self) -> str:
        """`file:line` of the user's call that made this node."""
        return line_of(self.code, self.lasti)

    def __repr__(self) -> str:
        state = "value" if self.value is not None else "pending" if self.trace else "bare"
        return f"<Node {self.instance or 'leaf'} {self.spec} {state}>"


def host_node(value: np.ndarray, spec: Spec | None = None) -> Node:
    """A concrete node whose value lies on the host and never changes (the caller has copied it)."""
    return Node(spec or spec_of_value(value), value, True)


_FILE = (
    spec_of.__code__.co_filename
)  # as code objects spell it: through a link, that is not the resolved path
_PACKAGE = os.path.join(os.path.dirname(os.path.dirname(os.path.dirname(_FILE))), "")


class _Ours(dict[str, bool]):
    """By file name, whether code belongs to this package."""

    def __missing__(self, name: str) -> bool:
        is_own = self[name] = name.startswith(_PACKAGE)
        return is_own


is_ours = _Ours()


def user_position(depth: int = 2) -> tuple[CodeType | None, int]:
    """The code object and bytecode offset of the nearest caller outside this package.

    Offsets, not line numbers: decoding the line table for every op would cost more than the op.
    """
    frame = sys._getframe(depth)
    while frame is not None:
        code = frame.f_code
        if not is_ours[code.co_filename]:
            return code, frame.f_lasti
        frame = frame.f_back
    return None, 0


def line_of(code: CodeType | None, lasti: int) -> str:
    """`file:line` of a position given by `user_position`."""
    if code is None:
        return "<unknown>:0"
    for start, end, line in code.co_lines():
        if start <= lasti < end and line is not None:
            return f"{code.co_filename}:{line}"
    return f"{code.co_filename}:{code.co_firstlineno}"
