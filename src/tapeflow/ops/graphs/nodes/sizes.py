"""How the sizes in records of a function follow from the sizes of its arguments.

A function is recorded for a few sizes of its open axes. A number that is not the same in all records is explained by
those sizes: `n`, `2 n + 1`, `n // 2`, `n m`.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import fields, is_dataclass
from itertools import combinations_with_replacement
from typing import Any

import numpy as np

from tapeflow.engine.backend import jax
from tapeflow.engine.shapes.expression import Size
from tapeflow.engine.shapes.skeleton import Fixed, structured

Column = tuple[int, ...]
"""A number as it is in each of the records."""

_MOST_PARTS = 64


class Sizing:
    """Symbols for sizes, with their values in each of the records."""

    def __init__(self) -> None:
        self._scope: jax.export.SymbolicScope | None = None
        self._known: list[tuple[Size, Column]] = []

    def symbol(self, column: Column) -> Size:
        """A new symbol, for a size that follows from nothing else."""
        name = f"s{len(self._known)}"
        if self._scope is None:
            self._scope = jax.export.SymbolicScope([f"s{i} >= 1" for i in range(32)])
        (found,) = jax.export.symbolic_shape(name, scope=self._scope)
        self._known.append((found, column))
        return found

    def explain(self, column: Sequence[int]) -> Size | None:
        """A number in terms of the symbols; None if it does not follow from them."""
        column = tuple(column)
        if len(set(column)) == 1:
            return column[0]
        for symbol, values in self._known:
            if values == column:
                return symbol
        return self._linear(column) or self._part(column) or self._product(column)

    def _linear(self, column: Column) -> Size | None:
        """`2 n + m - 1`, if there are more records than numbers to find."""
        count = len(self._known)
        if not count or len(column) <= count + 1:
            return None
        table = np.array([[*[v[i] for _, v in self._known], 1] for i in range(len(column))], np.float64)
        found, *_ = np.linalg.lstsq(table, np.array(column, np.float64), rcond=None)
        factors = np.rint(found).astype(np.int64)
        if (table.astype(np.int64) @ factors != np.array(column)).any():
            return None
        total: Size = int(factors[-1])
        for (symbol, _), factor in zip(self._known, factors[:-1], strict=True):
            total = total + symbol * int(factor) if factor else total
        return total

    def _part(self, column: Column) -> Size | None:
        for symbol, values in self._known:
            for part in range(2, _MOST_PARTS + 1):
                for offset in (0, part - 1):
                    if all((v + offset) // part == c for v, c in zip(values, column, strict=True)):
                        return (symbol + offset) // part
        return None

    def _product(self, column: Column) -> Size | None:
        for (one, values), (other, more) in combinations_with_replacement(self._known, 2):
            products = [a * b for a, b in zip(values, more, strict=True)]
            ratios = {divmod(c, p) if p else (0, 1) for c, p in zip(column, products, strict=True)}
            if len(ratios) == 1 and (ratio := ratios.pop())[1] == 0 and ratio[0] > 0:
                return one * other * ratio[0]
        return None


def split(value: Any, numbers: list[int]) -> Any:
    """What is left of an op's statics without their whole numbers, which are appended to `numbers`.

    As `engine.shapes.skeleton.split`, and into named tuples and dataclasses too: a record is looked at once, so it may
    take longer.
    """
    kind = type(value)
    if kind is int:
        numbers.append(value)
        return "a number"
    if kind is Fixed:
        return value.value
    if isinstance(value, np.ndarray):
        return (kind, value.dtype.str, value.shape, value.tobytes())
    parts = _parts(value)
    return (kind, value) if parts is None else (kind, tuple([split(part, numbers) for part in parts]))


def _parts(value: object) -> Sequence[Any] | None:
    if isinstance(value, (tuple, list)):
        return value
    if type(value) is dict:
        return [part for item in value.items() for part in item]
    if type(value) in structured:
        return structured[type(value)][0](value)
    if is_dataclass(value) and not isinstance(value, type):
        return [getattr(value, f.name) for f in fields(value)]
    return None


def filled(value: Any, sizes: Iterator[Size]) -> Any:
    """`value` with these sizes for its whole numbers."""
    kind = type(value)
    if kind is int:
        return next(sizes)
    if kind is Fixed or isinstance(value, np.ndarray):
        return value
    parts = _parts(value)
    if parts is None:
        return value
    made = [filled(part, sizes) for part in parts]
    if hasattr(value, "_fields"):
        return kind(*made)
    if isinstance(value, (tuple, list)):
        return kind(made)
    if kind is dict:
        return dict(zip(made[::2], made[1::2], strict=True))
    if kind in structured:
        return structured[kind][1](value, tuple(made))
    return kind(**{f.name: part for f, part in zip(fields(value), made, strict=True)})
