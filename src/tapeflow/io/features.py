"""What `tf.io.parse_example` is told of each feature."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

from tapeflow.engine.values.dtypes import int32


class FixedLenFeature(NamedTuple):
    """A feature with as many values in every example; with a default it may be missing."""

    shape: Any
    dtype: Any
    default_value: Any = None


class FixedLenSequenceFeature(NamedTuple):
    """A feature of any number of entries of one shape."""

    shape: Any
    dtype: Any
    allow_missing: bool = False
    default_value: Any = None


class VarLenFeature(NamedTuple):
    """A feature of any number of values, parsed to a `tf.SparseTensor`."""

    dtype: Any


class SparseFeature(NamedTuple):
    """A `tf.SparseTensor` whose indices and values are two (or more) features."""

    index_key: str | Sequence[str]
    value_key: str
    dtype: Any
    size: int | Sequence[int]
    already_sorted: bool = False


class RaggedFeature(NamedTuple):
    """A feature of any number of values, parsed to a `tf.RaggedTensor`."""

    dtype: Any
    value_key: str | None = None
    partitions: Sequence[Any] = ()
    row_splits_dtype: Any = int32
    validate: bool = False
