"""What a branch or a loop's body changes: names of the function around it, and attributes of objects."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, MutableMapping, MutableSequence, MutableSet, Sequence
from types import CellType
from typing import Any

from tapeflow.engine.recording.trace import NeedsValue
from tapeflow.engine.recording.trace import state as engine_state
from tapeflow.engine.values.annotations import TensorLike
from tapeflow.engine.values.tensor import TensorBase
from tapeflow.ops.host_args import known_value

RESULT, RETURNED = "ag__result", "ag__returned"
RAISES = "it raises an exception"
_CHECK = "Use `assert`, or a function such as tf.debugging.assert_equal"
_COLLECT = "Collect tensors in a tf.TensorArray, or move that outside"


class _Mark:
    def __init__(self, text: str) -> None:
        self._text = text

    def __repr__(self) -> str:
        return self._text


UNSET = _Mark("unset")
"""Stands for the value of a name that has none."""

NOTHING = _Mark("nothing")
"""What a function that has not returned yet is to return."""


class Place:
    """A name, or an attribute, that can be read and set.

    Attributes:
        name: as written by the user.
        is_live: whether it is read after the branch or loop.
        is_carried: whether a turn of a loop reads what the one before has set.
        is_soft: whether only a nested function might read it.
    """

    def __init__(self, name: str, is_live: bool, is_carried: bool, is_soft: bool) -> None:
        self.name, self.is_live, self.is_carried, self.is_soft = name, is_live, is_carried, is_soft

    def get(self) -> Any:
        """The value, or `UNSET`."""
        raise NotImplementedError

    def set(self, value: object) -> None:
        """Give it a value; with `UNSET`, take it away."""
        raise NotImplementedError


class _Name(Place):
    def __init__(self, cell: CellType, *args: Any) -> None:
        super().__init__(*args)
        self._cell = cell

    def get(self) -> Any:
        try:
            return self._cell.cell_contents
        except ValueError:
            return UNSET

    def set(self, value: object) -> None:
        if value is not UNSET:
            self._cell.cell_contents = value
        elif self.get() is not UNSET:
            del self._cell.cell_contents


class _Attribute(Place):
    def __init__(self, owner: Any, attribute: str, name: str) -> None:
        super().__init__(name, True, True, False)
        self._owner, self._attribute = owner, attribute

    def get(self) -> Any:
        return getattr(self._owner, self._attribute, UNSET)

    def set(self, value: Any) -> None:
        if value is self.get():
            return
        if value is UNSET:
            delattr(self._owner, self._attribute)
        else:
            setattr(self._owner, self._attribute, value)


class _Item(Place):
    """An item of a list or dict."""

    def __init__(self, owner: Any, key: Any, name: str) -> None:
        super().__init__(name, True, True, False)
        self._owner, self._key = owner, key

    def get(self) -> Any:
        try:
            return self._owner[self._key]
        except (KeyError, IndexError):
            return UNSET

    def set(self, value: Any) -> None:
        held = self.get()
        if value is held:
            return
        if value is UNSET:
            del self._owner[self._key]
        else:
            self._owner[self._key] = value


class State:
    """What converted code says of a branch or loop.

    Args:
        cells: a function whose closure are the names that are bound.
        names: the names, in the order of that closure.
        after: those that are read after it.
        around: of a loop, those that are read by a turn before it sets them, or after it.
        soft: those that nested functions read.
        attributes: a name, a function that gives the owner, and the attribute, for each one that is assigned.
        items: the same for items of lists and dicts.
        mutated: functions that give the objects which are changed in place.
        why: what keeps it from being recorded, if that is known.
    """

    def __init__(
        self,
        cells: Callable[[], Any],
        names: Sequence[str],
        after: Sequence[str],
        around: Sequence[str],
        soft: Sequence[str],
        attributes: Sequence[tuple[str, Callable[[], Any], str]],
        items: Sequence[tuple[str, Callable[[], Any], Any]],
        mutated: Sequence[Callable[[], Any]],
        why: str | None,
    ) -> None:
        if why is not None:
            raise NeedsValue(why, _CHECK) if why == RAISES else NeedsValue(why)
        for given in mutated:
            kind = type(_value_or_none(given))
            if issubclass(kind, (MutableSequence, MutableMapping, MutableSet, deque)):
                raise NeedsValue(f"it changes a Python {kind.__name__}", _COLLECT)
        closure = dict(zip(cells.__code__.co_freevars, cells.__closure__ or (), strict=True))
        self.places: list[Place] = [
            _Name(closure[n], n, n in after, n in around, n in soft) for n in names if n in closure
        ]
        self.places += [_Attribute(owner(), attribute, name) for name, owner, attribute in attributes]
        owned = [(_value_or_none(owner), key, name) for name, owner, key in items]
        self.places += [
            _Item(owner, key, name)
            for owner, key, name in owned
            if isinstance(owner, (MutableSequence, MutableMapping))
        ]

    def get(self) -> list[Any]:
        """All values."""
        return [p.get() for p in self.places]

    def set(self, values: Sequence[Any]) -> None:
        """Give all places their values."""
        for place, value in zip(self.places, values, strict=True):
            place.set(value)


def _value_or_none(function: Callable[[], Any]) -> Any:
    try:
        return function()
    except (NameError, AttributeError, KeyError, IndexError, TypeError):
        return None  # there is no such object before the block: it makes it itself


def is_staged(value: TensorLike) -> bool:
    """Whether a choice by this value is to be part of the program that is being recorded."""
    return isinstance(value, TensorBase) and is_recording() and known_value(value) is None


def is_test(value: TensorLike) -> bool:
    """Whether a tensor decides here: as in TensorFlow, while a function is recorded, also if its value is known."""
    if not (isinstance(value, TensorBase) and is_recording()):
        return False
    return not engine_state.is_in_pipeline or known_value(value) is None


def is_recording() -> bool:
    """Whether loops and branches over tensors become ops: in a function, also once Python has read a value in it."""
    return engine_state.recording is not None or engine_state.trace.is_body


def leave_to_python(what: str, error: NeedsValue) -> None:
    """Go on to read a value, as a branch or loop cannot be recorded; remember why, for a warning.

    In a body that is being recorded nothing can be read: what keeps the branch from it keeps the body, too.
    """
    if engine_state.trace.is_body:
        raise error
    note_why(what, error)


def note_why(what: str, error: NeedsValue) -> None:
    """Remember, for a warning, why a branch or loop is left to Python."""
    if engine_state.recording is not None:
        engine_state.recording.note_why(f"{what} cannot be part of the program: {error}. {error.instead}")
