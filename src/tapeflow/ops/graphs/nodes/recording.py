"""A Python function, recorded on arguments of several sizes."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from itertools import count
from typing import Any, NamedTuple

from tapeflow.engine.functions.staging import Recording
from tapeflow.engine.recording.node import Node, spec_of
from tapeflow.engine.recording.sketch import NotSketchable, sketch
from tapeflow.engine.recording.trace import state
from tapeflow.engine.values import nest
from tapeflow.engine.values.convert import to_node
from tapeflow.engine.values.tensor import Tensor
from tapeflow.engine.values.tensor_spec import TensorSpec
from tapeflow.engine.values.variable import Variable
from tapeflow.ops.graphs.nodes.function_body import CannotLower
from tapeflow.ops.ragged.recorded import RaggedMark, RecordedRagged

# Sizes of rows, of steps in time, and of axes of images. They are as odd as possible first, so that halves and the like
# can be told apart; images are large, so that many strides leave something of them.
_ODD = ((5, 7, 12, 19), (9, 11, 14, 18), (131, 165, 202, 259))
_LONG = ((5, 7, 12, 19), (67, 85, 102, 131), (131, 165, 202, 259))
_EVEN = ((2, 3, 4, 5), (64, 96, 160, 224), (128, 192, 320, 448))
_IMAGE_RANK = 4


class Sample(NamedTuple):
    """One record of a function.

    Attributes:
        entries: the recorded ops.
        nodes: what they gave, by slot.
        leaves: what they took.
        arguments: the leaf of each argument.
        variables: the Variables that are read, by leaf.
        draws: leaves that are words of random keys.
        results: the slots of what the function returned.
        writes: Variables, with the slots of what they are assigned.
        structure: what the function returned, with a mark for each tensor and None for nothing.
    """

    entries: tuple[Any, ...]
    nodes: list[Node]
    leaves: list[Node]
    arguments: list[int]
    variables: dict[int, Variable]
    draws: set[int]
    results: list[int]
    writes: list[tuple[Variable, int]]
    structure: Any


class Records(NamedTuple):
    """The records of a function.

    Attributes:
        samples: one for each choice of sizes.
        open_axes: for each open size the places, (argument, axis), where it is found.
        values: the size in each record, for each open size.
    """

    samples: list[Sample]
    open_axes: list[list[tuple[int, int]]]
    values: list[tuple[int, ...]]


def record(function: Callable[..., Any], specs: Sequence[TensorSpec]) -> Records:
    """Record a function for arguments of these specs.

    Raises:
        CannotLower: it reads values, or its arguments have no rank.
        Exception: what the function raises for every choice of sizes.
    """
    if any(spec.shape.rank is None for spec in specs):
        raise CannotLower("takes arguments of unknown rank; give them shapes, with None for open sizes")
    error: Exception | None = None
    for open_axes in _groupings(specs):
        for choice in (_ODD, _LONG, _EVEN) if open_axes else (_ODD,):
            values = _choices(specs, open_axes, choice)
            try:
                samples = [
                    _sample(function, _placed(specs, open_axes, [v[i] for v in values]), i + 1)
                    for i in range(len(values[0]) if values else 1)
                ]
            except (NotSketchable, CannotLower):
                raise
            except Exception as raised:  # noqa: BLE001 - a user's function raises anything for sizes it cannot take
                error = error or raised
                continue
            if len({len(sample.entries) for sample in samples}) == 1:
                return Records(samples, open_axes, values)
            error = error or CannotLower("does other ops for other sizes")
    raise error or CannotLower("cannot be recorded")


def _groupings(specs: Sequence[TensorSpec]) -> Iterator[list[list[tuple[int, int]]]]:
    """Open axes by size: each for itself; rows together; those at one place together; all together."""
    places = [
        (i, axis)
        for i, spec in enumerate(specs)
        for axis, size in enumerate(spec.shape.as_list())
        if size is None
    ]
    seen: list[Any] = []
    keys: list[Callable[[tuple[int, int]], Any]] = [
        lambda place: place,
        lambda place: 0 if place[1] == 0 else place,
        lambda place: place[1],
        lambda _: 0,
    ]
    for key in keys:
        groups: dict[Any, list[tuple[int, int]]] = {}
        for place in places:
            groups.setdefault(key(place), []).append(place)
        found = list(groups.values())
        if found not in seen:
            seen.append(found)
            yield found


def _choices(
    specs: Sequence[TensorSpec], open_axes: list[list[tuple[int, int]]], choice: Any
) -> list[tuple[int, ...]]:
    """The size of each open axis in each record: one at a time is changed, then all of them."""
    found = []
    records = len(open_axes) + 3
    for i, group in enumerate(open_axes):
        rows, steps, cells = choice
        argument, axis = group[0]
        is_image = len(specs[argument].shape) >= _IMAGE_RANK
        sizes = rows if axis == 0 else cells if is_image else steps
        shift = 0 if choice is _EVEN else 2 * i
        base, other, *rest = [s + shift for s in sizes]
        column = [base] * records
        column[i + 1] = other
        column[-2:] = rest
        found.append(tuple(column))
    return found


def _placed(specs: Sequence[TensorSpec], open_axes: list[Any], sizes: Sequence[int]) -> list[Any]:
    shapes = [spec.shape.as_list() for spec in specs]
    for group, size in zip(open_axes, sizes, strict=True):
        for i, axis in group:
            shapes[i][axis] = size
    return [
        spec_of(tuple([int(n or 0) for n in shape]), spec.dtype)
        for shape, spec in zip(shapes, specs, strict=True)
    ]


def _sample(function: Callable[..., Any], specs: Sequence[Any], number: int) -> Sample:
    found: list[Sample] = []

    def call(*values: Tensor) -> None:
        trace = state.trace
        trace.keeps_strings = number
        given = [v._node for v in values]
        recording = state.recording = Recording(is_trial=True)
        structure = function(*values)
        results = [to_node(r) for part in nest.flatten(structure) for r in _tensors(part)]
        slots = [trace.slot_of(node) for node in results]
        writes = [(w.variable, trace.slot_of(w.variable._node)) for w in trace.writes.values()]
        index = {id(node): i for i, node in enumerate(trace.leaves)}
        drawn = {id(n) for _, high, low in recording.draws for n in (high, low)}
        numbers = count()
        found.append(
            Sample(
                trace.entries,
                list(trace.nodes),
                list(trace.leaves),
                [index[id(node)] for node in given],
                {index[id(node)]: v for v, node in recording.variables.values() if id(node) in index},
                {i for i, node in enumerate(trace.leaves) if id(node) in drawn},
                slots,
                writes,
                nest.map_structure(lambda part: _marked(part, numbers), structure),
            )
        )

    sketch(call, *specs)
    return found[0]


def _tensors(part: Any) -> Sequence[Any]:
    """What a part of a function's result consists of."""
    if part is None:
        return ()
    return (part.values, part.row_splits) if isinstance(part, RecordedRagged) else (part,)


def _marked(part: Any, numbers: Iterator[int]) -> Any:
    if part is None:
        return None
    return RaggedMark([next(numbers), next(numbers)]) if isinstance(part, RecordedRagged) else next(numbers)
