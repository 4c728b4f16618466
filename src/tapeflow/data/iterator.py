"""Iterators over a dataset: of tensors for user code, of arrays for whoever feeds a training loop."""

from __future__ import annotations

import time
from typing import Any

import numpy as np

from tapeflow.data.composites import packed_state, unpacked_state
from tapeflow.data.deferral import deferring_steps
from tapeflow.data.description import description
from tapeflow.data.functions.calls import note_read
from tapeflow.data.pipe import Iteration, Part, Pipe, State
from tapeflow.data.position import join_all, pipeline_state, set_pipeline_state
from tapeflow.data.sharing import shared_step
from tapeflow.data.specs import IteratorSpec, OptionalSpec, are_settled
from tapeflow.data.structure import as_tensor
from tapeflow.data.window_state import packed_windows, unpacked_windows
from tapeflow.engine import errors
from tapeflow.engine.devices.placement import Share
from tapeflow.engine.programs import phases
from tapeflow.engine.recording.symbolic import DispatchTarget
from tapeflow.engine.values import nest
from tapeflow.engine.values.convert import convert_to_tensor
from tapeflow.ops.debugging.introspection import is_tensor, type_spec_from_value
from tapeflow.ops.ragged.tensor import RaggedTensor


class ArrayIterator:
    """Elements as structures of numpy arrays, strings as objects.

    Arrays may be parts of the source's own and are not to be written to. This is the way for code that
    passes batches on: no tensor is made.

    Args:
        pipe: the last step of the pipeline.
        share: the rows of each batch that will be read; the others may be zeros.
        part: which of several workers' data is read.
    """

    def __init__(self, pipe: Pipe, share: Share | None = None, part: Part | None = None) -> None:
        self._pipe = pipe
        self._share, self._part = share, part
        self._iteration = self._begun()
        join_all(pipe, self._iteration)
        self._stream = pipe.stream(self._iteration)

    def _begun(self) -> Iteration:
        shared = None if self._share is None else shared_step(self._pipe)
        iteration = Iteration(self._share if shared is not None else None, shared, self._part)
        if shared is not None and are_settled(shared.source.specs):
            iteration.deferring.update(deferring_steps(shared.source))
        return iteration

    def next_flat(self) -> tuple[Any, ...]:
        """The components of the next element."""
        log = phases.log
        if log is None:
            return self._next()
        began = time.perf_counter_ns()
        with log.during("input"):
            found = self._next()
        log.note_read(self._pipe, description, began)
        return found

    def _next(self) -> tuple[Any, ...]:
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
        """The position of the iterator, including shuffle buffers and prefetched elements."""
        return {
            "pipeline": pipeline_state(self._pipe, self._iteration),
            "stream": packed_state(packed_windows(self._stream.state(), self._pipe)),
        }

    def restore(self, state: State) -> None:
        """Go on where the iterator that gave `state`, of an equal dataset, was."""
        self._iteration = self._begun()
        set_pipeline_state(self._pipe, self._iteration, state["pipeline"])
        self._stream = self._pipe.stream(self._iteration)
        self._stream.restore(unpacked_windows(unpacked_state(state["stream"]), self._pipe))
        set_pipeline_state(
            self._pipe, self._iteration, state["pipeline"]
        )  # the streams just made do not count


class NextElement:
    """The ways in which TensorFlow asks an iterator for its next element, besides `next`."""

    @property
    def element_spec(self) -> Any:
        """The structure of specs of the elements."""
        raise NotImplementedError

    def __next__(self) -> Any:
        raise NotImplementedError

    def get_next(self) -> Any:
        """The next element; `tf.errors.OutOfRangeError` when there is none."""
        try:
            return next(self)
        except StopIteration:
            raise errors.OutOfRangeError(None, None, "End of sequence") from None

    def get_next_as_optional(self) -> Optional:
        """The next element if there is one."""
        try:
            return Optional(next(self), True, self.element_spec)
        except StopIteration:
            return Optional.empty(self.element_spec)


class Iterator(NextElement):
    """An iterator over the elements of a `tf.data.Dataset`, as tensors."""

    def __init__(self, dataset: Any) -> None:
        self._dataset = dataset
        self._arrays = ArrayIterator(dataset._pipe)

    @property
    def element_spec(self) -> Any:
        return self._dataset.element_spec

    def __iter__(self) -> Iterator:
        return self

    def __next__(self) -> Any:
        note_read()
        flat = self._arrays.next_flat()
        return self._dataset._pipe.structure.pack([as_tensor(part) for part in flat])

    @property
    def _type_spec(self) -> IteratorSpec:
        return IteratorSpec(self.element_spec)

    def state(self) -> State:
        """The position of the iterator, including shuffle buffers and prefetched elements."""
        return self._arrays.state()

    def restore(self, state: State) -> None:
        """Go on where the iterator that gave `state`, of an equal dataset, was."""
        self._arrays.restore(state)


class Optional:
    """An element that may be missing, as returned by `get_next_as_optional`."""

    def __init__(self, value: object, has_value: bool, element_spec: Any) -> None:
        self._value = value
        self._has_value = has_value
        self._element_spec = element_spec

    @staticmethod
    def from_value(value: object) -> Optional:
        """An `Optional` with a value: a tensor, or a structure of tensors."""
        parts = nest.map_structure(lambda part: part if is_tensor(part) else convert_to_tensor(part), value)
        return Optional(parts, True, nest.map_structure(type_spec_from_value, parts))

    @staticmethod
    def empty(element_spec: Any) -> Optional:
        """An `Optional` without a value."""
        return Optional(None, False, element_spec)

    @property
    def element_spec(self) -> Any:
        """The structure of specs of the element."""
        return self._element_spec

    @property
    def _type_spec(self) -> OptionalSpec:
        return OptionalSpec(self._element_spec)

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
    if isinstance(part, RaggedTensor):
        return part.numpy()
    if isinstance(part, DispatchTarget):
        return part
    if not isinstance(part, np.ndarray):
        return part.as_numpy_iterator()
    if not part.ndim:
        return part[()]
    view = part.view(np.ndarray)
    view.flags.writeable = False
    return view
