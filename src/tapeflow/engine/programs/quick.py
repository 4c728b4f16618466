"""How programs are compiled: in full, in a simpler way if they are small, or as drafts.

XLA's newer code generator makes better loops over large arrays and takes a good part of a compilation. A program on
small arrays gains nothing from it: starting its kernels takes longer than running them. The older generator compiles a
dense step of 32 units in 0.5 instead of 0.8 s of the processor's time, and the step is as fast.

A draft is compiled with the older generator and few of LLVM's passes, in half of the time; it may run up to twice as
long. It is for programs that may not be needed often (`shapes.family` decides). Without any of LLVM's passes (level 0)
it would take a quarter of the time, but LLVM then fuses products and sums in some kernels and not in others. Values
that are computed in two kernels differ in the last bit, so the gradient of a maximum finds no element that equals it.

Each way may round differently. Which programs are small therefore follows from their arrays alone, and a step
is judged alike whether it runs by itself or as the body of `fit`'s loop.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Sequence
from typing import Any

from tapeflow.engine.backend import jax

_MOST_ELEMENTS = 4096
"""So large an array may be, times the turns of the loops around it."""
_SMALL = {"xla_backend_optimization_level": 2, "xla_cpu_use_fusion_emitters": False}
_DRAFT = {"xla_backend_optimization_level": 1, "xla_cpu_use_fusion_emitters": False}
# What a loop over stacked batches adds to its body: the batch is cut out, results are put in their places.
_MOVING = {"dynamic_slice", "dynamic_update_slice", "reshape", "squeeze"}


def jitted(
    function: Callable[..., Any],
    donated: tuple[int, ...],
    is_looped: bool,
    arguments: Sequence[Any],
    is_draft: bool = False,
) -> tuple[Any, bool]:
    """`jax.jit` of a function that will be called with arguments like these, and whether that is not a draft.

    Args:
        function: a pure function of arrays.
        donated: which arguments may be overwritten.
        is_looped: whether a loop at the top of the function is around what counts: its turns are not.
        arguments: arrays, or their shapes.
        is_draft: whether a draft will do. A small program is compiled in the same way in any case.
    """
    found = jax.jit(function, donate_argnums=donated)
    if not has_drafts():
        return found, True
    is_small = _is_small(found.trace(*arguments).jaxpr.jaxpr, is_looped)
    if not is_small and not is_draft:
        return found, True
    return jax.jit(
        function, donate_argnums=donated, compiler_options=_SMALL if is_small else _DRAFT
    ), is_small


def has_drafts() -> bool:
    """Whether the device's compiler has a simpler way."""
    return jax.default_backend() == "cpu"


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
