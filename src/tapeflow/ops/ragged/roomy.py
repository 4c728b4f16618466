"""Ragged and sparse tensors with room at the end of their values, so that batches of data share programs.

The values of one batch are as many as there are, so a program made for them would serve no other. Training pads
them, on the host, to the next of a few sizes. Whoever works on each value by itself (`mapped`), fills rows up or
sums them can work on the padded values; all others ask for the values and get them without the padding.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from tapeflow.engine.values.convert import convert_to_tensor
from tapeflow.engine.values.dtypes import DType
from tapeflow.engine.values.shape import TensorShape
from tapeflow.engine.values.tensor import Tensor
from tapeflow.ops.array import rearranging
from tapeflow.ops.ragged.tensor import RaggedTensor
from tapeflow.ops.sparse.tensor import SparseTensor


def rounded_up(count: int) -> int:
    """The next power of two, at least 8."""
    return max(8, 1 << (max(count, 1) - 1).bit_length())


class RoomyRagged(RaggedTensor):
    """A ragged tensor of one ragged dimension whose values have room behind them."""

    __slots__ = ("_room",)

    def __init__(self, room: Tensor, row_splits: np.ndarray, row_splits_dtype: DType) -> None:
        super().__init__(None, row_splits, row_splits_dtype)
        self._room = room

    @property
    def _values(self) -> Tensor:
        return self._room[: int(self._places[-1])]

    @_values.setter
    def _values(self, values: None) -> None:
        """There are none beside those with room."""

    # What can be said without the values: asking for them records an op.

    @property
    def dtype(self) -> DType:
        return self._room.dtype

    @property
    def ragged_rank(self) -> int:
        return 1

    @property
    def shape(self) -> TensorShape:
        return TensorShape([len(self._places) - 1, None, *self._room.shape[1:]])

    @property
    def _nested_places(self) -> tuple[np.ndarray, ...]:
        return (self._places,)

    def mapped(self, function: Callable[[Tensor], Tensor]) -> RaggedTensor:
        return RoomyRagged(function(self._room), self._places, self._places_dtype)

    def _for_filling(self) -> tuple[Tensor, int]:
        return self._room, rounded_up(int(np.diff(self._places).max(initial=0)))

    def _for_sums(self, ids: np.ndarray) -> tuple[Tensor, np.ndarray]:
        outside = np.full(self._room.spec.shape[0] - len(ids), -1, ids.dtype)
        return self._room, np.concatenate([ids, outside])


class RoomySparse(SparseTensor):
    """A sparse tensor with room behind its values."""

    __slots__ = ("_room", "_room_places")

    def __init__(self, sparse: SparseTensor) -> None:
        super().__init__(sparse._places, sparse._values, sparse._dense_shape)
        self._room = convert_to_tensor(_padded(np.asarray(sparse._values)))
        self._room_places = _padded(sparse._places)

    def _for_sums(self) -> tuple[np.ndarray, Tensor]:
        return self._room_places, self._room


def mapped_in_room(ragged: RaggedTensor, function: Callable[[Tensor], Tensor]) -> RaggedTensor:
    """`ragged.mapped(function)` of a function that draws: it draws the same for values with room and without."""
    if isinstance(ragged, RoomyRagged) or ragged.ragged_rank > 1:
        return ragged.mapped(function)
    values = ragged.flat_values
    count, *inner = values.spec.shape
    room = rearranging.pad(values, [[0, rounded_up(count) - count], *[[0, 0]] * len(inner)])
    return ragged.with_flat_values(function(room)[:count])


def with_room(value: object) -> Any:
    """A ragged or sparse tensor of data with room, if it is one that can have it; its values must be known."""
    if isinstance(value, RaggedTensor) and value.ragged_rank == 1 and value.dtype.name != "string":
        room = convert_to_tensor(_padded(np.asarray(value.flat_values)))
        return RoomyRagged(room, value._places, value._places_dtype)
    if isinstance(value, SparseTensor) and value.dtype.name != "string":
        return RoomySparse(value)
    return value


def _padded(rows: np.ndarray) -> np.ndarray:
    """Rows of zeros behind the rows there are."""
    room = np.zeros((rounded_up(len(rows)), *rows.shape[1:]), rows.dtype)
    room[: len(rows)] = rows
    return room
