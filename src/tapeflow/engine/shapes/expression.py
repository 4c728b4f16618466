"""Sizes that follow from others: integers, or JAX's polynomials of symbols."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from concurrent.futures import ThreadPoolExecutor
from typing import Any, TypeVar

from tapeflow.engine.backend import jax_core, jnp

T = TypeVar("T")

Size = Any
"""An int, or a symbolic dimension of JAX."""


class NotPadded(Exception):
    """A program cannot be evaluated on padded arrays; it is compiled for each size instead."""


def apart(function: Callable[[], T]) -> T:
    """What a function gives, called on a thread of its own.

    Where JAX compares symbolic sizes it catches errors of its own, whose frames stay until the garbage collector comes.
    On another thread they do not lead to the caller's frames, and so not to the user's values.
    """
    with ThreadPoolExecutor(1, thread_name_prefix="tapeflow-sizes") as thread:
        return thread.submit(function).result()


def is_symbolic(size: Size) -> bool:
    """Whether a size is not a number."""
    return not isinstance(size, int) and hasattr(size, "_sorted_terms") and not size._is_constant


def at_least(size: Size, least: int) -> Size:
    """The larger of a size, which may be symbolic, and a number."""
    return jax_core.max_dim(size, least) if is_symbolic(size) else max(size, least)


def has_symbols(shape: Any) -> bool:
    """Whether any of several sizes is symbolic."""
    return any(is_symbolic(size) for size in shape)


def evaluate(size: Size, values: Mapping[str, Any]) -> Any:
    """A size with numbers, or arrays, for its symbols."""
    if not is_symbolic(size):
        return int(size)  # one that is a constant polynomial too
    total: Any = 0
    for term, coefficient in size._sorted_terms:
        product: Any = coefficient
        for factor, power in term._factors:
            value = values[factor.var] if factor.var is not None else _operated(factor, values)
            for _ in range(power):
                product = product * value
        total = total + product
    return total


def _operated(factor: Any, values: Mapping[str, Any]) -> Any:
    first, second = (evaluate(operand, values) for operand in factor.operands)
    if factor.operation == "floordiv":
        return first // second
    if factor.operation == "mod":
        return first % second
    are_numbers = isinstance(first, int) and isinstance(second, int)
    if factor.operation == "max":
        return max(first, second) if are_numbers else jnp.maximum(first, second)
    if factor.operation == "min":
        return min(first, second) if are_numbers else jnp.minimum(first, second)
    raise NotPadded(f"a size with {factor.operation}")


def grows(size: Size) -> bool:
    """Whether a size can only grow with its symbols: then its value at the capacities is its own capacity."""
    return _direction(size) in (0, 1)


def _direction(size: Size) -> int | None:
    """1 for a size that grows with its symbols, -1 for one that shrinks, 0 for a number, None if it does either."""
    if not is_symbolic(size):
        return 0
    found = 0
    for term, coefficient in size._sorted_terms:
        for factor, _ in term._factors:
            one = 1 if factor.var is not None else _direction_of_operation(factor)
            if one is None or (one < 0 and len(term._factors) > 1):
                return None
            one = one if coefficient > 0 else -one
            if found and one and one != found:
                return None
            found = found or one
    return found


def _direction_of_operation(factor: Any) -> int | None:
    first, second = (_direction(operand) for operand in factor.operands)
    if factor.operation == "floordiv":
        return first if not second and evaluate(factor.operands[1], {}) > 0 else None
    if factor.operation in ("max", "min") and first is not None and second is not None:
        return (first or second) if not first or not second or first == second else None
    return None
