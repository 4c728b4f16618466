"""`tf.distribute.experimental.partitioners`: into how many parts a Variable would be cut, along each axis.

They are functions of a shape. Nothing here cuts Variables by them: `tf.keras.distribution` has layouts for that.
"""

from __future__ import annotations

import math
from typing import Any

from tapeflow.engine.values.dtypes import as_dtype
from tapeflow.engine.values.shape import TensorShape


class Partitioner:
    """The base class: a subclass defines `__call__`, which gives the number of parts of each axis."""

    def __call__(self, shape: Any, dtype: Any, axis: int = 0) -> list[int]:
        """The number of parts of each axis of a Variable; only one axis may have more than one."""
        raise NotImplementedError(
            f"{type(self).__name__} expected its class to define __call__(self, shape, dtype, axis=0); got none. "
            "Write it."
        )


class FixedShardsPartitioner(Partitioner):
    """So many parts, or as many as the axis has elements.

    >>> partitioner = tf.distribute.experimental.partitioners.FixedShardsPartitioner(num_shards=2)
    >>> partitioner(tf.TensorShape([10, 3]), tf.float32, axis=0)
    [2, 1]
    """

    def __init__(self, num_shards: int) -> None:
        self._num_shards = num_shards

    def __call__(self, shape: Any, dtype: Any, axis: int = 0) -> list[int]:
        sizes = _sizes(shape)
        return _parts(sizes, axis, min(self._num_shards, sizes[axis]))


class MinSizePartitioner(Partitioner):
    """As many parts as there can be of at least so many bytes."""

    def __init__(
        self, min_shard_bytes: int = 256 << 10, max_shards: int = 1, bytes_per_string: int = 16
    ) -> None:
        _require_positive("MinSizePartitioner", "min_shard_bytes", min_shard_bytes)
        _require_positive("MinSizePartitioner", "max_shards", max_shards)
        _require_positive("MinSizePartitioner", "bytes_per_string", bytes_per_string)
        self._min_shard_bytes, self._max_shards = min_shard_bytes, max_shards
        self._bytes_per_string = bytes_per_string

    def __call__(self, shape: Any, dtype: Any, axis: int = 0) -> list[int]:
        sizes = _sizes(shape)
        total_bytes = math.prod(sizes) * _element_bytes(dtype, self._bytes_per_string)
        count = min(sizes[axis], self._max_shards, math.ceil(total_bytes / self._min_shard_bytes))
        return _parts(sizes, axis, max(1, count))


class MaxSizePartitioner(Partitioner):
    """As few parts as there can be of at most so many bytes."""

    def __init__(
        self, max_shard_bytes: int, max_shards: int | None = None, bytes_per_string: int = 16
    ) -> None:
        _require_positive("MaxSizePartitioner", "max_shard_bytes", max_shard_bytes)
        if max_shards is not None:
            _require_positive("MaxSizePartitioner", "max_shards", max_shards)
        _require_positive("MaxSizePartitioner", "bytes_per_string", bytes_per_string)
        self._max_shard_bytes, self._max_shards = max_shard_bytes, max_shards
        self._bytes_per_string = bytes_per_string

    def __call__(self, shape: Any, dtype: Any, axis: int = 0) -> list[int]:
        sizes = _sizes(shape)
        row_bytes = math.prod(sizes) // sizes[axis] * _element_bytes(dtype, self._bytes_per_string)
        rows = max(1, self._max_shard_bytes // row_bytes)
        count = math.ceil(sizes[axis] / rows)
        return _parts(sizes, axis, count if self._max_shards is None else min(self._max_shards, count))


def _sizes(shape: Any) -> list[int]:
    found = TensorShape(shape)
    if not found.is_fully_defined():
        raise ValueError(
            f"A partitioner expected a shape that is known; got shape={found}. Give all its sizes."
        )
    return [int(size) for size in found.as_list() if size is not None]


def _parts(sizes: list[int], axis: int, count: int) -> list[int]:
    found = [1] * len(sizes)
    found[axis] = count
    return found


def _element_bytes(dtype: Any, bytes_per_string: int) -> int:
    found = as_dtype(dtype)
    return bytes_per_string if found.name == "string" else found.size


def _require_positive(where: str, name: str, value: int) -> None:
    if value < 1:
        raise ValueError(
            f"{where} expected {name} to be positive: Argument `{name}` must be positive; got {name}={value!r}."
        )
