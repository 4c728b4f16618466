"""`Pipe` and `Stream`: what a dataset is made of, and one pass over it.

A pipe describes a step of a pipeline and can be passed over any number of times; a stream is one pass.
Streams hand over handles (see `rows`) in blocks as large as whoever asks can use, and read no further
ahead than TensorFlow's iterators would. What a stream has left to do is its state: plain numbers, arrays
and dicts of them, from which a stream of an equal pipeline goes on.
"""

from __future__ import annotations

import copy
import itertools
import weakref
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np

from tapeflow.data.rows import OBJECTS, Rows
from tapeflow.data.structure import Structure
from tapeflow.engine.devices.placement import Share

State = dict[str, Any]

_iterations = itertools.count(1)


def next_iteration() -> int:
    """The number that the next iterator of this process gets, given back."""
    global _iterations
    number = next(_iterations)
    _iterations = itertools.count(number)
    return number


def set_next_iteration(number: int) -> None:
    """Number the iterators to come from here on, as an interrupted process would have."""
    global _iterations
    _iterations = itertools.count(number)


@dataclass(frozen=True, eq=False)
class Part:
    """One worker's part of a dataset, of which it makes batches of its own.

    Attributes:
        index, count: which of how many workers it is.
        batches: the step whose batches are those of all workers together; None if there is none.
        splits_files: whether the files are split; else the step `shard` with `SHARD_HINT` does it.
    """

    index: int
    count: int
    batches: Pipe | None
    splits_files: bool


class Iteration:
    """One iterator over a dataset: how often it has passed over each of the dataset's steps.

    Random draws with a seed begin again with every iterator, as TensorFlow's do, and go on from pass to
    pass within one. Those without differ from iterator to iterator: `number` tells them apart.

    Args:
        share: the rows of each batch that are wanted; None for all.
        shared: the step that makes these batches, and leaves the other rows zero.
        part: which of several workers' files or shards are wanted; None for all.
        is_trial: whether it only shows what elements are like, for which any shard will do.
    """

    def __init__(
        self,
        share: Share | None = None,
        shared: Pipe | None = None,
        part: Part | None = None,
        is_trial: bool = False,
    ) -> None:
        self.share, self.shared, self.part, self.is_trial = share, shared, part, is_trial
        self.number = next(_iterations)
        self.deferring: weakref.WeakSet[Pipe] = weakref.WeakSet()
        """The steps that are to defer what they make (see `deferral`)."""
        self.passes: weakref.WeakKeyDictionary[Pipe, int] = weakref.WeakKeyDictionary()

    def next_pass(self, pipe: Pipe) -> int:
        """The pass that begins now: its number in this iterator, and the iterator's in the upper bits."""
        count = self.passes.get(pipe, 0)
        self.passes[pipe] = count + 1
        return self.number << PASS_BITS | count

    def of_all_files(self) -> Iteration:
        """The same iterator, for steps before which the files have been split already."""
        if self.part is None or not self.part.splits_files:
            return self
        found = copy.copy(self)
        found.part = None
        return found

    def join(self, pipe: Any) -> None:
        """Be counted among the iterators over a step that is random anew for each of them."""
        if pipe not in self.passes:
            self.passes[pipe], pipe.iterators = pipe.iterators, pipe.iterators + 1

    def next_order(self, pipe: Any) -> int:
        """The number of the pass that begins now over such a step: the iterator's, and the pass's in the upper bits.

        An iterator that reads ahead begins passes that nobody may want. They are numbered apart from those of
        other iterators, so that these do not depend on how far a thread has read.
        """
        self.join(pipe)
        order = self.passes[pipe]
        self.passes[pipe] = order + (1 << PASS_BITS)
        return order


PASS_BITS = 32


class Stream:
    """One pass over a pipe."""

    def take(self, count: int) -> np.ndarray:
        """The next `count` handles; fewer only at the end."""
        raise NotImplementedError

    def state(self) -> State:
        """Where the pass is."""
        raise NotImplementedError

    def restore(self, state: State) -> None:
        """Go on where the stream that gave `state` was; only for a stream that has not begun."""
        raise NotImplementedError


class Pipe:
    """A step of a pipeline."""

    rows: Rows = OBJECTS
    name: ClassVar[str | None] = None
    """What TensorFlow calls such a dataset, if not like this class."""
    defers: ClassVar[bool] = False
    """Whether it can make its elements later (see `deferral`)."""
    passes_deferred: ClassVar[bool] = False
    """Whether it hands on elements, or makes its own of them, without looking at them before."""

    def stream(self, iteration: Iteration) -> Stream:
        """Begin a pass."""
        raise NotImplementedError

    @property
    def inputs(self) -> tuple[Pipe, ...]:
        """The steps before this one."""
        return ()

    @property
    def structure(self) -> Structure:
        """How the components of an element are arranged."""
        raise NotImplementedError

    @property
    def specs(self) -> tuple[Any, ...]:
        """The spec of each component."""
        raise NotImplementedError

    @property
    def cardinality(self) -> int:
        """How many elements a pass has, or a mark of `cardinality`."""
        raise NotImplementedError


class Step(Pipe):
    """A pipe with one input; unless it says otherwise, of the same elements."""

    def __init__(self, source: Pipe, rows: Rows | None = None) -> None:
        self.source = source
        self.rows = rows or source.rows

    @property
    def inputs(self) -> tuple[Pipe, ...]:
        return (self.source,)

    @property
    def structure(self) -> Structure:
        return self.source.structure

    @property
    def specs(self) -> tuple[Any, ...]:
        return self.source.specs

    @property
    def cardinality(self) -> int:
        return self.source.cardinality
