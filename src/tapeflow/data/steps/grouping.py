"""Elements grouped by a key: group_by_window, and the buckets of bucket_by_sequence_length."""

from __future__ import annotations

import itertools
from collections.abc import Callable
from functools import cached_property
from typing import Any

import numpy as np

from tapeflow.data import cardinality as counting
from tapeflow.data.functions.calls import call, isolated_recording, results_of, value_of
from tapeflow.data.functions.randomness import ElementCounters, drawn_seed, place_state, restored_place
from tapeflow.data.pipe import Iteration, Pipe, State, Step, Stream
from tapeflow.data.piped import Piped, made
from tapeflow.data.rows import OBJECTS, objects
from tapeflow.data.steps.ordering import Given
from tapeflow.data.steps.stepping import ElementStream
from tapeflow.data.structure import Flat, Structure, as_tensor, flattened
from tapeflow.engine import errors


class GroupByWindow(Step):
    """What `reduce` makes of every window of elements with one key; a window is full or the last."""

    def __init__(
        self,
        source: Pipe,
        key: Callable[..., Any],
        reduce: Callable[..., Any],
        size: Callable[[int], int],
        like: Callable[..., Any] | None = None,
    ) -> None:
        super().__init__(source, OBJECTS)
        self.key_function, self.reduce, self.size = key, reduce, size
        self._like = like or reduce  # makes datasets whose specs are those of all windows
        self.seed = drawn_seed(None)

    @cached_property
    def _first(self) -> Pipe:
        handles = self.source.stream(Iteration(is_trial=True)).take(1)
        if not len(handles):
            raise ValueError(
                "tf.data.Dataset.group_by_window expected at least one element, to find out what reduce_func "
                "returns; got none."
            )
        elements = self.source.rows.elements(handles)
        return self.opened(self.key(elements[0], (0, 0)), list(elements), (0, 0), self._like)

    @property
    def structure(self) -> Structure:
        return self._first.structure

    @property
    def specs(self) -> tuple[Any, ...]:
        return self._first.specs

    @property
    def cardinality(self) -> int:
        return counting.UNKNOWN

    def key(self, element: Flat, place: tuple[int, int]) -> int:
        """The key of an element; `place` is the pass and the element's number in it."""
        with isolated_recording(ElementCounters(self.seed, place)):
            return key_of(
                "tf.data.Dataset.group_by_window", self.key_function, self.source.structure, element
            )

    def opened(
        self, key: int, elements: list[Flat], place: tuple[int, int], reduce: Callable[..., Any] | None = None
    ) -> Pipe:
        """The dataset that is made of a window."""
        window = Given(_Window(self.source), objects(elements))
        with isolated_recording(ElementCounters(self.seed, place)):
            found = flattened(
                results_of((reduce or self.reduce)(as_tensor(np.array(key, np.int64)), made(window)))
            )
        if len(found) != 1 or not isinstance(found[0], Piped):
            raise TypeError(
                "tf.data.Dataset.group_by_window expected reduce_func to return a `Dataset` object; got "
                f"{found!r}."
            )
        return found[0]._pipe

    def stream(self, iteration: Iteration) -> Stream:
        return _Grouped(self, iteration)


class _Window(Step):
    """The source's elements as their own handles."""

    def __init__(self, source: Pipe) -> None:
        super().__init__(source, OBJECTS)


class _Grouped(ElementStream):
    def __init__(self, pipe: GroupByWindow, iteration: Iteration) -> None:
        self._pipe, self._iteration = pipe, iteration
        self._pass, self._at = iteration.next_pass(pipe), 0
        self._inner = pipe.source.stream(iteration)
        self._is_over = False
        self._held: dict[int, list[Flat]] = {}
        self._open: tuple[int, list[Flat], int, Pipe, Stream] | None = None

    def next_element(self) -> Flat | None:
        while True:
            if self._open is None and not self._begin():
                return None
            if self._open is not None:
                *_, made, stream = self._open
                handles = stream.take(1)
                if len(handles):
                    return made.rows.elements(handles)[0]
                self._open = None

    def _begin(self) -> bool:
        """Open the next window, read elements until there is one; False if there is none any more."""
        pipe = self._pipe
        while not self._is_over:
            handles = self._inner.take(1)
            if not len(handles):
                self._is_over = True
                break
            element = pipe.source.rows.elements(handles)[0]
            at, self._at = self._at, self._at + 1
            key = pipe.key(element, (self._pass, at))
            held = self._held.setdefault(key, [])
            held.append(element)
            if len(held) >= pipe.size(key):
                self._open_window(key, self._held.pop(key), at)
                return True
        if not self._held:
            return False
        key = min(self._held)  # TensorFlow keeps its groups in the order of their keys
        self._open_window(key, self._held.pop(key), self._at)
        return True

    def _open_window(self, key: int, elements: list[Flat], at: int) -> None:
        made = self._pipe.opened(key, elements, (self._pass, at))
        self._open = (key, elements, at, made, made.stream(self._iteration))

    def state(self) -> State:
        opened = self._open
        return {
            **place_state(self._pipe, self._iteration, self._pass, self._at),
            "inner": self._inner.state(),
            "is_over": self._is_over,
            "held": {key: list(elements) for key, elements in self._held.items()},
            "open": None if opened is None else (*opened[:3], opened[4].state()),
        }

    def restore(self, state: State) -> None:
        self._pass, self._at = restored_place(self._pipe, self._iteration, state)
        self._inner.restore(state["inner"])
        self._is_over = state["is_over"]
        self._held = {key: list(elements) for key, elements in state["held"].items()}
        if state["open"] is not None:
            key, elements, at, own = state["open"]
            self._open_window(key, list(elements), at)
            if self._open is not None:
                self._open[4].restore(own)


def key_of(where: str, function: Callable[..., Any], structure: Structure, element: Flat) -> int:
    """The key that a function gives an element; inside `isolated_recording`."""
    found = np.asarray(value_of(flattened(call(function, structure, element))[0]))
    if found.shape or found.dtype != np.int64:
        raise ValueError(
            f"{where} expected key_func to return an int64: invalid `key_func`, `key_func` must return a single "
            f"`tf.int64` scalar tensor; got {found.dtype} of shape {found.shape}. Use tf.cast."
        )
    return int(found)


def check_buckets(boundaries: list[int], sizes: list[int]) -> None:
    """Raise unless there is one batch size more than there are boundaries."""
    where = "tf.data.Dataset.bucket_by_sequence_length"
    if len(sizes) != len(boundaries) + 1:
        raise ValueError(
            f"{where} expected one batch size more than boundaries: `len(bucket_batch_sizes)` must equal "
            f"`len(bucket_boundaries) + 1`; got {len(sizes)} and {len(boundaries)}."
        )
    if any(a >= b for a, b in itertools.pairwise(boundaries)):
        raise ValueError(f"{where} expected growing boundaries; got bucket_boundaries={boundaries}.")


def bucket_of(length: int, boundaries: list[int], is_padded_to_them: bool) -> int:
    """The number of the bucket for an element of a length."""
    if is_padded_to_them and length >= boundaries[-1]:
        raise errors.InvalidArgumentError(
            None,
            None,
            "tf.data.Dataset.bucket_by_sequence_length expected elements below the last boundary: when "
            "pad_to_bucket_boundary=True, elements must have length < max(bucket_boundaries); got length "
            f"{length}.",
        )
    return int(np.searchsorted(boundaries, length, side="right"))
