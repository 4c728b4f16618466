"""What every part of `tf.data.Dataset` has: a pipe, options, and a way to the next dataset.

`Dataset` stands on everything else in this package, parts of which meet datasets as elements or make them for the
user's functions. They know them as `Piped`, and make them with `made`.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar

if TYPE_CHECKING:
    from tapeflow.data.dataset import Dataset
    from tapeflow.data.options import Options
    from tapeflow.data.pipe import Pipe


class Piped:
    """A pipe and its options: the root of `Dataset`."""

    __slots__ = ("__weakref__", "_options", "_pipe")

    _pipe: Pipe
    _options: Options | None
    _kind: ClassVar[type[Dataset]]  # `Dataset`, which its module sets

    def _then(self, pipe: Pipe) -> Dataset:
        return made(pipe, self._options)


def made(pipe: Pipe, options: Options | None = None) -> Dataset:
    """A dataset on a pipe."""
    return Piped._kind(pipe, options)


def check_callable(value: object, where: str, name: str) -> None:
    """Raise unless an argument is a function."""
    if not callable(value):
        raise TypeError(f"{where} expected {name} to be callable; got {name}={value!r}.")
