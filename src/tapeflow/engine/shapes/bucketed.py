"""Programs that run for many sizes: arguments are padded, results are cut.

A family has such programs for combinations of capacities, which are powers of two: a size that keeps growing meets
few of them, and at most half of an axis is padding. A combination that is rarely used borrows a larger one.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from functools import cache
from typing import Any, Protocol
from weakref import WeakKeyDictionary

import numpy as np

from tapeflow.engine.backend import jax, jnp
from tapeflow.engine.devices import placement
from tapeflow.engine.devices.host_memory import empty
from tapeflow.engine.programs.compiled import Compiled, Draft
from tapeflow.engine.programs.quick import has_drafts
from tapeflow.engine.settings import settings
from tapeflow.engine.shapes import rules_axes, rules_control, rules_indexing, rules_mixing
from tapeflow.engine.shapes.cost import compile_time, run_time
from tapeflow.engine.shapes.expression import NotPadded, Size, apart, evaluate, has_symbols
from tapeflow.engine.shapes.family import Family, Owner, Sized, Template, family_of
from tapeflow.engine.shapes.padding import Padding
from tapeflow.engine.shapes.telling import tell

__all__ = ["CompiledForSizes", "Sizable", "rules_axes", "rules_control", "rules_indexing", "rules_mixing"]

_LEAST_CAPACITY = 8

Place = tuple[tuple[int, ...], int] | None
"""Of an argument: the positions of its axes among the sizes, and how many axes it has before them."""


class Sizable(Sized, Protocol):
    """A program that can be made for other sizes, symbolic ones included."""

    def function_for(self, sizes: Sequence[Size]) -> Callable[..., Any]:
        """What is compiled, with these sizes in it."""
        ...

    def places(self, arguments: Sequence[Any]) -> Iterator[Place]:
        """Where the sizes of each array in the arguments are found."""
        ...

    def described(self, place: int) -> str:
        """Which axis of which input has its size at this place."""
        ...


class CompiledForSizes(Compiled):
    """A function that is compiled for its own sizes, or runs as its family's program for padded arguments.

    Args:
        function: a pure function of arrays.
        donated: which arguments the compiled function may overwrite.
        program: what it is made of.
        on_compile: called when something is about to be compiled.
        is_looped: whether what it computes is the body of one loop.
    """

    __slots__ = ("_donated", "_families", "_is_counted", "_is_looped", "_on_compile", "_padded", "_program")

    def __init__(
        self,
        function: Callable[..., Any],
        donated: tuple[int, ...],
        program: Sizable,
        on_compile: Callable[[], None],
        is_looped: bool = False,
    ) -> None:
        super().__init__(function, donated, is_looped)
        self._program, self._donated, self._on_compile = program, donated, on_compile
        self._is_looped = is_looped
        self._padded: WeakKeyDictionary[Owner, _Padded | None] = WeakKeyDictionary()
        self._families: WeakKeyDictionary[Owner, Family] = WeakKeyDictionary()  # of owners with drafts
        self._is_counted = False

    def compile_ahead_for(self, owner: Owner | None, arguments: list[Any]) -> None:
        """Begin to compile for arguments like these, on a thread of its own."""
        if self._padded_for(owner) is None:
            self._count()
            self.compile_ahead(arguments, self._draft_for(owner, steps=0) is not Draft.NONE)

    def function_for(self, owner: Owner | None, steps: int = 1) -> Callable[..., Any]:
        """What is to be called, at once and once: the next call asks again.

        Args:
            owner: whose program it is, or None.
            steps: how many steps of the owner's the call makes.
        """
        padded = self._padded_for(owner)
        if padded is not None and owner is not None and padded.family.is_settled(self._program, steps):
            padded = self._padded[owner] = None
        if padded is None:
            self._count()
            return self.function(self._draft_for(owner, steps))
        self.touch()
        return padded

    def _draft_for(self, owner: Owner | None, steps: int) -> Draft:
        """Whether a draft will do for an owner's next steps. Without one, nothing counts them."""
        family = None if owner is None else self._families.get(owner)
        return Draft.NONE if family is None else family.exact_draft(self._program, steps)

    def _count(self) -> None:
        if not self._is_counted:
            self._is_counted = True
            self._on_compile()

    def _padded_for(self, owner: Owner | None) -> _Padded | None:
        key = _NOBODY if owner is None else owner
        found = self._padded.get(key, _UNKNOWN)
        if found is _UNKNOWN:
            found = None
            if placement.current is None and settings.shares_programs:
                family = family_of(self._program, owner)
                values = family.values_of(self._program)
                if values is None and family.keeps_compiling(self._program):
                    tell(family, self._program)
                found = None if values is None else _Padded(self, family, values)
                if has_drafts():
                    self._families[key] = family
            self._padded[key] = found
        return found

    def run_padded(self, family: Family, values: dict[str, int], arguments: tuple[Any, ...]) -> Any:
        """The results of the family's program; where that cannot be made, of one for these sizes."""
        while family.made is None and family.template is not None:
            try:
                family.made = PaddedProgram(
                    family.template, self._program, arguments, self._donated, self._is_looped
                )
            except Exception as error:  # noqa: BLE001 - kernels and JAX raise anything where a size is a symbol
                if not family.raise_lowest(self._program):
                    family.give_up(error)
        known = family.template and family.template.values_of(self._program.sizes)
        if family.made is not None and known is not None:
            try:
                return family.made(family, known, arguments, self._on_compile)
            except NotPadded as error:
                family.give_up(error)
        for owner, padded in list(self._padded.items()):
            if padded is not None and padded.family is family:
                self._padded[owner] = None
        self._count()
        return self.function()(*arguments)


_NOBODY = Owner()
_UNKNOWN: Any = object()


class _Padded:
    """A program that runs as its family's."""

    __slots__ = ("_compiled", "_values", "family")

    def __init__(self, compiled: CompiledForSizes, family: Family, values: dict[str, int]) -> None:
        self._compiled, self._values, self.family = compiled, values, family

    def __call__(self, *arguments: Any) -> Any:
        return self._compiled.run_padded(self.family, self._values, arguments)


class PaddedProgram:
    """A family's function, traced for symbolic sizes and compiled for capacities."""

    def __init__(
        self,
        template: Template,
        program: Sizable,
        arguments: Sequence[Any],
        donated: tuple[int, ...],
        is_looped: bool,
    ) -> None:
        self._template, self._steps, self._is_looped = template, template.steps, is_looped
        flat, tree = jax.tree.flatten(arguments)
        self._shapes = [
            _shape(x, place, template) for x, place in zip(flat, program.places(arguments), strict=True)
        ]
        function = program.function_for(template.sizes)
        avals = [_aval(x, shape) for x, shape in zip(flat, self._shapes, strict=True)]
        trace = jax.make_jaxpr(lambda *flat: function(*jax.tree.unflatten(tree, flat)), return_shape=True)
        self._jaxpr, results = apart(lambda: trace(*avals))
        found, self._tree = jax.tree.flatten(results)
        self._results = [tuple(result.shape) for result in found]
        ends = np.cumsum([0, *[len(jax.tree.leaves(argument)) for argument in arguments]])
        # The sizes come first.
        self._donated = tuple(1 + i for d in donated for i in range(int(ends[d]), int(ends[d + 1])))
        self._names = list(self._steps)
        self._run_time = cache(
            lambda key: run_time(self._jaxpr.jaxpr, dict(zip(self._names, key, strict=True)))
        )
        self._compile_time = compile_time(self._jaxpr.jaxpr)
        self._compiled: dict[tuple[int, ...], Compiled] = {}

    def __call__(
        self, family: Family, values: dict[str, int], arguments: Sequence[Any], on_compile: Callable[[], None]
    ) -> Any:
        """The function's results for these arguments."""
        least, seen = self._capacities(values), self._capacities(self._template.symbols_of(family.largest))
        key = family.capacities_for(least, self._run_time, self._compile_time, seen)
        draft = Draft.NONE
        if has_drafts():
            draft = family.padded_draft(key, self._run_time(key), self._compile_time)
        capacities = dict(zip(values, key, strict=True))
        compiled = self._compiled.get(key)
        if compiled is None:
            compiled = self._compiled[key] = Compiled(self._at(capacities), self._donated, self._is_looped)
            on_compile()
        padded = [
            _padded(x, shape, capacities) if has_symbols(shape) else x
            for x, shape in zip(jax.tree.leaves(arguments), self._shapes, strict=True)
        ]
        found = compiled.function(draft)(np.fromiter(values.values(), np.int32, len(values)), *padded)
        cut = [
            _cut(x, shape, values) if has_symbols(shape) else x
            for x, shape in zip(found, self._results, strict=True)
        ]
        return jax.tree.unflatten(self._tree, cut)

    def _capacities(self, values: dict[str, int]) -> tuple[int, ...]:
        return tuple([_capacity(value, self._steps[name]) for name, value in values.items()])

    def _at(self, capacities: dict[str, int]) -> Callable[..., Any]:
        names, jaxpr = list(capacities), self._jaxpr

        def evaluate_padded(sizes: Any, *arguments: Any) -> list[Any]:
            padding = Padding(capacities, {name: sizes[i] for i, name in enumerate(names)})
            return padding.closed(jaxpr, arguments)

        return evaluate_padded


def _capacity(value: int, step: int) -> int:
    return max(_LEAST_CAPACITY // step, 1, 1 << (value - 1).bit_length())


def _shape(value: Any, place: Place, template: Template) -> tuple[Size, ...]:
    shape = np.shape(value)
    if place is None:
        return shape
    positions, before = place
    return (*shape[:before], *[template.sizes[p] for p in positions])


def _aval(value: Any, shape: tuple[Size, ...]) -> Any:
    aval = jax.typeof(value)
    return jax.ShapeDtypeStruct(shape, aval.dtype, weak_type=aval.weak_type)


def _padded(value: Any, shape: Sequence[Size], capacities: dict[str, int]) -> np.ndarray:
    array = np.asarray(value)
    lengths = tuple([evaluate(size, capacities) for size in shape])
    found = empty(lengths, array.dtype)
    found.fill(0)
    found[tuple([slice(n) for n in array.shape])] = array
    return found


def _cut(value: Any, shape: Sequence[Size], values: dict[str, int]) -> Any:
    true = tuple([slice(evaluate(size, values)) for size in shape])
    return jnp.asarray(np.asarray(value)[true])
