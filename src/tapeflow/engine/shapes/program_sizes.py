"""The sizes in a recorded program: those of its leaves, and the numbers in its ops."""

from __future__ import annotations

import copy
from collections.abc import Callable, Iterator, Sequence
from functools import cached_property
from typing import TYPE_CHECKING, Any
from weakref import WeakKeyDictionary

from tapeflow.engine.programs.lowering import Entry
from tapeflow.engine.shapes.bucketed import Place
from tapeflow.engine.shapes.expression import Size, has_symbols
from tapeflow.engine.shapes.skeleton import filled, split

if TYPE_CHECKING:
    from tapeflow.engine.programs.program import Program

_split: WeakKeyDictionary[Any, tuple[Any, tuple[int, ...]]] = WeakKeyDictionary()


def _split_instance(instance: Any) -> tuple[Any, tuple[int, ...]]:
    """An op without its numbers, and these; ops are interned, so this is worked out once."""
    found = _split.get(instance)
    if found is None:
        sizes: list[int] = []
        skeleton = split(instance, sizes)
        found = _split[instance] = (skeleton, tuple(sizes))
    return found


class ProgramSizes:
    """A program with the sizes taken out.

    Args:
        program: the program.
        varies: for each leaf, whether its shape may change from call to call. A Variable's does not: another
            shape is another Variable.
    """

    def __init__(self, program: Program, varies: Sequence[bool]) -> None:
        self._program, self._varies = program, varies

    @cached_property
    def _form(self) -> tuple[Any, tuple[int, ...], dict[int, tuple[int, ...]]]:
        program = self._program
        sizes: list[int] = []
        axes: dict[int, tuple[int, ...]] = {}
        leaves = []
        for leaf, (key, varies) in enumerate(zip(program.leaf_keys, self._varies, strict=True)):
            if varies and type(key) is not tuple:
                axes[leaf] = tuple(range(len(sizes), len(sizes) + len(key.shape)))
                sizes.extend(key.shape)
                key = (key.dtype, len(key.shape))
            leaves.append(key)
        forms = [_split_instance(instance) for instance, _ in program.entries]
        for _, numbers in forms:
            sizes.extend(numbers)
        entries = tuple([(form[0], slots) for form, (_, slots) in zip(forms, program.entries, strict=True)])
        rest = (program.outputs, program.donated, program.commits, program.checked, bool(program.watched))
        return (tuple(leaves), entries, rest), tuple(sizes), axes

    @property
    def skeleton(self) -> Any:
        """What the program does."""
        return self._form[0]

    @property
    def sizes(self) -> tuple[int, ...]:
        """The sizes of its leaves, then the numbers in its ops."""
        return self._form[1]

    @property
    def axes(self) -> int:
        """How many sizes are of leaves."""
        return sum(len(found) for found in self._form[2].values())

    @property
    def assigns(self) -> bool:
        """Whether it assigns Variables, as training steps do."""
        return bool(self._program.donated)

    def place(self, leaf: int, before: int = 0) -> Place:
        """Where the sizes of a leaf are found, which has so many more axes before its own."""
        found = self._form[2].get(leaf)
        return None if found is None else (found, before)

    def described(self, place: int) -> str:
        """Which axis of which input has its size at this place."""
        for leaf, places in self._form[2].items():
            if place in places:
                spec = self._program.leaf_keys[leaf]
                return f"axis {places.index(place)} of an input of shape {spec.shape} and dtype {spec.dtype.name}"
        raise RuntimeError(f"the engine expected the size of an axis at place {place}; there is none")

    def at(self, sizes: Sequence[Size]) -> Program:
        """The program with other sizes in it."""
        found = copy.copy(self._program)
        rest = iter(sizes[self.axes :])
        found.entries = tuple([_resized(entry, rest) for entry in self._program.entries])
        return found

    def function_for(self, sizes: Sequence[Size]) -> Callable[..., Any]:
        """What is compiled, with these sizes in it."""
        return self.at(sizes).evaluate

    def places(self, arguments: Sequence[Any]) -> Iterator[Place]:
        """Where the sizes of each array in the arguments are found."""
        yield from map(self.place, self._program.direct)
        for _ in self._program.packs:
            yield None


def _resized(entry: Entry, sizes: Iterator[Size]) -> Entry:
    instance, slots = entry
    own = [next(sizes) for _ in _split_instance(instance)[1]]
    return (filled(instance, iter(own)), slots) if has_symbols(own) else entry
