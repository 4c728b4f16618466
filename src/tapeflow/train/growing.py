"""Lists and dicts that tell the checkpoint they were restored from what they get later.

They take the place of a plain list or dict that has less than the checkpoint does, and are plain again, but for their
class, once everything has its value.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, Self, SupportsIndex


class _Growing:
    """What both have: the restoration that has values for what is not there yet."""

    _deferred: Any = None

    def _tell(self) -> None:
        if self._deferred is not None:
            self._deferred.take(self)


class GrowingList(_Growing, list[Any]):
    """A list that tells what it gets."""

    def append(self, value: object, /) -> None:
        super().append(value)
        self._tell()

    def extend(self, values: Iterable[Any], /) -> None:
        super().extend(values)
        self._tell()

    def __iadd__(self, values: Iterable[Any], /) -> Self:
        self.extend(values)
        return self

    def insert(self, index: SupportsIndex, value: object, /) -> None:
        super().insert(index, value)
        self._tell()

    def __setitem__(self, index: Any, value: Any, /) -> None:
        super().__setitem__(index, value)
        self._tell()


class GrowingDict(_Growing, dict[Any, Any]):
    """A dict that tells what it gets."""

    def __setitem__(self, key: Any, value: object, /) -> None:
        super().__setitem__(key, value)
        self._tell()

    def setdefault(self, key: object, value: object = None, /) -> Any:
        found = super().setdefault(key, value)
        self._tell()
        return found

    def update(self, *args: Any, **kwargs: Any) -> None:
        super().update(*args, **kwargs)
        self._tell()

    def __ior__(self, other: object, /) -> Self:  # pyright: ignore[reportIncompatibleMethodOverride]
        self.update(other)
        return self


def plain_container(owner: object, name: str) -> Any:
    """The plain list or dict that an object has under a name, if that is what it has."""
    if isinstance(owner, list):
        found = owner[int(name)] if name.isdigit() and int(name) < len(owner) else None
    elif isinstance(owner, dict):
        found = next((value for key, value in owner.items() if str(key) == name), None)
    else:
        found = vars(owner).get(name)
    return found if type(found) in (list, dict) else None


def growing(owner: object, name: str, child: object) -> Any:
    """A list or dict that tells, in the place of a plain one that an object holds under a name; else the child."""
    made = GrowingList(child) if type(child) is list else GrowingDict(child) if type(child) is dict else None
    if made is None:
        return child
    if isinstance(owner, list):
        owner[int(name)] = made
    elif isinstance(owner, dict):
        owner[next(key for key, value in owner.items() if value is child)] = made
    elif vars(owner).get(name) is child:
        setattr(owner, name, made)
    else:
        return child
    return made
