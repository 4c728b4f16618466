"""Windows in the state of an iterator: as the handles they hold, so that the state can be written to a file."""

from __future__ import annotations

import functools
from collections.abc import Iterator
from typing import Any

from tapeflow.data.composites import mapped_state
from tapeflow.data.pipe import Pipe
from tapeflow.data.steps.batching import Component
from tapeflow.data.steps.ordering import Given

_SEALED = "windows_within"
_KEYS = {"window_of", "component", "handles"}


def packed_windows(state: Any, root: Pipe) -> Any:
    """A state in which the windows that steps below `root` have made are dicts of arrays.

    A dataset that a function has made stays: only Python knows how.
    """
    from tapeflow.data.dataset import Dataset

    if not isinstance(state, Dataset):
        if isinstance(state, dict) and _SEALED in state:
            return state
        return mapped_state(functools.partial(packed_windows, root=root), state)
    pipe, component = state._pipe, -1
    if isinstance(pipe, Component):
        pipe, component = pipe.source, pipe.number
    if isinstance(pipe, Given):
        for number, step in enumerate(_below(root)):
            if step is pipe.source:
                handles = packed_windows(pipe.handles, root)
                return {"window_of": number, "component": component, "handles": handles}
    return state


def unpacked_windows(state: Any, root: Pipe) -> Any:
    """The state that `packed_windows` was given, of an equal pipeline."""
    from tapeflow.data.dataset import Dataset

    if isinstance(state, dict) and _SEALED in state:
        return state
    if not isinstance(state, dict) or state.keys() != _KEYS:
        return mapped_state(functools.partial(unpacked_windows, root=root), state)
    source = list(_below(root))[state["window_of"]]
    window = Given(source, unpacked_windows(state["handles"], root))
    return Dataset(window if state["component"] < 0 else Component(window, state["component"]))


def sealed_windows(state: Any, root: Pipe) -> Any:
    """The state of a pipeline that a function has made within another, whose windows are none of the other's."""
    return {_SEALED: packed_windows(state, root)}


def opened_windows(state: Any, root: Pipe) -> Any:
    """The state that `sealed_windows` was given."""
    return unpacked_windows(state[_SEALED] if isinstance(state, dict) and _SEALED in state else state, root)


def _below(root: Pipe) -> Iterator[Pipe]:
    yield root
    for source in root.inputs:
        yield from _below(source)
