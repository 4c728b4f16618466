"""Small programs are compiled in a simpler way, in about half the time.

XLA's newer code generator makes better loops over large arrays and takes half of a compilation. A program on small
arrays gains nothing from it: starting its kernels takes longer than running them. The older generator compiles a dense
step of 32 units in 0.5 instead of 0.8 s of the processor's time, and the step is as fast.

LLVM's optimisation stays on. Without it (level 0) compiling takes 0.3 s, but XLA 0.10.2 then computes NaN for some
gradients, such as those of a small causal attention layer on sequences of 11 tokens, on processors with AVX-512.

The two generators may round differently. Which programs are small therefore follows from their arrays alone, and a step
is judged alike whether it runs by itself or as the body of `fit`'s loop.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from typing import Any

from tapeflow.engine.backend import jax

_MOST_ELEMENTS = 4096
"""So large an array may be, times the turns of the loops around it."""
_OPTIONS = {"xla_backend_optimization_level": 2, "xla_cpu_use_fusion_emitters": False}
# What a loop over stacked batches adds to its body: the batch is cut out, results are put in their places.
_MOVING = {"dynamic_slice", "dynamic_update_slice", "reshape", "squeeze"}


def jitted(function: Callable[..., Any], donated: tuple[int, ...], is_looped: bool, *arguments: Any) -> Any:
    """`jax.jit` of a function that will be called with arguments like these.

    Args:
        function: a pure function of arrays.
        donated: which arguments may be overwritten.
        is_looped: whether a loop at the top of the function is around what counts: its turns are not.
        arguments: arrays, or their shapes.
    """
    found = jax.jit(function, donate_argnums=donated)
    if jax.default_backend() != "cpu" or not _is_small(found.trace(*arguments).jaxpr.jaxpr, is_looped):
        return found
    return jax.jit(function, donate_argnums=donated, compiler_options=_OPTIONS)


def _is_small(jaxpr: Any, is_looped: bool) -> bool:
    return all(_size(operation, is_looped) <= _MOST_ELEMENTS for operation in jaxpr.eqns)


def _size(operation: Any, is_looped: bool = False) -> float:
    """The elements of the largest array that an operation computes with, times the turns of loops in it."""
    parts = list(_parts(operation))
    if not parts:
        return max(map(_elements, (*operation.invars, *operation.outvars)), default=0) * (
            operation.primitive.name not in _MOVING
        )
    if operation.primitive.name == "while":
        turns = 1 if is_looped else math.inf  # as many as its data say
    else:
        turns = operation.params.get("length", 1)
    return turns * max((_size(inner) for part in parts for inner in part.eqns), default=0)


def _parts(operation: Any) -> Iterator[Any]:
    """The programs that an operation runs."""
    for value in operation.params.values():
        for one in value if isinstance(value, tuple | list) else (value,):
            found = getattr(one, "jaxpr", one)
            if hasattr(found, "eqns"):
                yield found


def _elements(variable: Any) -> int:
    return math.prod(variable.aval.shape)
