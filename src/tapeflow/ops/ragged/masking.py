"""`tf.ragged.boolean_mask`: what a mask chooses, row by row."""

from __future__ import annotations

from typing import Any

import numpy as np

from tapeflow.engine.values.annotations import TensorLike
from tapeflow.engine.values.convert import convert_to_tensor
from tapeflow.engine.values.dtypes import bool as bool_dtype
from tapeflow.ops.host_args import invalid, read_value
from tapeflow.ops.ragged import partition
from tapeflow.ops.ragged.indexing import take_rows
from tapeflow.ops.ragged.tensor import RaggedTensor


def boolean_mask(data: TensorLike, mask: TensorLike, name: str | None = None) -> Any:
    """The elements for which the mask holds; rows stay rows.

    >>> tf.ragged.boolean_mask([[1, 2], [3, 4]], [[True, False], [True, True]])
    <tf.RaggedTensor [[1], [3, 4]]>
    """
    where = "tf.ragged.boolean_mask"
    values = data if isinstance(data, RaggedTensor) else convert_to_tensor(data)
    chosen = mask if isinstance(mask, RaggedTensor) else convert_to_tensor(mask)
    if chosen.dtype is not bool_dtype:
        raise invalid(f"{where} expected a mask of bool; got {chosen.dtype.name}.")
    rank = len(chosen.shape)
    if not rank:
        raise ValueError(f"{where} expected a mask with at least one dimension; got a scalar.")
    if isinstance(chosen, RaggedTensor) or rank > 1:
        return _by_row(values, chosen, where)
    keep = read_value(chosen)
    rows = len(values._places) - 1 if isinstance(values, RaggedTensor) else values.shape[0]
    if len(keep) != rows:
        raise invalid(f"{where} expected a mask for {rows} rows; got {len(keep)}.")
    return take_rows(values, np.flatnonzero(keep))


def _by_row(values: TensorLike, mask: TensorLike, where: str) -> RaggedTensor:
    pair = [v if isinstance(v, RaggedTensor) else RaggedTensor.from_tensor(v) for v in (values, mask)]
    data, chosen = pair
    if not np.array_equal(data._places, chosen._places):
        raise invalid(f"{where} expected a mask whose rows are as long as the data's; they differ.")
    kept = boolean_mask(data._values, chosen._values)
    if isinstance(chosen._values, RaggedTensor) or len(chosen._values.shape) > 1:
        return data.with_values(kept)
    counts = np.add.reduceat(
        np.append(read_value(chosen._values), False).astype(np.int64), data._places[:-1]
    ) * (np.diff(data._places) > 0)
    return RaggedTensor(kept, partition.splits_of_lengths(counts), data._places_dtype)
