"""`Group`: what a source gives out, and how a series of batches becomes groups.

Groups are aligned to step numbers: with `group=4` they are the steps [0, 4), [4, 8) and so on, wherever
an epoch is resumed, so that a resumed run executes the same programs as one that never stopped. The last
group of an epoch, and one in which the shape of the batches changes, has fewer.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Any

from tapeflow.engine.devices import host_memory
from tapeflow.engine.values.nest import flatten, pack_sequence_as


@dataclass(frozen=True, slots=True)
class Group:
    """`count` batches, beginning with batch `step` of the epoch.

    `data` is what `train_step` gets: `x`, `(x, y)` or `(x, y, sample_weight)`. If `count` is 1 it is a plain
    batch, otherwise every array has a leading axis of length `count`.
    """

    step: int
    count: int
    data: Any

    def cut(self, count: int) -> tuple[Group, Group | None]:
        """The first `count` batches, and the rest if there are more."""
        if count >= self.count:
            return self, None
        return self._part(0, count), self._part(count, self.count)

    def _part(self, begin: int, end: int) -> Group:
        rows = slice(begin, end) if end - begin > 1 else begin
        leaves = [None if leaf is None else leaf[rows] for leaf in flatten(self.data)]
        return Group(self.step + begin, end - begin, pack_sequence_as(self.data, leaves))


def grouped(batches: Iterable[Any], group: int, start: int) -> Iterator[Group]:
    """Stack batches up to the end of each group; where the form changes, a new stack begins.

    Batches that came before an error are handed over before it is raised.
    """
    waiting: list[list[Any]] = []
    structure, form, first = None, None, start
    try:
        for step, data in enumerate(batches, start):
            leaves = flatten(data)
            own_form = [leaf if leaf is None else (leaf.shape, leaf.dtype) for leaf in leaves]
            if waiting and own_form != form:
                yield _stacked(waiting, structure, first)
                waiting = []
            if not waiting:
                structure, form, first = data, own_form, step
            waiting.append(leaves)
            if (step + 1) % group == 0:
                yield _stacked(waiting, structure, first)
                waiting = []
    except Exception:
        if waiting:
            yield _stacked(waiting, structure, first)
        raise
    if waiting:
        yield _stacked(waiting, structure, first)


def _stacked(batches: list[list[Any]], structure: object, step: int) -> Group:
    leaves = batches[0] if len(batches) == 1 else stack_leaves(batches)
    return Group(step, len(batches), pack_sequence_as(structure, leaves))


def stack_leaves(flat: list[list[Any]]) -> list[Any]:
    """Stack the leaves of several batches, each given as its list of leaves; `None` stays `None`."""
    return [None if leaves[0] is None else host_memory.stacked(leaves) for leaves in zip(*flat, strict=True)]
