"""What an object holds: the layers, metrics, modules and Variables in its attributes.

Nothing is registered when a list grows: attributes are looked at when somebody asks, in the order in
which they were first set, with lists, tuples and dicts of any depth below them (a dict's values by sorted keys).
What was found is kept with the lists it was found in, and is good for as long as those hold the same objects.
"""

from __future__ import annotations

import itertools
import operator
from collections.abc import Iterable, Mapping
from types import FunctionType, MethodType
from typing import Any, TypeVar

from tapeflow.engine.module import Module
from tapeflow.engine.values.variable import Variable

_T = TypeVar("_T")
_PLAIN: frozenset[type] = frozenset({bool, int, float, str, bytes, type(None), FunctionType, MethodType})


class Held:
    """The Modules and Variables found in some attributes, once each.

    Variables that are attributes themselves are left out: a layer notes those as its own weights.

    Args:
        attributes: by name.
        hidden: names that are not looked at.

    Attributes:
        found: all that was found.
        by_name: what was found in each attribute in which there was something, by its name.
    """

    __slots__ = ("_containers", "by_name", "found")

    def __init__(self, attributes: Mapping[str, Any], hidden: frozenset[str]) -> None:
        self._containers: list[tuple[Any, tuple[Any, ...]]] = []
        self.by_name: dict[str, list[Any]] = {}
        for name, value in attributes.items():
            if type(value) not in _PLAIN and name not in hidden and not isinstance(value, Variable):
                found: list[Any] = []
                self._enter(value, found)
                if found:
                    self.by_name[name] = found
        self.found = once(itertools.chain.from_iterable(self.by_name.values()))

    def _enter(self, value: object, found: list[Any]) -> None:
        if isinstance(value, (Module, Variable)):
            found.append(value)
        elif isinstance(value, (list, tuple, dict)):
            items = tuple(_items(value))
            self._containers.append((value, items))
            for item in items:
                if type(item) not in _PLAIN and not isinstance(item, Variable):
                    self._enter(item, found)
            # Keras has a container's Variables after its layers, and those of a dict in the order they came.
            found.extend(v for v in _unsorted(value) if isinstance(v, Variable))

    @property
    def is_current(self) -> bool:
        """Whether the containers still hold what they held."""
        for container, items in self._containers:
            if len(container) != len(items) or not all(map(operator.is_, _items(container), items)):
                return False
        return True


def _items(container: Any) -> Iterable[Any]:
    """What a container holds; a dict's values by sorted keys, as Keras has them."""
    if not isinstance(container, dict):
        return container
    try:
        return [container[key] for key in sorted(container)]
    except TypeError:  # keys of several kinds
        return container.values()


def _unsorted(container: Any) -> Iterable[Any]:
    return container.values() if isinstance(container, dict) else container


def is_tracked(value: object) -> bool:
    """Whether an attribute of this value could hold a Module or Variable."""
    return isinstance(value, (Module, Variable, list, tuple, dict))


def variables_in(value: object) -> list[Variable]:
    """The Variables in a value that is about to become an attribute, modules not entered."""
    if isinstance(value, Variable):
        return [value]
    if not isinstance(value, (list, tuple, dict)):
        return []
    return once(v for item in _items(value) if type(item) not in _PLAIN for v in variables_in(item))


def once(items: Iterable[_T]) -> list[_T]:
    """The items without repetition, by identity."""
    return list({id(item): item for item in items}.values())
