"""Small ops on the host: a jaxpr as a row of numpy calls, instead of a compiled program.

Compiling takes 30 ms however small an op is, and half a second for a page of them; interpreting takes a few
microseconds an op. Whether an op can be interpreted is decided by its jaxpr alone. `hosted` says when it is.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from typing import Any, NamedTuple

import numpy as np

from tapeflow.engine.backend import ClosedJaxpr
from tapeflow.engine.programs.host_rules import MADE, PLAIN, WITH_PARAMETERS, Operands
from tapeflow.engine.recording.node import Spec
from tapeflow.engine.shapes.expression import evaluate, is_symbolic

_MOST_ELEMENTS = 1 << 14
_MOST_TURNS = 64
_DTYPES = frozenset(
    np.dtype(d)
    for d in [
        "float32",
        "float64",
        "int8",
        "int16",
        "int32",
        "int64",
        "uint8",
        "uint16",
        "uint32",
        "uint64",
        "bool",
    ]
)
_CALLS = ("jit", "pjit", "closed_call", "custom_jvp_call", "custom_vjp_call", "checkpoint")
_MOVING = {
    "broadcast_in_dim",
    "reshape",
    "transpose",
    "squeeze",
    "concatenate",
    "split",
    "rev",
    "pad",
    "slice",
}


class _Call(NamedTuple):
    """One numpy call: what is called, the places of its operands, and the place, dtype and shape of each result.

    `function` is None where there is no rule, which does no harm if nobody needs the results. `arithmetic` names the
    primitives in it that compute floating-point numbers.
    """

    function: Callable[..., Any] | None
    operands: tuple[int, ...]
    results: tuple[tuple[int, Any, tuple[int, ...]], ...]
    arithmetic: tuple[str, ...]
    elements: int


def is_small(specs: Sequence[Spec]) -> bool:
    """Whether inputs are small enough for the host."""
    return all(math.prod(spec.shape) <= _MOST_ELEMENTS for spec in specs)


class HostFunction:
    """What a jaxpr does, with numpy: calls that take their operands from numbered places and put results into others.

    Attributes:
        elements: how many elements its calls compute in all.
        run: what calling it does.
        arithmetic: the primitives that compute floating-point numbers, in order. Two functions with the same give
            the same bits.
    """

    __slots__ = ("arithmetic", "elements", "run")

    def __init__(self, places: list[Any], inputs: int, calls: Sequence[_Call], results: list[int]) -> None:
        self.arithmetic = tuple([name for call in calls for name in call.arithmetic])
        self.elements = sum(call.elements for call in calls)
        # Functions that do not refer to this object, which would then stay until the garbage collector comes.
        self.run = _running_one(inputs, calls, results) or _running_all(places, inputs, calls, results)

    def __call__(self, *values: Any) -> list[np.ndarray]:
        """The results for these arrays."""
        return self.run(*values)


Run = Callable[..., list[np.ndarray]]


def _running_all(start: list[Any], inputs: int, calls: Sequence[_Call], results: list[int]) -> Run:
    """Makes all calls."""
    rest = [call[:3] for call in calls]

    def run(*values: Any) -> list[np.ndarray]:
        places = start.copy()
        places[:inputs] = values
        _run(places, rest)
        return [places[i] for i in results]

    return run


def _running_one(inputs: int, calls: Sequence[_Call], results: list[int]) -> Run | None:
    """Makes the one call there is, if it takes the inputs as they are: most ops are such."""
    if len(calls) != 1:
        return None
    function, operands, made, *_ = calls[0]
    if function is None or operands != tuple(range(inputs)) or [place for place, *_ in made] != results:
        return None
    if len(made) != 1:
        return None
    ((_, dtype, shape),) = made

    def run(*values: Any) -> list[np.ndarray]:
        found = function(*values)
        if type(found) is list:
            (found,) = found
        if type(found) is not np.ndarray or found.dtype != dtype:
            found = np.asarray(found, dtype)
        return [found if found.shape == shape else found.reshape(shape)]

    return run


def _run(places: list[Any], calls: Sequence[Any]) -> None:
    """Make calls, each a function, its operands' places and its results."""
    for function, operands, results in calls:
        found = function(*[places[i] for i in operands])
        if type(found) is not list:
            ((place, dtype, shape),) = results
            if type(found) is not np.ndarray or found.dtype != dtype:
                found = np.asarray(found, dtype)
            places[place] = found if found.shape == shape else found.reshape(shape)
            continue
        for value, (place, dtype, shape) in zip(found, results, strict=True):
            if type(value) is not np.ndarray or value.dtype != dtype:
                value = np.asarray(value, dtype)
            places[place] = value if value.shape == shape else value.reshape(shape)


def host_function(closed: Any, sizes: Mapping[str, int] | None = None) -> HostFunction | None:
    """A function of arrays that does what a closed jaxpr does, or `None` if we do not know how.

    Args:
        closed: the jaxpr.
        sizes: by name, what its symbolic sizes are.
    """
    building = _Building(sizes or {})
    inputs = [building.place() for _ in closed.jaxpr.invars]
    with np.errstate(all="ignore"):
        results = building.inlined(closed, inputs)
    calls = _needed(building.calls, results)
    if any(call.function is None for call in calls):
        return None
    return HostFunction(building.places, len(inputs), calls, results)


def _needed(calls: Sequence[_Call], results: Sequence[int]) -> list[_Call]:
    """The calls that give something to the results."""
    used, found = set(results), []
    for call in reversed(calls):
        if any(place in used for place, _, _ in call.results):
            used.update(call.operands)
            found.append(call)
    return found[::-1]


class _Building:
    """The calls of a function that is being put together."""

    def __init__(self, sizes: Mapping[str, int]) -> None:
        self._sizes = sizes
        self.places: list[Any] = []
        self.calls: list[_Call] = []

    def place(self, value: Any = None) -> int:
        """One more place, which may have a value from the start."""
        self.places.append(value)
        return len(self.places) - 1

    def inlined(self, closed: Any, operands: Sequence[int]) -> list[int]:
        """Append the calls of a closed jaxpr; where its results will be."""
        jaxpr = closed.jaxpr
        known: dict[Any, int] = {
            var: self.place(np.asarray(value) if var.aval.dtype in _DTYPES else None)
            for var, value in zip(jaxpr.constvars, closed.consts, strict=True)
        }
        known.update(zip(jaxpr.invars, operands, strict=True))

        def place_of(atom: Any) -> int:
            if hasattr(atom, "val"):
                return self.place(np.asarray(atom.val, atom.aval.dtype))
            return known[atom]

        for equation in jaxpr.eqns:
            inputs = [place_of(atom) for atom in equation.invars]
            known.update(zip(equation.outvars, self._applied(equation, inputs), strict=True))
        return [place_of(atom) for atom in jaxpr.outvars]

    def _number(self, value: Any) -> Any:
        """A parameter with numbers for its symbolic sizes."""
        if type(value) is tuple:
            return tuple([self._number(part) for part in value])
        return evaluate(value, self._sizes) if is_symbolic(value) else value

    def _shape(self, atom: Any) -> tuple[int, ...]:
        return self._number(tuple(getattr(atom.aval, "shape", ())))

    def _takes(self, atom: Any) -> bool:
        """Whether the host takes such arrays."""
        dtype = getattr(atom.aval, "dtype", None)
        return dtype in _DTYPES and math.prod(self._shape(atom)) <= _MOST_ELEMENTS

    def _applied(self, equation: Any, inputs: Sequence[int]) -> list[int]:
        """Append what an equation does; where its results will be."""
        name, parameters = equation.primitive.name, equation.params
        if name in _CALLS:
            return self.inlined(_called(parameters), inputs)
        found = [
            (self.place(), getattr(atom.aval, "dtype", None), self._shape(atom)) for atom in equation.outvars
        ]
        function, inner = None, []
        if all(map(self._takes, (*equation.invars, *equation.outvars))):
            operands = [(atom.aval.dtype, self._shape(atom)) for atom in equation.invars]
            function, inner = self._rule(name, parameters, operands)
        # A random key's dtype is JAX's own, and has no kind.
        is_arithmetic = name not in _MOVING and any(
            getattr(dtype, "kind", "") == "f" for _, dtype, _ in found
        )
        arithmetic = [name] * is_arithmetic + [part for one in inner for part in one.arithmetic]
        elements = sum(math.prod(shape) for *_, shape in found)
        elements += self._number(parameters.get("length", 1)) * sum(one.elements for one in inner)
        call = _Call(function, tuple(inputs), tuple(found), tuple(arithmetic), elements)
        if function is not None and all(self.places[i] is not None for i in inputs):
            _run(self.places, [call[:3]])  # its operands are constants, and so are its results
        else:
            self.calls.append(call)
        return [place for place, *_ in found]

    def _rule(
        self, name: str, parameters: Mapping[str, Any], operands: Operands
    ) -> tuple[Callable[..., Any] | None, list[HostFunction]]:
        """The function for a primitive, if there is one, and the functions that it calls."""
        plain = PLAIN.get(name)
        if plain is not None:
            return plain, []
        parameters = {key: self._number(value) for key, value in parameters.items()}
        if name == "dim_as_value":
            return lambda: parameters["dim"], []
        if name == "scan" or name == "cond":
            bodies = [parameters["jaxpr"]] if name == "scan" else parameters["branches"]
            inner = [found for body in bodies if (found := host_function(body, self._sizes)) is not None]
            if len(inner) < len(bodies) or not 0 < parameters.get("length", 1) <= _MOST_TURNS:
                return None, []
            return partial(_scan, inner[0], parameters) if name == "scan" else partial(_cond, inner), inner
        if name in MADE:
            return MADE[name](operands, **parameters), []
        is_cropping = name == "pad" and any(i or a < 0 or b < 0 for a, b, i in parameters["padding_config"])
        if name not in WITH_PARAMETERS or is_cropping:
            return None, []
        return partial(WITH_PARAMETERS[name], **parameters), []


def _scan(turn: HostFunction, parameters: Mapping[str, Any], *operands: Any) -> list[Any]:
    """A loop of known length."""
    length, consts, carried = (parameters[key] for key in ("length", "num_consts", "num_carry"))
    fixed, carry, rows = operands[:consts], operands[consts : consts + carried], operands[consts + carried :]
    turns: list[Any] = [None] * length
    for i in range(length)[::-1] if parameters["reverse"] else range(length):
        found = turn(*fixed, *carry, *[row[i] for row in rows])
        carry, turns[i] = found[:carried], found[carried:]
    return [*carry, *map(np.stack, zip(*turns, strict=True))]


def _cond(branches: Sequence[HostFunction], index: Any, *operands: Any) -> list[Any]:
    return branches[min(max(int(index), 0), len(branches) - 1)](*operands)


def _called(parameters: Mapping[str, Any]) -> Any:
    """The closed jaxpr that an equation calls."""
    found: Any = parameters.get("jaxpr") or parameters.get("call_jaxpr") or parameters.get("fun_jaxpr")
    return found if hasattr(found, "consts") else ClosedJaxpr(found, ())
