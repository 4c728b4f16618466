"""What a loop in converted code goes over: ranges, rows of tensors, and several of these side by side."""

from __future__ import annotations

import builtins
from collections.abc import Iterator
from typing import Any

import numpy as np

from tapeflow.engine.backend import jax
from tapeflow.engine.recording.node import Spec, spec_of
from tapeflow.engine.recording.op import op
from tapeflow.engine.recording.trace import state as engine_state
from tapeflow.engine.values.annotations import TensorLike
from tapeflow.engine.values.convert import convert_to_tensor
from tapeflow.engine.values.tensor import Tensor, TensorBase
from tapeflow.ops.array import creation
from tapeflow.ops.autograph.state import is_recording
from tapeflow.ops.host_args import known_size, known_value, size_value
from tapeflow.ops.math.arithmetic import maximum, minimum
from tapeflow.ops.math.casting import cast
from tapeflow.ops.math.elementwise import ceil


@op(name="RowAt", same_dtype=False)
def _row_at(rows: jax.Array, index: jax.Array) -> jax.Array:
    """A row of a tensor, at an index that lies in it."""
    return jax.lax.dynamic_index_in_dim(rows, index, 0, keepdims=False)


class Items:
    """What a staged loop goes over.

    Attributes:
        count: how many there are, if the host knows.
    """

    count: int | None

    def counted(self) -> Tensor:
        """How many there are."""
        return convert_to_tensor(self.count)

    def rows(self) -> Any:
        """All items stacked, in the structure of one; only if `count` is known."""
        raise NotImplementedError

    def at(self, iteration: Tensor) -> Any:
        """The item of a turn."""
        raise NotImplementedError

    def indices(self, item: TensorLike) -> list[Tensor]:
        """The parts of an item that are the number of the turn."""
        return []

    def __iter__(self) -> Iterator[Any]:
        raise NotImplementedError


class Range(Items):
    """`tf.range(start, limit, delta)` that is not yet a tensor."""

    def __init__(
        self,
        start: TensorLike,
        limit: TensorLike | None = None,
        delta: TensorLike = 1,
        dtype: Any = None,
        name: Any = None,
    ) -> None:
        self._given = (0, start, delta) if limit is None else (start, limit, delta)
        self._dtype = dtype
        values = [known_size(v) if isinstance(v, TensorBase) else v for v in self._given]
        self._tensor = None if any(v is None for v in values) else creation.range(*self._given, dtype=dtype)
        self.count = None if self._tensor is None else self._tensor.spec.shape[0]
        if self._tensor is None:
            self._bounds = self._converted()

    def _converted(self) -> list[Tensor]:
        """Start, limit and delta in one dtype."""
        dtypes = [v.dtype for v in self._given if isinstance(v, TensorBase)]
        wanted = self._dtype
        if wanted is None:
            numbers = [np.zeros((), d.as_numpy_dtype) for d in dtypes]
            numbers += [
                np.asarray(v, np.int32 if isinstance(v, int) else np.float32)
                for v in self._given
                if not isinstance(v, TensorBase)
            ]
            wanted = np.result_type(*numbers)
        return [cast(v, wanted) for v in self._given]

    def counted(self) -> Tensor:
        if self._tensor is not None:
            return super().counted()
        start, limit, delta = self._bounds
        if start.dtype.is_integer:
            zero = cast(0, start.dtype)
            # Rounded up, whichever way it goes.
            return maximum(-((start - limit) // delta), zero)
        return cast(maximum(ceil((limit - start) / delta), cast(0, start.dtype)), "int64")

    def rows(self) -> Tensor:
        return self.tensor()

    def tensor(self) -> Tensor:
        """The range as a tensor; what it depends on is run if need be."""
        if self._tensor is None:
            self._tensor = creation.range(*self._given, dtype=self._dtype)
        return self._tensor

    def at(self, iteration: Tensor) -> Tensor:
        if self._tensor is not None:
            dtype = self._tensor.dtype
            start, _, delta = (cast(v, dtype) for v in self._given)
        else:
            start, _, delta = self._bounds
        return start + cast(iteration, start.dtype) * delta

    def indices(self, item: Any) -> list[Tensor]:
        start, _, delta = self._given
        return [item] if _is_number(start, 0) and _is_number(delta, 1) else []

    def __iter__(self) -> Iterator[Tensor]:
        if self._tensor is None:
            # Read, as each turn is to be Python's: the record is not to be one of so many turns.
            given = [v.numpy() if isinstance(v, TensorBase) else v for v in self._given]
            return iter(creation.range(*given, dtype=self._dtype))
        return iter(self._tensor)

    def settle(self) -> bool:
        """Let the number of items decide a size, if arguments of the function being recorded tell it."""
        if self._tensor is None and not engine_state.trace.is_body:
            values = [np.asarray(v) if not isinstance(v, TensorBase) else size_value(v) for v in self._given]
            known = [v for v in values if v is not None]
            if len(known) == len(values):
                self._tensor = creation.range(*known, dtype=self._dtype)
                self.count = self._tensor.spec.shape[0]
        return self._tensor is not None


def _is_number(value: object, number: int) -> bool:
    found = known_value(value) if isinstance(value, TensorBase) else value
    return found is not None and bool(found == number)


class TensorRows(Items):
    """The rows of a tensor."""

    def __init__(self, tensor: Tensor) -> None:
        if not tensor.spec.shape:
            raise TypeError("Cannot iterate over a scalar tensor.")
        self._tensor = tensor
        self.count = tensor.spec.shape[0]

    def rows(self) -> Tensor:
        return self._tensor

    def at(self, iteration: Tensor) -> Tensor:
        return _row_at(self._tensor, iteration)

    def __iter__(self) -> Iterator[Tensor]:
        return iter(self._tensor)


class Zipped(Items):
    """Several of them side by side, as far as the shortest goes."""

    def __init__(self, *parts: Items) -> None:
        self._parts = parts
        counts = [p.count for p in parts if p.count is not None]
        self.count = builtins.min(counts) if len(counts) == len(parts) else None

    def counted(self) -> Tensor:
        if self.count is not None:
            return super().counted()
        counts = [cast(p.counted(), "int64") for p in self._parts]
        found = counts[0]
        for count in counts[1:]:
            found = minimum(found, count)
        return found

    def rows(self) -> Any:
        return tuple([_cut(p.rows(), self.count or 0) for p in self._parts])

    def at(self, iteration: Tensor) -> tuple[Tensor, ...]:
        return tuple([p.at(iteration) for p in self._parts])

    def indices(self, item: Any) -> list[Tensor]:
        return [i for p, part in zip(self._parts, item, strict=True) for i in p.indices(part)]

    def __iter__(self) -> Iterator[Any]:
        return iter(zip(*self._parts, strict=False))


def _cut(rows: Any, count: int) -> Any:
    if isinstance(rows, tuple):
        return tuple([_cut(r, count) for r in rows])
    return rows if rows.spec.shape[0] == count else rows[:count]


class _Endless(Range):
    """Numbers from a start on, as many as there are of what they count."""

    def __init__(self, counted: Items, start: Any) -> None:
        if counted.count is not None:
            super().__init__(start, start + counted.count)
        else:
            super().__init__(start, cast(counted.counted(), "int32") + start)


def items_of(iterated: Any) -> Items | None:
    """What a staged loop goes over; None if it is not made of tensors."""
    if isinstance(iterated, Items):
        return iterated
    if isinstance(iterated, TensorBase) and is_recording():
        return TensorRows(convert_to_tensor(iterated))
    return None


def zipped(*parts: Any, strict: bool = False) -> Any:
    """`zip`, where it is what a loop goes over."""
    found = [items_of(p) for p in parts]
    if strict or not found or any(f is None for f in found):
        return builtins.zip(*parts, strict=strict)
    return Zipped(*[f for f in found if f is not None])


def enumerated(iterable: Any, start: Any = 0) -> Any:
    """`enumerate`, where it is what a loop goes over."""
    found = items_of(iterable)
    if found is None or not isinstance(start, int):
        return builtins.enumerate(iterable, start)
    return Zipped(_Endless(found, start), found)


def range_of_tensors(*args: int) -> Any:
    """Python's `range`, where it is what a loop goes over: of tensors, a range of tensors."""
    if is_recording() and any(isinstance(a, TensorBase) and known_value(a) is None for a in args):
        return Range(*args)
    return builtins.range(*args)


def tensor_range(*args: Any, **kwargs: Any) -> Any:
    """`tf.range`, where it is what a loop goes over."""
    return Range(*args, **kwargs) if is_recording() else creation.range(*args, **kwargs)


def spec_of_row(rows: Tensor) -> Spec:
    """The spec of one row."""
    return spec_of(rows.spec.shape[1:], rows.spec.dtype)
