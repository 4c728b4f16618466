"""What a recorded loop carries from turn to turn, in terms of the names that it comes from."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np

from tapeflow.engine.recording.node import Spec
from tapeflow.engine.recording.recorder import tensor_of
from tapeflow.engine.recording.trace import NeedsValue
from tapeflow.engine.recording.trace import state as engine_state
from tapeflow.engine.values import nest
from tapeflow.engine.values.convert import constant, to_node
from tapeflow.engine.values.dtypes import string
from tapeflow.engine.values.shape import TensorShape
from tapeflow.engine.values.tensor import Tensor, TensorBase
from tapeflow.engine.values.variable import Variable
from tapeflow.ops.array.creation import zeros
from tapeflow.ops.array.indexing import gather
from tapeflow.ops.array.joining import concat
from tapeflow.ops.autograph.merging import is_same, is_tensor_like
from tapeflow.ops.autograph.state import NOTHING, RESULT, UNSET, Place, note_why
from tapeflow.ops.control.tensor_array import Appending, Growing, NotAppended, TensorArray


class _Leaf:
    """One leaf of what a name holds before the loop, and how it is carried."""

    def __init__(
        self, name: str, value: Any, is_counted: bool, most_turns: int | None, grows: bool = False
    ) -> None:
        self.name, self.value = name, value
        self.tensor: Tensor | None = None
        self.length: Tensor | None = None
        self.room: int | None = None
        self.is_appended = False
        self.start = 0
        if isinstance(value, TensorArray):
            self._take_array(value, is_counted, most_turns, grows)
        elif isinstance(value, Variable):
            pass  # the same Variable throughout; what it holds is carried by itself
        elif is_tensor_like(value):
            self.tensor = tensor_of(to_node(value))
            if self.tensor.dtype is string:
                raise NeedsValue("it has to do with strings")

    def _take_array(self, array: TensorArray, is_counted: bool, most_turns: int | None, grows: bool) -> None:
        if isinstance(array, Growing):
            self.tensor, self.length = array.rows(), array.length
            return
        if not array.dynamic_size:
            self.tensor = array.rows()
            return
        self.start = int(array.size())
        if is_counted and not grows:
            self.is_appended = True
        elif most_turns is None or engine_state.trace.is_body:
            raise NeedsLength
        else:
            self.room, self.length = self.start + most_turns, constant(self.start, "int32")
            self.make_room(array.element_shape)

    def make_room(self, shape: TensorShape) -> None:
        """Make the rows of an array that grows, once the shape of its elements is known."""
        if self.room is None or not shape.is_fully_defined():
            return
        room = zeros([self.room - self.start, *shape.as_list()], self.value.dtype)
        self.tensor = concat([self.value.stack(), room], 0) if self.start else room

    @property
    def tensors(self) -> list[Tensor]:
        """What is carried of it: nothing of what is no tensor, of an array that grows its length, too."""
        if self.tensor is None:
            return []
        return [self.tensor] if self.length is None else [self.tensor, self.length]

    def value_of(self, rest: Iterator[Tensor], turns: list[Tensor]) -> Any:
        """What the name holds, given what is carried of it."""
        tensor = next(rest)
        if self.length is not None:
            turn = turns[0] if turns and self.start == 0 else None
            return Growing(self.value, tensor, next(rest), turn)
        return self.value.of_rows(tensor) if isinstance(self.value, TensorArray) else tensor

    @property
    def is_open(self) -> bool:
        """Whether a turn has to be tried to know what is carried."""
        return isinstance(self.value, TensorArray) and self.tensor is None and not self.is_appended


class NeedsLength(NeedsValue):
    """Raised for an array that grows in a loop of which not even the largest number of turns is known."""

    def __init__(self) -> None:
        super().__init__(
            "it writes to a TensorArray whose size is not known", "Give it a size, and dynamic_size=False"
        )


class Carry:
    """The values that names hold before a loop, as tensors to carry and as values that stay as they are.

    Args:
        what: "`for`" or "`while`", for messages.
        places: the names that a turn binds.
        before: what they hold.
        is_counted: whether the number of turns is known.
        most_turns: the largest number of turns, if that is known.
        grows: whether a `TensorArray` may be written to in some of the turns only, although their number is known.
    """

    def __init__(
        self,
        what: str,
        places: list[Place],
        before: list[Any],
        is_counted: bool,
        most_turns: int | None = None,
        grows: bool = False,
    ) -> None:
        self._what, self._places, self._before = what, places, list(before)
        self._is_counted, self._most_turns, self._grows = is_counted, most_turns, grows
        self.allows_shapes = False
        self.set_in_a_turn: list[str] = []
        self._late = [
            i for i, (p, v) in enumerate(zip(places, before, strict=True)) if _is_wanted(p) and _is_missing(v)
        ]
        self._leaves: dict[int, list[_Leaf]] = {}
        for i, (place, value) in enumerate(zip(places, before, strict=True)):
            if _is_wanted(place) and i not in self._late:
                self._leaves[i] = self._taken(place.name, value)

    def _taken(self, name: str, value: object) -> list[_Leaf]:
        return [
            _Leaf(name, leaf, self._is_counted, self._most_turns, self._grows) for leaf in nest.flatten(value)
        ]

    def _all(self) -> list[_Leaf]:
        return [leaf for i in sorted(self._leaves) for leaf in self._leaves[i]]

    @property
    def needs_probe(self) -> bool:
        """Whether a turn has to be tried first."""
        return bool(self._late) or any(leaf.is_open for leaf in self._all())

    @property
    def known_tensors(self) -> list[Tensor]:
        """What is carried, as far as it is known before a turn was tried."""
        return [tensor for leaf in self._all() for tensor in leaf.tensors]

    @property
    def tensors(self) -> list[Tensor]:
        """What is carried, before the first turn."""
        return self.known_tensors

    @property
    def specs(self) -> list[Spec]:
        """The specs of what is carried."""
        return [t.spec for t in self.tensors]

    # A turn that is thrown away

    def probing(self, given: list[Tensor], indices: list[Tensor]) -> list[Any]:
        """What the names hold in a turn that is tried."""
        return self._filled(given, indices, is_probe=True)

    def learn(self, after: list[Any]) -> None:
        """Take from a tried turn what the names hold that had no value before, and how long rows are."""
        for i in self._late:
            value = after[i]
            if _is_missing(value):
                continue
            self._before[i] = nest.map_structure(lambda v, i=i: self._empty(self._places[i].name, v), value)
        for i, leaves in self._leaves.items():
            for leaf, value in zip(leaves, nest.flatten(after[i]), strict=False):
                if leaf.is_open:
                    shape = value.element_shape if isinstance(value, TensorArray) else None
                    known = shape is not None and shape.is_fully_defined()
                    if leaf.room is not None and shape is not None:
                        leaf.make_room(shape)
                    else:
                        leaf.tensor = leaf.value.rows(shape) if known else None
                    if leaf.tensor is None:
                        raise NeedsValue(
                            f"it writes to {leaf.name!r}, a TensorArray of elements of unknown shape"
                        )
        for i in self._late:
            if not _is_missing(self._before[i]):
                self._leaves[i] = self._taken(self._places[i].name, self._before[i])
        self.set_in_a_turn = [self._places[i].name for i in self._late if self._places[i].name != RESULT]
        self._late = [i for i in self._late if i not in self._leaves]

    def _empty(self, name: str, value: Any) -> Any:
        """Zeros in place of a tensor that the first turn gives; they do not count."""
        if isinstance(value, TensorArray):
            raise NeedsValue(f"it makes {name!r}, a TensorArray")
        if not is_tensor_like(value) or isinstance(value, Variable):
            return value
        spec = to_node(value).spec
        if spec.dtype is string:
            raise NeedsValue("it has to do with strings")
        return tensor_of(to_node(np.zeros(spec.shape, spec.np_dtype)))

    # A turn that is recorded

    def opened(self, given: list[Tensor], indices: list[Tensor]) -> list[Any]:
        """What the names hold when a turn begins, given what is carried."""
        return self._filled(given, indices, is_probe=False)

    def _filled(self, given: list[Tensor], indices: list[Tensor], is_probe: bool) -> list[Any]:
        rest = iter(given)
        values: list[Any] = []
        for i, before in enumerate(self._before):
            if i not in self._leaves:
                late = _is_wanted(self._places[i]) and before is NOTHING
                values.append(NOTHING if late else UNSET)
                continue
            flat = []
            for leaf in self._leaves[i]:
                if leaf.is_appended:
                    flat.append(Appending(leaf.value, leaf.start, indices if leaf.start == 0 else []))
                elif leaf.tensor is None:
                    flat.append(leaf.value.probe() if leaf.is_open else leaf.value)
                else:
                    flat.append(leaf.value_of(rest, indices))
            values.append(nest.pack_sequence_as(before, flat))
        return values

    def closed(self, after: list[Any]) -> list[Tensor]:
        """What is carried after a turn; then what is appended to arrays."""
        carried: list[Tensor] = []
        appended: list[Tensor] = []
        for i in sorted(self._leaves):
            place, leaves = self._places[i], self._leaves[i]
            if after[i] is UNSET:
                raise NeedsValue(f"it deletes {place.name!r}")
            self._check_structure(place.name, self._before[i], after[i])
            for leaf, value in zip(leaves, nest.flatten(after[i]), strict=True):
                self._close(leaf, value, carried, appended)
        return [*carried, *appended]

    def _close(self, leaf: _Leaf, value: Any, carried: list[Tensor], appended: list[Tensor]) -> None:
        if leaf.is_appended:
            if not isinstance(value, Appending) or value.appended is None:
                raise NotAppended(f"it does not write one element to {leaf.name!r} in every turn, at its end")
            appended.append(value.appended)
        elif leaf.tensor is None:
            if value is not leaf.value and not is_same(value, leaf.value):
                raise NeedsValue(f"{leaf.name!r} is no tensor before it and another value after a turn")
        elif isinstance(leaf.value, TensorArray):
            rows = value.rows() if isinstance(value, TensorArray) else None
            if rows is None:
                raise NeedsValue(f"{leaf.name!r} is a TensorArray before it and something else after a turn")
            carried.append(rows)
            if leaf.length is not None:
                if not isinstance(value, Growing):
                    raise NeedsValue(f"{leaf.name!r} is another TensorArray after a turn")
                carried.append(value.length)
        elif isinstance(value, Variable) or not is_tensor_like(value):
            raise NeedsValue(f"{leaf.name!r} is a tensor before it and something else after a turn")
        else:
            carried.append(_like(value, leaf.tensor))

    def _check_structure(self, name: str, before: Any, after: Any) -> None:
        try:
            nest.assert_same_structure(before, after)
        except (TypeError, ValueError):
            raise NeedsValue(f"{name!r} has another structure after a turn") from None

    def check(self, after: list[Spec]) -> None:
        """Raise if what is carried changes its dtype or shape."""
        leaves = [(leaf.name, tensor.spec) for leaf in self._all() for tensor in leaf.tensors]
        # The results are: whether to go on, the carry, Variables, what is appended.
        start = 0 if self._is_counted else 1
        found = after[start : start + len(leaves)]
        for (name, wanted), spec in zip(leaves, found, strict=True):
            if spec.dtype is not wanted.dtype:
                raise TypeError(
                    f"{self._what} over tensors expected {name!r} to keep its dtype: {name!r} has dtype "
                    f"{wanted.dtype.name} before the loop, but dtype {spec.dtype.name} after one iteration. "
                    "Use tf.cast, or give it that dtype before the loop."
                )
            if spec.shape != wanted.shape:
                if self.allows_shapes:
                    raise NeedsValue(f"{name!r} changes its shape from turn to turn")
                raise ValueError(
                    f"{self._what} over tensors expected {name!r} to keep its shape: {name!r} has shape "
                    f"{wanted.shape} before the loop, but shape {spec.shape} after one iteration. Use "
                    "tf.autograph.experimental.set_loop_options to set shape invariants, or keep the shape."
                )

    # After the loop

    def finished(self, values: list[Tensor], appended: list[Tensor]) -> list[Any]:
        """What the names hold after the loop, given what was carried last and all that was appended."""
        rest, rows = iter(values), iter(appended)
        found: list[Any] = []
        for i, before in enumerate(self._before):
            if i not in self._leaves:
                found.append(before if before is NOTHING else UNSET)
                continue
            flat = []
            for leaf in self._leaves[i]:
                if leaf.is_appended:
                    flat.append(_extended(leaf.value, next(rows)))
                elif leaf.tensor is None:
                    flat.append(leaf.value)
                else:
                    value = leaf.value_of(rest, [])
                    flat.append(value if leaf.room is None else self._cut(leaf, value))
            found.append(nest.pack_sequence_as(before, flat))
        return found

    def _cut(self, leaf: _Leaf, array: Growing) -> TensorArray:
        """An array that has grown: how much, Python reads."""
        note_why(f"{self._what} over tensors", NeedsLength())
        count = int(array.length.numpy())
        # Indices that are a value: programs for several lengths differ in its size alone.
        return leaf.value.of_rows(gather(array.room, constant(np.arange(count, dtype=np.int32))))


def _is_wanted(place: Place) -> bool:
    return place.is_live or place.is_carried


def _is_missing(value: object) -> bool:
    return value is UNSET or value is NOTHING


def _like(value: object, tensor: Tensor) -> Tensor:
    """A value as a tensor; a number that a tensor meets is of its dtype where that is of its kind."""
    if isinstance(value, TensorBase):
        return tensor_of(to_node(value))
    dtype = tensor.dtype
    if (isinstance(value, float) and dtype.is_floating) or (
        type(value) is int and dtype.is_integer and not dtype.is_bool
    ):
        return tensor_of(to_node(value, dtype))
    return tensor_of(to_node(value))


def _extended(array: TensorArray, rows: Tensor) -> TensorArray:
    """An array with further elements, the rows of a tensor."""
    if array.elements() == []:
        return array.of_rows(rows)
    return array.of_rows(concat([array.stack(), rows], 0))
