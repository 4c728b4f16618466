"""Elements that are made when a batch wants them: of rows that other processes compute, nothing is read or mapped.

In place of such an element, its handle is a `Deferred`. Steps that only move handles pass it on; the `batch` whose rows
several processes share makes those of its own rows. Where any other step looks at elements, none is deferred.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, Protocol

import numpy as np

if TYPE_CHECKING:
    from tapeflow.data.pipe import Pipe


class Maker(Protocol):
    """A step that makes elements later."""

    def make(self, notes: Sequence[Any]) -> Sequence[tuple[Any, ...]]:
        """The elements that were noted, in this order."""
        ...


class Deferred:
    """An element that its step makes when it is wanted, from what was noted of it."""

    __slots__ = ("maker", "note")

    def __init__(self, maker: Maker, note: Any) -> None:
        self.maker, self.note = maker, note


def deferred(maker: Maker, notes: Sequence[Any]) -> np.ndarray:
    """Handles of elements that are made later."""
    handles = np.empty(len(notes), object)
    for i, note in enumerate(notes):
        handles[i] = Deferred(maker, note)
    return handles


def made(handles: np.ndarray) -> np.ndarray:
    """The same elements, all of them there."""
    found, waiting = handles.copy(), dict[int, list[int]]()
    for i, handle in enumerate(handles):
        if isinstance(handle, Deferred):
            waiting.setdefault(id(handle.maker), []).append(i)
    for places in waiting.values():
        elements = handles[places[0]].maker.make([handles[i].note for i in places])
        for i, element in zip(places, elements, strict=True):
            found[i] = element
    return found


def deferring_steps(root: Pipe) -> set[Pipe]:
    """The steps whose elements may be made later, if `root` is passed over by one that makes them."""
    found: set[Pipe] = set()
    looked_at: set[Pipe] = set()

    def walk(pipe: Pipe, is_unseen: bool) -> None:
        is_unseen = is_unseen and not pipe.rows.width
        if not is_unseen:
            looked_at.add(pipe)
        elif pipe.defers:
            found.add(pipe)
        for source in pipe.inputs:
            walk(source, is_unseen and pipe.passes_deferred)

    walk(root, True)
    return found - looked_at
