"""Functions of elements, recorded: what they return, and how to compute them for many rows at once.

A function of elements whose shapes are known is recorded on placeholders, as the body of a loop would be.
If that succeeds (it reads no value, prints nothing, writes no Variable), it can be computed for a whole
block of elements as one program, with one random key an element for each of its draws.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from tapeflow.autograph.callees import converted
from tapeflow.data.functions.calls import arguments_of, drawing_from, isolated_recording, results_of, value_of
from tapeflow.data.functions.randomness import (
    ElementCounters,
    RowCounters,
    Seed,
    drawn_seed,
    draws_elsewhere,
    draws_inside,
    keys_of,
)
from tapeflow.data.structure import Flat, Structure, as_tensor, flattened
from tapeflow.engine.programs.running import materialise
from tapeflow.engine.recording.body import Body, record_body
from tapeflow.engine.recording.node import Spec, spec_of
from tapeflow.engine.recording.trace import NeedsValue
from tapeflow.engine.values.dtypes import string, uint32
from tapeflow.engine.values.tensor import Tensor
from tapeflow.engine.values.tensor_spec import TensorSpec
from tapeflow.ops.control.loop import over_rows

FEWEST_ROWS = 16
"""Blocks smaller than this are not worth a program: the function is called for each row."""


def recorded_or_none(
    function: Callable[..., Any], structure: Structure, specs: Sequence[Any]
) -> Recorded | None:
    """The function of elements with these specs, if it can be recorded."""
    known = specs_to_record(specs)
    try:
        return None if known is None else Recorded(function, structure, known)
    except NeedsValue:
        return None


def specs_to_record(specs: Sequence[Any]) -> tuple[Spec, ...] | None:
    """Specs as the engine has them, if all shapes are known and none is of strings."""
    found = []
    for spec in specs:
        if not isinstance(spec, TensorSpec) or spec.dtype is string or not spec.shape.is_fully_defined():
            return None
        found.append(spec_of(tuple(spec.shape), spec.dtype))  # pyright: ignore[reportArgumentType]
    return tuple(found)


class Recorded:
    """A recorded function of elements.

    Attributes:
        draws: its random draws.
        draws_inside: whether some are made in a branch or loop of the program. Plain Python makes them only where
            it goes, so an element has the same random numbers only if it is always, or never, computed by a program.
    """

    def __init__(self, function: Callable[..., Any], structure: Structure, specs: tuple[Spec, ...]) -> None:
        self._function, self._structure, self._specs = converted(function), structure, specs
        self.draws_inside = False
        self._passed: list[int | None] = []
        self._results: Any = None
        counters = ElementCounters(Seed(0, 0), (0, 0))
        self._body = self._record(specs, counters)
        self.draws = counters.draws
        self._lock = threading.Lock()
        if self.draws:
            self._record_again()

    def _record_again(self) -> None:
        """Record with the keys of the draws as an argument, and with Variables as they are now."""
        if not self.draws:
            self._body = self._record(self._specs, ElementCounters(Seed(0, 0), (0, 0)))
            return
        keys = spec_of((len(self.draws), 2), uint32)
        self._body = self._record((*self._specs, keys), None)

    def _record(self, specs: tuple[Spec, ...], counters: ElementCounters | None) -> Body:
        def body(*given: Tensor) -> Any:
            parts = given[: len(self._specs)]
            results = results_of(self._function(*arguments_of(self._structure, parts)))
            flat = flattened(results)
            if draws_elsewhere() or not all(isinstance(r, Tensor) for r in flat):
                raise NeedsValue
            self.draws_inside |= draws_inside()
            numbers = {id(p): i for i, p in enumerate(parts)}
            self._passed = [numbers.get(id(r)) for r in flat]
            self._results = results
            return [r for r, passed in zip(flat, self._passed, strict=True) if passed is None]

        def body_with_keys(*given: Tensor) -> Any:
            with drawing_from(RowCounters(self.draws, given[-1])):
                return body(*given)

        with isolated_recording(counters):
            made = record_body(body if counters is not None else body_with_keys, *specs)
            if any(s.dtype is string for s in (*made.graph.specs, *[t.spec for t in made.captured])):
                raise NeedsValue
            self._reads_variables = any(t._node.held for t in made.captured)
            for tensor in made.captured:  # another thread may use it
                materialise(tensor._node)
        self.structure = Structure(self._results)
        self.specs = tuple([TensorSpec(r.shape, r.dtype) for r in flattened(self._results)])
        return made

    def over(self, columns: Sequence[np.ndarray], seed: Seed, places: np.ndarray, most: int = 0) -> Flat:
        """The function of every row.

        A last, shorter block is filled up, so that it needs no program of its own. That must not depend on what was
        computed before: how many rows a program has shows in the last bits of each.

        Args:
            columns: the arguments, stacked.
            seed: of the transform.
            places: pass and number of each row's element, if the function draws random numbers.
            most: how many rows a full block has.
        """
        with self._lock:
            if self._reads_variables:
                self._record_again()
            body, passed_on = self._body, self._passed
        count = len(columns[0])
        if not body.graph.specs:
            return tuple([columns[p] for p in passed_on if p is not None])
        given = list(columns)
        if self.draws:
            given.append(self._keys(seed, places))
        length = max(count, most)
        filled = [_filled(c, length) for c in given]
        with isolated_recording():
            found = over_rows(body, [as_tensor(c) for c in filled], length)
            values = iter([value_of(t)[:count] for t in found])
        return tuple([next(values) if p is None else columns[p] for p in passed_on])

    def _keys(self, seed: Seed, places: np.ndarray) -> np.ndarray:
        """The keys of each row's draws: (rows, draws, 2)."""
        keys = [
            keys_of(seed if op_seed is None else drawn_seed(op_seed), places[:, 0], places[:, 1], draw)
            for op_seed, draw in self.draws
        ]
        return np.stack(keys, axis=1)


def _filled(column: np.ndarray, length: int) -> np.ndarray:
    missing = length - len(column)
    return column if not missing else np.concatenate([column, np.repeat(column[-1:], missing, axis=0)])
