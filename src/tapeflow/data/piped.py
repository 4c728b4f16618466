"""What every part of `tf.data.Dataset` has: a pipe, options, and a way to the next dataset."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tapeflow.data.options import Options
from tapeflow.data.pipe import Pipe

if TYPE_CHECKING:
    from tapeflow.data.dataset import Dataset


class Piped:
    """A pipe and its options."""

    __slots__ = ("__weakref__", "_options", "_pipe")

    def __init__(self, pipe: Pipe, options: Options | None = None) -> None:
        if not isinstance(pipe, Pipe):
            raise TypeError(
                f"tf.data.Dataset cannot be constructed directly; got {pipe!r}. Use "
                "tf.data.Dataset.from_tensor_slices, from_tensors, from_generator or range instead."
            )
        self._pipe = pipe
        self._options = options

    def _then(self, pipe: Pipe) -> Dataset:
        return made(pipe, self._options)


def made(pipe: Pipe, options: Options | None = None) -> Dataset:
    """A dataset on a pipe."""
    from tapeflow.data.dataset import Dataset

    return Dataset(pipe, options)


def check_callable(value: object, where: str, name: str) -> None:
    """Raise unless an argument is a function."""
    if not callable(value):
        raise TypeError(f"{where} expected {name} to be callable; got {name}={value!r}.")
