"""Families: programs that differ in sizes alone, and how those sizes depend on each other.

The first programs of a family are compiled for their sizes. From the third on, sizes that differ become symbols: axes
of the inputs that vary, and all other numbers that follow from them. A program whose numbers are what the symbols say
runs as the family's one program for padded inputs.

Only the very first program is compiled in full at once. Others begin as drafts (`programs.quick`), until they have been
used so much that full code is worth its compilation.
"""

from __future__ import annotations

import itertools
import logging
import math
from collections.abc import Callable, Hashable, Iterator, Sequence
from typing import Any, Protocol
from weakref import WeakKeyDictionary

from tapeflow.engine.backend import jax
from tapeflow.engine.programs.compiled import Draft
from tapeflow.engine.shapes.expression import NotPadded, Size, evaluate, is_symbolic

_log = logging.getLogger("tapeflow.engine")

EXACT = 2
"""So many programs of a family are compiled for their own sizes: full batches and the last one of an epoch."""

_MOST_EXAMPLES = 4
"""So often the symbols of a family are sought, each time with one more example."""

USES_UNTIL_EXACT = 32
"""A size that has run padded, or as a draft, for so many steps is compiled for itself in full."""

_SPARE = 64
"""A program is made larger than need be, if it may run so often before that has cost as much as compiling another."""

_DRAFT_SHARE = 2
"""About so small a part of a draft's time would full code save."""

_MOST_BORROWED = 64
"""So many times what is needed a program that stands in may compute."""

_MOST_EXACT = 10
"""So many sizes of a family are compiled for themselves: where hundreds come again and again, most stay padded."""

_MANY_COMPILED = 8
"""After so many programs of a family that cannot share one, the user is told."""

_MOST_COUNTED = 4096
_MOST_FAMILIES = 1024


class Sized(Protocol):
    """A program with the sizes taken out."""

    @property
    def skeleton(self) -> Hashable:
        """What is left."""
        ...

    @property
    def sizes(self) -> tuple[int, ...]:
        """The sizes; those of axes of inputs come first."""
        ...

    @property
    def axes(self) -> int:
        """How many sizes are of axes of inputs."""
        ...

    @property
    def assigns(self) -> bool:
        """Whether it assigns Variables, as training steps do."""
        ...


class Template:
    """The sizes of a family as symbols and what follows from them.

    Args:
        samples: sizes of several programs.
        axes: how many of these are axes of inputs, which come first.
        lowest: what every symbol is at least.
    """

    def __init__(self, samples: Sequence[tuple[int, ...]], axes: int, lowest: int) -> None:
        self._places: list[int] = []  # where each symbol's value is read
        self.steps: dict[str, int] = {}  # by a symbol's name: what its size is always a multiple of
        self._values: list[tuple[int, ...]] = []
        columns = list(zip(*samples, strict=True))
        new = [place for place in range(axes) if len(set(columns[place])) > 1]
        names = [f"s{i}" for i in range(len(new))]
        symbols = (
            jax.export.symbolic_shape(", ".join(names), constraints=[f"{name} >= {lowest}" for name in names])
            if names
            else ()
        )
        self.lowest = lowest
        self._symbols: list[Any] = []
        self.sizes: list[Size] = []
        for place, column in enumerate(columns):
            if len(set(column)) == 1:
                self.sizes.append(column[0])
                continue
            found = self._following(column)
            if found is None and place < axes:
                symbol, step = symbols[len(self._symbols)], math.gcd(*column)
                self._symbols.append(symbol)
                self._values.append(tuple([number // step for number in column]))
                self._places.append(place)
                self.steps[str(symbol)] = step
                found = symbol * step
            if found is None:
                raise NotPadded("a number that does not follow from the sizes of the inputs")
            self.sizes.append(found)

    def _following(self, column: tuple[int, ...]) -> Size | None:
        """A size in terms of the symbols so far, if it follows from them."""
        for symbol, values in zip(self._symbols, self._values, strict=True):
            for size in _candidates(symbol, values, column):
                if all(evaluate(size, {str(symbol): v}) == c for v, c in zip(values, column, strict=True)):
                    return size
        for i, (one, values) in enumerate(zip(self._symbols, self._values, strict=True)):
            for other, more in list(zip(self._symbols, self._values, strict=True))[i:]:
                products = [a * b for a, b in zip(values, more, strict=True)]
                if 0 in products:
                    continue
                ratios = {divmod(c, p) for c, p in zip(column, products, strict=True)}
                if len(ratios) == 1 and (ratio := ratios.pop())[1] == 0 and ratio[0] > 0:
                    return one * other * ratio[0]
        return None

    def symbols_of(self, sizes: Sequence[int]) -> dict[str, int]:
        """The symbols' values where the axes of inputs have these sizes."""
        return {
            str(symbol): sizes[place] // self.steps[str(symbol)]
            for symbol, place in zip(self._symbols, self._places, strict=True)
        }

    @property
    def least(self) -> int:
        """The least value of a symbol among the samples."""
        return min([value for values in self._values for value in values], default=0)

    def values_of(self, sizes: tuple[int, ...]) -> dict[str, int] | None:
        """The symbols' values for a program with these sizes; None if it is not like the others."""
        values = self.symbols_of(sizes)
        if any(value < self.lowest for value in values.values()):
            return None
        for size, actual in zip(self.sizes, sizes, strict=True):
            if (evaluate(size, values) if is_symbolic(size) else size) != actual:
                return None
        return values


def _candidates(symbol: Any, values: Sequence[int], column: Sequence[int]) -> Iterator[Any]:
    """Sizes that may follow from a symbol: multiples, sums, parts of it."""
    if tuple(values) == tuple(column):
        yield symbol
        return
    pairs = sorted(set(zip(values, column, strict=True)))
    (low, first), (high, last) = pairs[0], pairs[-1]
    if high != low and (last - first) % (high - low) == 0:
        slope = (last - first) // (high - low)
        if slope:
            yield symbol * slope + (first - slope * low)
    for part in range(2, 9):
        yield symbol // part
        yield (symbol + part - 1) // part


class Family:
    """What is known of the programs with one skeleton that one owner runs.

    Args:
        skeleton: what they do.
        assigns: whether they assign Variables.

    Attributes:
        exact: the sizes for which programs are compiled as they are.
        examples: the sizes of other programs, from which symbols were learnt.
        uses: of sizes that run padded or as drafts, how many steps they have run.
        capacities: those of the padded programs, a number for each symbol.
        borrowed: of other capacities, how much time programs with larger ones have wasted.
        drafted: of capacities, how much time has been spent in a draft.
        largest: of each axis of the inputs, the largest size of all programs so far.
        template: the symbols, once they are known.
        made: what `bucketed` keeps for the template.
        number: which family of this process it is.
        why: why every program is compiled as it is, if that has been found out.
    """

    def __init__(self, skeleton: Any, assigns: bool) -> None:
        self.skeleton, self.assigns = skeleton, assigns
        self.exact: list[tuple[int, ...]] = []
        self.examples: list[tuple[int, ...]] = []
        self.uses: dict[tuple[int, ...], int] = {}
        self.capacities: list[tuple[int, ...]] = []
        self.borrowed: dict[tuple[int, ...], int] = {}
        self.drafted: dict[tuple[int, ...], int] = {}
        self.largest: tuple[int, ...] = ()
        self.template: Template | None = None
        self.made: Any = None
        self.number = next(_numbers)
        self.digest = ""  # `history` works it out
        self.why = ""
        self._is_given_up = False
        self._compiled = 0

    @property
    def samples(self) -> list[tuple[int, ...]]:
        """The sizes from which symbols are learnt."""
        return [*self.exact[:EXACT], *self.examples]

    def values_of(self, program: Sized) -> dict[str, int] | None:
        """The values of the family's symbols for a program that is to run padded; None if it is compiled as it is."""
        axes = program.sizes[: program.axes]
        self.largest = tuple(map(max, axes, self.largest)) if len(self.largest) == len(axes) else axes
        if program.sizes in self.exact or 0 in axes:  # nothing follows from empty inputs
            return None
        if len(self.exact) < EXACT:
            self.exact.append(program.sizes)
            return None
        if self._is_given_up:
            return None
        if self.template is None and self.examples:
            self._learn(program)
        values = None if self.template is None else self.template.values_of(program.sizes)
        if values is None and len(self.examples) < _MOST_EXAMPLES:
            self.examples.append(program.sizes)
            self.capacities, self.borrowed, self.drafted = [], {}, {}  # those of other symbols
            self._learn(program)
            values = None if self.template is None else self.template.values_of(program.sizes)
        return values

    def is_settled(self, program: Sized, steps: int = 1) -> bool:
        """Count more steps of a program that runs padded; whether it is now worth a program for its own sizes."""
        if self._count(program, steps) <= USES_UNTIL_EXACT or len(self.exact) >= _MOST_EXACT:
            return False
        self.exact.append(program.sizes)
        return True

    def exact_draft(self, program: Sized, steps: int = 1) -> Draft:
        """Count more steps of a program that is compiled for its own sizes; whether a draft of it will do.

        The first sizes are those that a model is trained on from beginning to end, if none vary.
        """
        if not self.exact or program.sizes == self.exact[0]:
            return Draft.NONE
        used = self.uses.get(program.sizes[: program.axes], 0)
        if used >= USES_UNTIL_EXACT:
            return Draft.NONE
        used = self._count(program, steps)
        return Draft.FIRST if used < USES_UNTIL_EXACT // 2 else Draft.LAST

    def _count(self, program: Sized, steps: int) -> int:
        key = program.sizes[: program.axes]
        used = self.uses.get(key, 0) + steps
        if key in self.uses or len(self.uses) < _MOST_COUNTED:
            self.uses[key] = used
        return used

    def padded_draft(self, capacities: tuple[int, ...], run_time: int, compile_time: int) -> Draft:
        """Count one more use of a padded program; whether a draft of it will do.

        Args:
            capacities: the program's.
            run_time: how long it runs.
            compile_time: how long it takes to compile it in full.
        """
        spent = self.drafted.get(capacities, 0) + run_time
        if spent > _DRAFT_SHARE * compile_time:
            return Draft.NONE
        self.drafted[capacities] = spent
        return Draft.FIRST if 2 * spent < _DRAFT_SHARE * compile_time else Draft.LAST

    def capacities_for(
        self,
        least: tuple[int, ...],
        run_time: Callable[[tuple[int, ...]], int],
        compile_time: int,
        seen: tuple[int, ...] = (),
    ) -> tuple[int, ...]:
        """The capacities with which a padded program runs, at least these; counts one more use.

        A compiled program with larger ones stands in, until the work that this has wasted is worth a compilation.

        Args:
            least: what is needed.
            run_time: how long a program with some capacities runs.
            compile_time: how long it takes to compile one.
            seen: what the largest sizes so far need.
        """
        if least in self.capacities:
            return least
        most = _MOST_BORROWED * math.prod(least)
        larger = [
            known
            for known in self.capacities
            if len(known) == len(least)
            and all(a >= b for a, b in zip(known, least, strict=True))
            and math.prod(known) <= most
        ]
        if larger:
            best = min(larger, key=run_time)
            wasted = self.borrowed.pop(least, 0) + max(run_time(best) - run_time(least), 0)
            if wasted <= compile_time:
                self.borrowed[least] = wasted
                return best
            chosen = least
        else:
            chosen = self._roomy(least, seen or least, run_time, compile_time)
        self.capacities.append(chosen)
        return chosen

    def _roomy(
        self,
        least: tuple[int, ...],
        seen: tuple[int, ...],
        run_time: Callable[[tuple[int, ...]], int],
        compile_time: int,
    ) -> tuple[int, ...]:
        """Capacities that will do for what may come, where that is cheap.

        What has come before may come together; and an axis that has outgrown one program may go on growing.
        """
        known = [capacities for capacities in self.capacities if len(capacities) == len(least)]
        joint = tuple(map(max, zip(least, seen, *known, strict=True)))
        before = tuple(map(max, zip(*known, strict=True))) if known else joint
        grown = tuple([2 * n if n > b else n for n, b in zip(joint, before, strict=True)])
        most = _MOST_BORROWED * math.prod(least)
        for chosen in (grown, joint):
            if math.prod(chosen) <= most and _SPARE * (run_time(chosen) - run_time(least)) <= compile_time:
                return chosen
        return least

    def _learn(self, program: Sized) -> None:
        self.made = None
        try:
            self.template = Template(self.samples, program.axes, 1)
        except NotPadded as error:
            self.give_up(error)

    def raise_lowest(self, program: Sized) -> bool:
        """Have symbols be no smaller than twice what they were: some programs can be traced only for larger sizes."""
        if self.template is None:
            return False
        lowest = min(2 * self.template.lowest, self.template.least)
        if lowest <= self.template.lowest:
            return False
        self.template, self.made = Template(self.samples, program.axes, lowest), None
        return True

    def give_up(self, error: Exception) -> None:
        """Compile every program of the family as it is, for this reason."""
        _log.debug("Sizes that vary are compiled one by one: %s", error)
        self.why = str(error) if isinstance(error, NotPadded) else "an op that needs to know the size"
        self.template, self._is_given_up = None, True

    def keeps_compiling(self, program: Sized) -> bool:
        """Count a program that is compiled as it is; whether that has just become a habit, which is told once."""
        if not self._is_given_up or program.sizes in self.exact:
            return False
        self._compiled += 1
        return self._compiled == _MANY_COMPILED

    def varying(self, program: Sized) -> dict[int, list[int]]:
        """The axes of inputs that vary, by their places among the sizes, and some sizes that each has had."""
        columns = list(zip(*[*self.samples, program.sizes], strict=True))[: program.axes]
        found = {place: list(dict.fromkeys(column)) for place, column in enumerate(columns)}
        return {place: sizes for place, sizes in found.items() if len(sizes) > 1}


class Owner:
    """Whose a family is: a function that is called step after step, or what assigns a Variable."""


_numbers = itertools.count()
_nobodys: dict[Any, Family] = {}
_owned: WeakKeyDictionary[Owner, dict[Any, Family]] = WeakKeyDictionary()

on_new_family: list[Callable[[Family], None]] = []
"""Told of every family, before its first program is looked at."""


def family_of(program: Sized, owner: Owner | None) -> Family:
    """The family of a program.

    Args:
        program: the program.
        owner: whose it is, or None. Another model may be trained on other sizes without changing how this one runs.
    """
    known = _nobodys if owner is None else _owned.setdefault(owner, {})
    found = known.pop(program.skeleton, None)
    if found is None:
        found = Family(program.skeleton, program.assigns)
        for told in on_new_family:
            told(found)
        while len(known) >= _MOST_FAMILIES:
            known.pop(next(iter(known)))
    known[program.skeleton] = found  # those that were asked for longest ago come first
    return found


def all_families() -> list[Family]:
    """The families there are, in the order in which they came."""
    found = [*_nobodys.values(), *[family for known in list(_owned.values()) for family in known.values()]]
    return sorted(found, key=lambda family: family.number)
