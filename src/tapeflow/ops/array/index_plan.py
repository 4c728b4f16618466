"""What an index such as `[0, 1:5, ..., None]` asks for, worked out once the shape is known.

An index becomes a *plan*: for every axis of the input whether it is taken whole, sliced or indexed.
Integers, and the starts of slices like `x[i:i + 32]`, are inputs of the program, so that a loop
over them compiles once; only what decides the shape of the result is static.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from tapeflow.engine.recording.node import Node
from tapeflow.engine.shapes.skeleton import Fixed, structured
from tapeflow.engine.values.annotations import TensorLike
from tapeflow.engine.values.convert import convert_to_tensor, scalar_node
from tapeflow.engine.values.dtypes import int32
from tapeflow.engine.values.tensor import Tensor, TensorBase
from tapeflow.ops.host_args import describe, invalid, known_value, read_value

_RULE = (
    "Only integers, slices (`:`), ellipsis (`...`), tf.newaxis (`None`) and scalar "
    "tf.int32/tf.int64 tensors are valid indices"
)


class Axis(NamedTuple):
    """What becomes of one axis of the input.

    Attributes:
        start: the lowest element taken, where it is static.
        length: how many elements are taken.
        step: from one to the next; backwards if negative.
        slot: which of the index inputs holds the start, where it is not static. Those counted from
            the front are known to be right; those from the back are the user's tensors, which may
            be out of range or count from the end of the axis.
    """

    start: int
    length: int
    step: int = 1
    slot: int | None = None

    @property
    def extent(self) -> int:
        """How many elements there are from the lowest taken to the highest."""
        return (self.length - 1) * abs(self.step) + 1 if self.length else 0

    @property
    def is_users(self) -> bool:
        """Whether the start is a tensor of the user's."""
        return self.slot is not None and self.slot < 0


class Cut(NamedTuple):
    """What is static about an index: every axis, and the shape of the result.

    The shape drops the axes indexed by an integer and has a 1 for each `None`.
    """

    axes: tuple[Axis, ...]
    shape: tuple[int, ...]


structured[Axis] = (
    lambda axis: (axis.start, axis.length, Fixed((axis.step, axis.slot))),
    lambda axis, parts: axis._replace(start=parts[0], length=parts[1]),
)
structured[Cut] = (lambda cut: (cut.axes, cut.shape), lambda _, parts: Cut(*parts))


class Plan:
    """An index made ready for a tensor: a `cut`, and the `inputs` that say where to begin."""

    def __init__(self, tensor: Tensor, key: tuple[Any, ...]) -> None:
        self._tensor = tensor
        self._dims = tensor.spec.shape
        self._axes: list[Axis] = []
        self._shape: list[int] = []
        self._known: list[Node] = []
        self._tensors: list[Node] = []
        self._read(key)
        self.cut = Cut(tuple(self._axes), tuple(self._shape))
        self.inputs = (*self._known, *reversed(self._tensors))

    @property
    def has_tensors(self) -> bool:
        """Whether an index is a tensor whose value only the program will know."""
        return bool(self._tensors)

    @property
    def is_whole(self) -> bool:
        """Whether the result is the tensor itself."""
        axes, shape = self.cut
        return shape == self._dims and all(
            axis.length == size and axis.step == 1 for axis, size in zip(axes, shape, strict=True)
        )

    def _read(self, key: tuple[Any, ...]) -> None:
        rank = len(self._dims)
        used = sum(1 for k in key if k is not None and k is not Ellipsis)
        if used > rank:
            raise invalid(
                f"Index out of range using input dim {rank}: tensor[...] expected at most {rank} "
                f"indices; got {used} for a tensor {describe(self._tensor)}. "
                + ("A scalar has no axes to index." if rank == 0 else "Leave some out.")
            )
        if sum(1 for k in key if k is Ellipsis) > 1:
            raise invalid(
                "Multiple ellipses in slice spec not allowed: tensor[...] expected one `...`; got "
                f"key={key!r} for a tensor {describe(self._tensor)}. Use `:` for the other axes."
            )
        for k in key:
            if k is None:
                self._shape.append(1)
            elif k is Ellipsis:
                self._whole(rank - used)
            elif isinstance(k, slice):
                self._slice(k)
            else:
                self._index(k)
        self._whole(rank - len(self._axes))

    def _whole(self, count: int) -> None:
        for _ in range(count):
            size = self._dims[len(self._axes)]
            self._axes.append(Axis(0, size))
            self._shape.append(size)

    def _moving(self, low: int, length: int, step: int = 1) -> None:
        """The next axis, beginning at a place that is an input of the program."""
        self._axes.append(Axis(0, length, step, slot=len(self._known)))
        self._known.append(scalar_node(low, int32))

    def _index(self, index: TensorLike) -> None:
        axis = len(self._axes)
        size = self._dims[axis]
        at = _integer(index)
        if isinstance(at, Tensor):
            self._tensors.append(at._as_node())
            self._axes.append(Axis(0, 1, slot=-len(self._tensors)))
            return
        if not -size <= at < size:
            raise invalid(
                f"slice index {at} of dimension {axis} out of bounds: tensor[...] expected an "
                f"index in [{-size}, {size}); got {at} for a tensor {describe(self._tensor)}. "
                "Negative indices count from the end."
            )
        self._moving(at % size, 1)

    def _slice(self, key: slice) -> None:
        size = self._dims[len(self._axes)]
        start, stop, step = (_bound(b) for b in (key.start, key.stop, key.step))
        if step == 0:
            raise invalid(
                f"strides[{len(self._axes)}] must be non-zero: tensor[...] expected a slice with a "
                f"step other than 0; got {key!r} for a tensor {describe(self._tensor)}. Use a "
                "negative step to go backwards."
            )
        taken = range(*slice(start, stop, step).indices(size))
        low = min(taken[0], taken[-1]) if taken else 0
        if start is not None and stop is not None and 0 < len(taken) < size:
            # A window: the one kind of slice whose bounds can change and its shape stay the same.
            self._moving(low, len(taken), taken.step)
        else:
            self._axes.append(Axis(low, len(taken), taken.step))
        self._shape.append(len(taken))


def _integer(index: TensorLike) -> int | Tensor:
    """An index as a Python int, or as the tensor it is when the host does not know its value."""
    if isinstance(index, TensorBase):
        tensor = convert_to_tensor(index)
        if tensor.spec.shape == () and tensor.spec.dtype.is_integer:
            known = known_value(tensor)
            return tensor if known is None else int(known)
    elif (isinstance(index, (int, np.integer)) and not isinstance(index, bool)) or (
        isinstance(index, np.ndarray) and index.shape == () and index.dtype.kind in "iu"
    ):
        return int(index)
    raise TypeError(f"{_RULE}, got {index!r}. Use tf.gather for a list of indices.")


def _bound(bound: TensorLike | None) -> int | None:
    """A bound of a slice. It decides the shape, so a tensor is run for its value."""
    if bound is None:
        return None
    value = _integer(bound)
    return int(read_value(value)) if isinstance(value, Tensor) else value
