"""Between ragged tensors and those that are filled up, or sparse."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from tapeflow.engine.values.annotations import ShapeLike, TensorLike
from tapeflow.engine.values.convert import convert_to_tensor
from tapeflow.engine.values.dtypes import DType, string
from tapeflow.engine.values.shape import as_shape
from tapeflow.engine.values.tensor import Tensor
from tapeflow.ops.array import creation, indexing, joining, shaping
from tapeflow.ops.host_args import invalid, read_value
from tapeflow.ops.ragged import partition
from tapeflow.ops.ragged.tensor import RaggedTensor
from tapeflow.ops.sparse.tensor import SparseTensor


def to_tensor(ragged: RaggedTensor, default: TensorLike, shape: ShapeLike | None) -> Tensor:
    """Rows filled up with a default value."""
    wanted = [None] * len(ragged.shape) if shape is None else as_shape(shape).as_list()
    if len(wanted) != len(ragged.shape):
        raise ValueError(
            f"RaggedTensor.to_tensor expected a shape of rank {len(ragged.shape)}; got shape={shape!r}."
        )
    filler: Any = b"" if ragged.dtype is string else 0
    filler = convert_to_tensor(filler if default is None else default, ragged.dtype)
    return _filled(ragged, filler, wanted)


def to_masked_tensor(ragged: RaggedTensor) -> tuple[Tensor, Tensor]:
    """Rows filled up with zeros, perhaps to more than the longest, and which of them are there."""
    _, width = ragged._for_filling()
    lengths = np.diff(ragged._places)
    filler = convert_to_tensor(0, ragged.dtype)
    wanted = [None, width, *[None] * (len(ragged.shape) - 2)]
    return _filled(ragged, filler, wanted), convert_to_tensor(np.arange(width) < lengths[:, None])


def _filled(ragged: RaggedTensor, filler: Tensor, wanted: Sequence[int | None]) -> Tensor:
    values, _ = ragged._for_filling()
    if isinstance(values, RaggedTensor):
        values = _filled(values, filler, [None, *wanted[2:]])
    splits = ragged._places
    lengths = np.diff(splits)
    rows = len(lengths) if wanted[0] is None else wanted[0]
    width = int(lengths.max(initial=0)) if wanted[1] is None else wanted[1]
    # Places without a value point at one more value at the end: the default.
    places = np.full((rows, width), values.shape[0], np.int64)
    shown = min(rows, len(lengths))
    kept = np.minimum(lengths[:shown], width)
    is_there = np.arange(width) < kept[:, None]
    places[:shown][is_there] = partition.ranges(splits[:shown], splits[:shown] + kept)
    last = shaping.broadcast_to(filler, [1, *values.shape[1:]])
    return indexing.gather(joining.concat([values, last], 0), places)


def from_tensor(
    tensor: TensorLike, lengths: TensorLike, padding: TensorLike | None, ragged_rank: int, dtype: DType
) -> RaggedTensor:
    """The rows of a tensor."""
    where = "tf.RaggedTensor.from_tensor"
    if isinstance(tensor, RaggedTensor):
        return tensor
    dense = convert_to_tensor(tensor)
    if lengths is not None and padding is not None:
        raise ValueError(f"{where} expected lengths or padding, not both: specify only one of them.")
    if not 0 < ragged_rank < max(dense.ndim, 2):
        raise ValueError(
            f"{where} expected a ragged_rank above 0 and below the rank {dense.ndim}; got {ragged_rank}."
        )
    if isinstance(lengths, (list, tuple)) and lengths and np.ndim(lengths[0]):  # of each ragged dimension
        outer = from_tensor(dense, lengths[0], None, 1, dtype)
        if len(lengths) == 1:
            return outer
        inner = from_tensor(outer._values, lengths[1:], None, 1, dtype)
        return RaggedTensor(inner, outer._places, dtype)
    if ragged_rank > 1:
        shape = dense.spec.shape
        flat = shaping.reshape(dense, [-1, *shape[2:]])
        inner = from_tensor(flat, lengths, padding, ragged_rank - 1, dtype)
        splits = np.arange(shape[0] + 1, dtype=np.int64) * shape[1]
        return RaggedTensor(inner, splits, dtype, shape[1])
    count, width = dense.spec.shape[:2]
    flat = shaping.reshape(dense, [count * width, *dense.shape[2:]])
    starts = np.arange(count, dtype=np.int64) * width
    if lengths is None and padding is None:
        return RaggedTensor(flat, np.arange(count + 1, dtype=np.int64) * width, dtype, None)
    if lengths is not None:
        kept = partition.read_places(lengths, where, "lengths")
        if len(kept) != count or (kept < 0).any():
            raise invalid(f"{where} expected {count} lengths of at least 0; got lengths={kept.tolist()}.")
        kept = np.minimum(kept, width)
    else:
        kept = _unpadded(dense, padding)
    rows = partition.ranges(starts, starts + kept)
    return RaggedTensor(indexing.take(flat, rows, 0), partition.splits_of_lengths(kept), dtype)


def _unpadded(dense: Tensor, padding: str | Sequence[Any]) -> np.ndarray:
    """How long each row is without the padding at its end."""
    array = read_value(dense)
    filler = np.asarray(read_value(convert_to_tensor(padding, dense.dtype)))
    differs = array != filler
    if differs.ndim > 2:
        differs = differs.reshape(*differs.shape[:2], -1).any(axis=2)
    width = differs.shape[1]
    return np.where(differs.any(axis=1), width - np.argmax(differs[:, ::-1], axis=1), 0).astype(np.int64)


def to_sparse(ragged: RaggedTensor) -> Any:
    """The values and where they stand."""
    places = [partition.row_ids(ragged._places), partition.columns(ragged._places)]
    values = ragged._values
    while isinstance(values, RaggedTensor):
        ids = partition.row_ids(values._places)
        places = [*[p[ids] for p in places], partition.columns(values._places)]
        values = values._values
    indices = np.stack(places, axis=1)
    inner = values.shape[1:].as_list()
    if inner:
        grid = np.stack(np.meshgrid(*[np.arange(n) for n in inner], indexing="ij"), -1).reshape(
            -1, len(inner)
        )
        indices = np.concatenate(
            [np.repeat(indices, len(grid), axis=0), np.tile(grid, (len(indices), 1))], axis=1
        )
        values = shaping.reshape(values, [-1])
    return SparseTensor(indices, values, np.array(ragged._bounds(), np.int64))


def from_sparse(sparse: Any, dtype: DType) -> RaggedTensor:
    """The values of a sparse matrix, row by row."""
    indices = read_value(sparse.indices)
    shape = sparse.shape
    if len(shape) != 2:
        raise ValueError(f"tf.RaggedTensor.from_sparse expected a matrix; got shape {shape}.")
    rows = indices[:, 0]
    splits = partition.splits_of_lengths(np.bincount(rows, minlength=shape[0] or 0))
    if not np.array_equal(indices[:, 1], partition.columns(splits)) or (np.diff(rows) < 0).any():
        raise invalid(
            "tf.RaggedTensor.from_sparse expected a right-ragged SparseTensor: the values of a row must stand "
            "in its first columns, in order. Use tf.sparse.reorder."
        )
    return RaggedTensor(sparse.values, splits, dtype)


def zeros_like(ragged: RaggedTensor, dtype: Any) -> RaggedTensor:
    """The same rows of zeros."""
    return ragged.with_flat_values(creation.zeros_like(ragged.flat_values, dtype))
