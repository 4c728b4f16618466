"""`Logs`: the dict that batch hooks are handed. Its values are fetched when somebody looks at one.

A step's loss is on the device, perhaps not computed yet. A callback that does not read it must not make
training wait, so the dict knows its keys from the start and its values only when asked.
"""

from __future__ import annotations

from collections.abc import Callable, ItemsView, Iterator, Mapping, ValuesView
from typing import Any, Protocol, runtime_checkable

import numpy as np

from tapeflow.nest import map_structure

_PLAIN = (float, int, bool, str, bytes, type(None))


@runtime_checkable
class _ArrayLike(Protocol):
    def __array__(self) -> np.ndarray: ...


def plain_value(value: object) -> Any:
    """A tensor as a Python number (rank 0) or a numpy array; a structure of them likewise; the rest as is."""
    if type(value) in _PLAIN:
        return value
    if isinstance(value, dict | list | tuple):
        return map_structure(plain_value, value)
    if isinstance(value, _ArrayLike):
        array = np.asarray(value)
        return array if array.ndim else array.item()
    return value


def plain_logs(logs: Mapping[str, Any] | None) -> dict[str, Any]:
    """A dict of plain values; `{}` for `None`, as Keras hands to hooks that have nothing to say."""
    return {name: plain_value(value) for name, value in logs.items()} if logs else {}


class Logs(dict[str, Any]):
    """A dict of plain values that are read from the device at first sight, all of them together.

    Args:
        values: what the keys are, and the values unless `load` says them.
        load: gives the plain values; called once, at the first read.

    >>> logs = Logs({"loss": tf.constant(0.5)})
    >>> logs.get("loss"), {**logs}
    (0.5, {'loss': 0.5})
    """

    __slots__ = ("_is_read", "_load")

    def __init__(
        self, values: Mapping[str, Any], load: Callable[[], Mapping[str, Any]] | None = None
    ) -> None:
        super().__init__(values)
        self._load = load
        self._is_read = False

    def _read(self) -> None:
        if self._is_read:
            return
        values = plain_logs(dict(super().items())) if self._load is None else self._load()
        self._is_read = True  # only now: if reading fails, the next look fails alike
        for name, value in values.items():
            if name in self:  # what a hook has taken away meanwhile stays away
                super().__setitem__(name, value)

    def __getitem__(self, name: str) -> Any:
        self._read()
        return super().__getitem__(name)

    def __setitem__(self, name: str, value: Any) -> None:
        self._read()
        super().__setitem__(name, value)

    def __iter__(self) -> Iterator[str]:
        # Defined here so that `{**logs}` and `dict(logs)` ask for items instead of copying the storage.
        return iter(self.keys())

    def __eq__(self, other: object) -> bool:
        self._read()
        return super().__eq__(other)

    def __ne__(self, other: object) -> bool:
        return not self == other

    __hash__ = None  # pyright: ignore[reportAssignmentType]

    def __repr__(self) -> str:
        self._read()
        return super().__repr__()

    def __or__(self, other: Any) -> Any:
        return self.copy() | other

    def __ror__(self, other: Any) -> Any:
        return other | self.copy()

    def __copy__(self) -> dict[str, Any]:
        return self.copy()

    def __deepcopy__(self, memo: Any) -> dict[str, Any]:
        return self.copy()

    def __reduce__(self) -> tuple[Any, ...]:
        return dict, (self.copy(),)

    def copy(self) -> dict[str, Any]:
        """A plain dict of the values."""
        return dict(self.items())

    def get(self, name: str, default: Any = None) -> Any:
        """The value of `name`, or `default`."""
        self._read()
        return super().get(name, default)

    def items(self) -> ItemsView[str, Any]:  # pyright: ignore[reportIncompatibleMethodOverride]
        """Pairs of name and value."""
        self._read()
        return super().items()

    def values(self) -> ValuesView[Any]:  # pyright: ignore[reportIncompatibleMethodOverride]
        """The values."""
        self._read()
        return super().values()

    def pop(self, *args: Any) -> Any:
        """Take a value out."""
        self._read()
        return super().pop(*args)

    def popitem(self) -> tuple[str, Any]:
        """Take the last pair out."""
        self._read()
        return super().popitem()

    def setdefault(self, name: str, default: Any = None) -> Any:
        """The value of `name`, set to `default` if it has none."""
        self._read()
        return super().setdefault(name, default)

    def update(self, *args: Any, **kwargs: Any) -> None:
        """Set several values."""
        self._read()
        super().update(*args, **kwargs)


class StackedLogs:
    """The logs of fused steps: values whose first axis is the step, fetched once for all; lists are as good."""

    def __init__(self, values: Mapping[str, Any]) -> None:
        self._values = values
        self._fetched: dict[str, Any] | None = None

    def step(self, index: int) -> Logs:
        """The logs of one step, read when looked at."""
        return Logs(self._values, lambda: self._read(index))

    def _read(self, index: int) -> dict[str, Any]:
        if self._fetched is None:
            self._fetched = {name: _rows(value) for name, value in self._values.items()}
        return {name: plain_value(value[index]) for name, value in self._fetched.items()}


def _rows(value: object) -> Any:
    """A column, fetched; numbers as Python's, all at once, since one by one takes several times as long."""
    if isinstance(value, list):
        return value
    array = np.asarray(value)
    return array.tolist() if array.ndim == 1 else array
