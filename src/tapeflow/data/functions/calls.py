"""Calling the user's functions on elements.

A function sees real tensors and may do with them what it likes. Its ops are recorded in a trace of their
own, so that fetching an element in the middle of a training step, a tape or a `tf.function` leaves no
mark there, and run before the element is handed on: elements cross threads as values.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

import numpy as np

from tapeflow.data.composites import settled
from tapeflow.data.structure import (
    Flat,
    Structure,
    as_result,
    as_tensor,
    flattened,
    map_parts,
)
from tapeflow.engine.programs.running import materialise, run_trace
from tapeflow.engine.recording.trace import NeedsValue, Trace, state
from tapeflow.engine.values.annotations import TensorLike
from tapeflow.engine.values.tensor import Tensor


@contextmanager
def isolated_recording(counters: Any = None) -> Iterator[None]:
    """Record in a trace of its own: no tape, function or loop body around it takes part.

    `counters` gives the random counters that ops draw from, in place of the shared ones.
    """
    saved = {name: getattr(state, name) for name in _RECORDING}
    state.trace, state.tapes, state.recording = Trace(), (), None
    state.outer, state.bodies, state.is_assembling = None, (), False
    state.drawn, state.counters, state.is_in_pipeline = [], counters, True
    try:
        yield
        if state.trace.effects or state.trace.writes:  # what is printed or assigned happens now
            run_trace(state.trace)
    finally:
        for name, value in saved.items():
            setattr(state, name, value)


_RECORDING = (
    *("trace", "tapes", "recording", "outer", "bodies", "is_assembling", "drawn", "counters"),
    "is_in_pipeline",
)


@contextmanager
def drawing_from(counters: Any) -> Iterator[None]:
    """Let ops draw from these random counters."""
    saved, state.counters = state.counters, counters
    try:
        yield
    finally:
        state.counters = saved


def note_read() -> None:
    """An element is about to be fetched: a `tf.function` that is being recorded cannot stand for later calls.

    Raises:
        NeedsValue: the body of a loop or branch is being recorded. Each of its turns needs an element of its own.
    """
    if state.trace.is_body:
        raise NeedsValue("it takes the next element of an iterator", _USE_A_STEP)
    if state.recording is not None:
        state.recording.note_why(f"Python takes an element of a dataset. {_USE_A_STEP}")
        state.recording.note_read()


_USE_A_STEP = "Make what is done with an element a tf.function, and call it there"


def arguments_of(structure: Structure, parts: Flat) -> tuple[Any, ...]:
    """What a function is called with: a tuple's parts are arguments of their own."""
    packed = structure.pack(parts)
    return packed if structure.is_tuple else (packed,)


def call(function: Callable[..., Any], structure: Structure, element: Flat) -> Any:
    """The structure of tensors and datasets that a function makes of an element; inside `isolated_recording`."""
    return results_of(function(*arguments_of(structure, tuple([as_tensor(a) for a in element]))))


def results_of(result: object) -> Any:
    """What a function returned, as a structure of tensors; a list counts as a tuple."""
    return map_parts(as_result, tuple(result) if isinstance(result, list) else result)


def values_of(results: Any) -> Flat:
    """The components of a result as values."""
    return tuple([value_of(r) for r in flattened(results)])


def value_of(result: TensorLike) -> Any:
    """A tensor's value as an array; a ragged or sparse tensor with values that are; a dataset as it is."""
    if isinstance(result, Tensor):
        return np.asarray(materialise(result._node))
    return settled(result)
