"""Values of replicas: what `strategy.run` gives and takes where there are several.

A value of the whole batch stays one until somebody asks for `.values`: a step that only reduces it costs nothing more.
`tf.nest` looks into these classes, so that functions take and return them.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, ClassVar

import tapeflow as tf
from tapeflow.distribute.reduce_op import ReduceOp
from tapeflow.engine.devices import placement
from tapeflow.engine.values import nest
from tapeflow.engine.values.tensor import Tensor
from tapeflow.ops.types.extension_type import Field


class DistributedValues:
    """A value for each replica."""

    @property
    def values(self) -> tuple[Any, ...]:
        """The values of this process's replicas."""
        raise NotImplementedError


class PerReplica(DistributedValues):
    """A value for each replica, perhaps another for each."""

    __attrs_attrs__: ClassVar[tuple[Field, ...]] = ()

    def reduce(self, op: ReduceOp, axis: int | None) -> Any:
        """All values as one, and with an `axis` the examples along it."""
        raise NotImplementedError

    def gather(self, axis: int) -> Any:
        """All values, one after the other along an axis."""
        raise NotImplementedError

    def __array__(self, *args: Any, **kwargs: Any) -> Any:
        raise ValueError(
            "It looks like you are using a PerReplica object while not inside a replica context, which is not "
            "supported. Try running your op or function inside a replica context by using `strategy.run`."
        )

    def __repr__(self) -> str:
        lines = ",\n".join(f"  {i}: {value!r}" for i, value in enumerate(self.values))
        return f"PerReplica:{{\n{lines}\n}}"


@dataclass(frozen=True)
class Spread:
    """How a value of the whole batch lies on the replicas.

    Args:
        count: how many replicas there are.
        local: which of them are of this process.
        is_batch: whether each has a part of the examples, and not the whole value.
    """

    count: int
    local: tuple[int, ...]
    is_batch: bool

    @property
    def is_of_processes(self) -> bool:
        """Whether there are replicas of other processes."""
        return len(self.local) < self.count

    def is_compatible_with(self, other: Any) -> bool:
        """Whether a value that lies so fits a signature."""
        return self == other


class Whole(PerReplica):
    """One value of the examples of all replicas."""

    __attrs_attrs__ = (Field("whole"), Field("spread"))

    def __init__(self, whole: Any, spread: Spread) -> None:
        self.whole = whole
        self.spread = spread

    @property
    def values(self) -> tuple[Any, ...]:
        if self.spread.is_of_processes and self.spread.is_batch and isinstance(self.whole, Tensor):
            return tuple([tf.constant(part) for part in placement.local_parts(self.whole)])
        parts = self._parts()
        return tuple([parts[i] for i in self.spread.local])

    def reduce(self, op: ReduceOp, axis: int | None) -> Any:
        if axis is None and not self.spread.is_batch:
            return self.whole
        if axis == 0 or not self.spread.is_batch:
            return _function(op)(self.whole, axis=axis)
        return Parts(self._parts()).reduce(op, axis)

    def gather(self, axis: int) -> Any:
        if self.spread.is_of_processes and self.spread.is_batch and axis == 0:
            return tf.constant(placement.gathered(self.whole))
        return self.whole if axis == 0 and self.spread.is_batch else tf.concat(self._parts(), axis)

    def _parts(self) -> list[Any]:
        """Of each replica, its examples: as many as the first has, while there are some."""
        count, whole = self.spread.count, self.whole
        if not self.spread.is_batch:
            return [whole] * count
        if not is_value(whole):  # the spec of a dataset's elements
            return [type(whole)([None, *whole.shape[1:]], whole.dtype)] * count
        size = -(-whole.shape[0] // count)
        return [whole[i * size : (i + 1) * size] for i in range(count)]


class Parts(PerReplica):
    """The values themselves."""

    __attrs_attrs__ = (Field("parts"),)

    def __init__(self, parts: Sequence[Any]) -> None:
        self.parts = tuple(parts)

    @property
    def values(self) -> tuple[Any, ...]:
        return self.parts

    @property
    def is_shared(self) -> bool:
        """Whether all have the same."""
        return all(part is self.parts[0] for part in self.parts)

    def reduce(self, op: ReduceOp, axis: int | None) -> Any:
        parts = [tf.convert_to_tensor(part) for part in self.parts]
        if axis is None:
            return _function(op)(tf.stack(parts), axis=0)
        total = tf.add_n([tf.reduce_sum(part, axis=axis) for part in parts])
        return (
            total
            if op is ReduceOp.SUM
            else total / tf.cast(sum(int(p.shape[axis] or 0) for p in parts), total.dtype)
        )

    def gather(self, axis: int) -> Any:
        return tf.concat(self.parts, axis)


def _function(op: ReduceOp) -> Any:
    return tf.reduce_sum if op is ReduceOp.SUM else tf.reduce_mean


def is_value(value: Any) -> bool:
    """Whether this is a tensor, ragged and sparse ones among them."""
    return isinstance(value, (Tensor, tf.RaggedTensor, tf.SparseTensor, tf.IndexedSlices))


def map_values(function: Any, structure: Any) -> Any:
    """A structure with `function` applied to its leaves; a value of replicas is one."""
    return nest.map_structure_until(PerReplica, function, structure)


def found_in(structure: Any) -> list[PerReplica]:
    """The values of replicas in a structure."""
    found: list[Any] = []
    map_values(found.append, structure)
    return [value for value in found if isinstance(value, PerReplica)]


def part_of(structure: Any, number: int) -> Any:
    """What one replica, by its number among those of this process, has of a structure."""
    return map_values(lambda v: v.values[number] if isinstance(v, PerReplica) else v, structure)


def shared_part(structure: Any) -> Any:
    """What one call for all replicas gets: values of the whole batch, and of others the first."""

    def shared(value: Any) -> Any:
        if isinstance(value, Whole):
            return value.whole
        return value.values[0] if isinstance(value, PerReplica) else value

    return map_values(shared, structure)


def together(results: Sequence[Any]) -> Any:
    """The structures that the replicas gave as one, of values for each."""

    def joined(*parts: Any) -> Any:
        first = parts[0]
        if any(map(is_value, parts)):
            return Parts(parts)
        if all(part is first or part == first for part in parts):
            return first
        is_number = all(isinstance(part, (bool, int, float)) for part in parts)
        return Parts([tf.constant(part) for part in parts] if is_number else parts)

    return nest.map_structure(joined, *results)
