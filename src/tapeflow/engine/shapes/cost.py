"""How long a program takes to run and to compile: estimates that tell whether one more program is worth it.

They follow from the program alone, never from a clock, so every process comes to the same decision.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from typing import Any

from tapeflow.engine.shapes.expression import Size, evaluate

# Picoseconds, rounded, on two cores of a server.
_PER_ELEMENT = 500
_PER_PRODUCT = 20
_PER_OPERATION = 2_000_000_000  # to compile one


def run_time(jaxpr: Any, sizes: Mapping[str, int]) -> int:
    """About how many picoseconds a program runs with these sizes for its symbols."""
    total = 0
    for operation in jaxpr.eqns:
        inner = sum(run_time(part, sizes) for part in _parts(operation))
        if inner:
            total += inner * evaluate(operation.params.get("length", 1), sizes)
        else:
            elements = sum(_count(result.aval.shape, sizes) for result in operation.outvars)
            total += elements * (_PER_ELEMENT + _PER_PRODUCT * _products(operation, sizes))
    return total


def compile_time(jaxpr: Any) -> int:
    """About how many picoseconds a program takes to compile."""
    return sum(
        sum(compile_time(part) for part in _parts(operation)) or _PER_OPERATION for operation in jaxpr.eqns
    )


def _parts(operation: Any) -> Iterator[Any]:
    """The programs that an operation runs."""
    for value in operation.params.values():
        for one in value if isinstance(value, tuple | list) else (value,):
            found = getattr(one, "jaxpr", one)
            if hasattr(found, "eqns"):
                yield found


def _products(operation: Any, sizes: Mapping[str, int]) -> int:
    """How many products are added up for each element of the result."""
    name = operation.primitive.name
    if name == "dot_general":
        (contracted, _), _ = operation.params["dimension_numbers"]
        shape = operation.invars[0].aval.shape
        return _count([shape[axis] for axis in contracted], sizes)
    if name == "conv_general_dilated":
        filters, outputs = operation.invars[1].aval.shape, operation.params["dimension_numbers"].rhs_spec[0]
        return _count(filters, sizes) // max(evaluate(filters[outputs], sizes), 1)
    return 0


def _count(shape: Any, sizes: Mapping[str, int]) -> int:
    lengths: list[Size] = [evaluate(size, sizes) for size in shape]
    return math.prod(lengths)
