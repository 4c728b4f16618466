"""`tensorflow.python.util.object_identity`: what `tensor.ref()` gives, and collections that compare by identity."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, MutableMapping, MutableSet
from typing import Any

from tapeflow.engine.values.reference import Reference as Reference


class ObjectIdentitySet(MutableSet[Any]):
    """A set of objects, each once, in the order they were added; equal ones are not the same."""

    def __init__(self, items: Iterable[Any] = ()) -> None:
        self._items = {id(item): item for item in items}

    def __contains__(self, item: object) -> bool:
        return id(item) in self._items

    def __iter__(self) -> Iterator[Any]:
        return iter(list(self._items.values()))

    def __len__(self) -> int:
        return len(self._items)

    def add(self, value: Any) -> None:
        """Add an object."""
        self._items[id(value)] = value

    def discard(self, value: Any) -> None:
        """Remove an object, if it is there."""
        self._items.pop(id(value), None)

    def update(self, items: Iterable[Any]) -> None:
        """Add several objects."""
        for item in items:
            self.add(item)


class ObjectIdentityDictionary(MutableMapping[Any, Any]):
    """A dictionary whose keys are objects themselves; equal ones are not the same."""

    def __init__(self, items: Iterable[tuple[Any, Any]] = ()) -> None:
        self._items: dict[int, tuple[Any, Any]] = {}
        self.update(items)

    def __getitem__(self, key: Any) -> Any:
        if id(key) not in self._items:
            raise KeyError(key)
        return self._items[id(key)][1]

    def __setitem__(self, key: Any, value: Any) -> None:
        self._items[id(key)] = (key, value)

    def __delitem__(self, key: Any) -> None:
        if id(key) not in self._items:
            raise KeyError(key)
        del self._items[id(key)]

    def __iter__(self) -> Iterator[Any]:
        return iter([key for key, _ in self._items.values()])

    def __len__(self) -> int:
        return len(self._items)
