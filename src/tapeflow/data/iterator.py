"""Iterators over a dataset: of tensors for user code, of arrays for whoever feeds a training loop."""

from __future__ import annotations

from typing import Any

import numpy as np

from tapeflow.data.calls import note_read
from tapeflow.data.pipe import Pipe, State
from tapeflow.data.structure import as_tensor
from tapeflow.engine import errors


class ArrayIterator:
    """Elements as structures of numpy arrays, strings as objects.

    Arrays may be parts of the source's own and are not to be written to. This is the way for code that
    passes batches on: no tensor is made.
    """

    def __init__(self, pipe: Pipe) -> None:
        self._pipe = pipe
        self._stream = pipe.stream()

    def next_flat(self) -> tuple[Any, ...]:
        """The components of the next element."""
        handles = self._stream.take(1)
        if not len(handles):
            raise StopIteration
        return self._pipe.rows.elements(handles)[0]

    def __iter__(self) -> ArrayIterator:
        return self

    def __next__(self) -> Any:
        flat = self.next_flat()
        return self._pipe.structure.pack(flat)

    def state(self) -> State:
        """Where the iterator is, shuffle buffers and elements read ahead included."""
        return self._stream.state()

    def restore(self, state: State) -> None:
        """Go on where the iterator that gave `state`, of an equal dataset, was."""
        self._stream = self._pipe.stream()
        self._stream.restore(state)


class Iterator:
    """An iterator over the elements of a `tf.data.Dataset`, as tensors."""

    def __init__(self, dataset: Any) -> None:
        self._dataset = dataset
        self._arrays = ArrayIterator(dataset._pipe)

    @property
    def element_spec(self) -> Any:
        """The structure of specs of the elements."""
        return self._dataset.element_spec

    def __iter__(self) -> Iterator:
        return self

    def __next__(self) -> Any:
        note_read()
        flat = self._arrays.next_flat()
        return self._dataset._pipe.structure.pack([as_tensor(part) for part in flat])

    def get_next(self) -> Any:
        """The next element; `tf.errors.OutOfRangeError` when there is none."""
        try:
            return next(self)
        except StopIteration:
            raise errors.OutOfRangeError(None, None, "End of sequence") from None

    def get_next_as_optional(self) -> Optional:
        """The next element if there is one."""
        try:
            return Optional(next(self), True)
        except StopIteration:
            return Optional(None, False)

    def state(self) -> State:
        """Where the iterator is, shuffle buffers and elements read ahead included."""
        return self._arrays.state()

    def restore(self, state: State) -> None:
        """Go on where the iterator that gave `state`, of an equal dataset, was."""
        self._arrays.restore(state)


class Optional:
    """An element that may not be there: what `get_next_as_optional` gives."""

    def __init__(self, value: Any, has_value: bool) -> None:
        self._value = value
        self._has_value = has_value

    def has_value(self) -> Any:
        """Whether there is an element, as a tensor."""
        return as_tensor(np.array(self._has_value))

    def get_value(self) -> Any:
        """The element."""
        if not self._has_value:
            raise errors.InvalidArgumentError(
                None, None, "The given optional does not have a value. Ask has_value() first."
            )
        return self._value


class NumpyIterator:
    """An iterator over the elements as numpy arrays and scalars, which are not to be written to."""

    def __init__(self, dataset: Any) -> None:
        self._arrays = ArrayIterator(dataset._pipe)
        self._pipe: Pipe = dataset._pipe

    def __iter__(self) -> NumpyIterator:
        return self

    def __next__(self) -> Any:
        flat = self._arrays.next_flat()
        return self._pipe.structure.pack([_shown(part) for part in flat])

    def next(self) -> Any:
        """The next element."""
        return next(self)


def _shown(part: Any) -> Any:
    if not isinstance(part, np.ndarray):
        return part.as_numpy_iterator()
    if not part.ndim:
        return part[()]
    view = part.view()
    view.flags.writeable = False
    return view
