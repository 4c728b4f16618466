"""Tables filled from datasets: `DatasetInitializer`, `index_table_from_dataset`, `table_from_dataset`."""

from __future__ import annotations

from typing import Any

import numpy as np

from tapeflow.data.dataset import Dataset
from tapeflow.engine.values.annotations import DTypeLike, TensorLike
from tapeflow.engine.values.dtypes import DType, string
from tapeflow.lookup.static import StaticHashTable, StaticVocabularyTable


class DatasetInitializer:
    """Keys and values that are the elements of a dataset of pairs.

    >>> words = tf.data.Dataset.from_tensor_slices((["a", "b"], [1, 2]))
    >>> table = tf.lookup.StaticHashTable(tf.data.experimental.DatasetInitializer(words), default_value=-1)
    >>> table.lookup(tf.constant(["b", "z"])).numpy()
    array([ 2, -1], dtype=int32)
    """

    def __init__(self, dataset: Dataset) -> None:
        spec = dataset.element_spec
        if not isinstance(spec, tuple) or len(spec) != 2:
            raise ValueError(
                "tf.data.experimental.DatasetInitializer expected a dataset of pairs of a key and a value; got "
                f"elements of {spec}."
            )
        self.dataset = dataset
        self._key_dtype, self._value_dtype = spec[0].dtype, spec[1].dtype

    @property
    def key_dtype(self) -> DType:
        """The dtype of the keys."""
        return self._key_dtype

    @property
    def value_dtype(self) -> DType:
        """The dtype of the values."""
        return self._value_dtype

    def pairs(self) -> tuple[list[Any], list[Any]]:
        """Keys and values as Python objects."""
        found = [tuple(np.asarray(part).item() for part in pair) for pair in self.dataset.as_numpy_iterator()]
        return [key for key, _ in found], [value for _, value in found]


def table_from_dataset(
    dataset: Dataset,
    num_oov_buckets: int = 0,
    vocab_size: int | None = None,
    default_value: TensorLike | None = None,
    hasher_spec: Any = None,
    key_dtype: DTypeLike = string,
    name: str | None = None,
) -> StaticHashTable | StaticVocabularyTable:
    """A table of a dataset of pairs of a key and a value.

    Args:
        dataset: the pairs.
        num_oov_buckets: how many numbers there are, after the values, for keys that are not there.
        vocab_size: how many pairs to take; all unless given.
        default_value: for keys that are not there, if there are no buckets.
        hasher_spec: must be None: buckets are those of `tf.strings.to_hash_bucket_fast`.
        key_dtype: the dtype of the keys that are looked up.
        name: of the table.
    """
    return _table(
        "table_from_dataset",
        dataset,
        num_oov_buckets,
        vocab_size,
        default_value,
        hasher_spec,
        key_dtype,
        name,
    )


def index_table_from_dataset(
    dataset: Dataset,
    num_oov_buckets: int = 0,
    vocab_size: int | None = None,
    default_value: int = -1,
    hasher_spec: Any = None,
    key_dtype: DTypeLike = string,
    name: str | None = None,
) -> StaticHashTable | StaticVocabularyTable:
    """A table from the elements of a dataset to their numbers; for the arguments see `table_from_dataset`."""
    pairs = dataset.enumerate().map(lambda number, key: (key, number))
    where = "index_table_from_dataset"
    return _table(where, pairs, num_oov_buckets, vocab_size, default_value, hasher_spec, key_dtype, name)


def _table(
    where: str,
    pairs: Dataset,
    buckets: int,
    size: int | None,
    default: object,
    hasher: Any,
    key_dtype: DTypeLike,
    name: str | None,
) -> StaticHashTable | StaticVocabularyTable:
    where = f"tf.data.experimental.{where}"
    if buckets < 0:
        raise ValueError(f"{where} expected num_oov_buckets of at least 0; got num_oov_buckets={buckets}.")
    if size is not None and size < 1:
        raise ValueError(f"{where} expected vocab_size of at least 1; got vocab_size={size}.")
    if hasher is not None:
        raise ValueError(f"{where} expected hasher_spec=None; got hasher_spec={hasher!r}.")
    if not buckets and default is None:
        raise ValueError(f"{where} expected a default_value, or num_oov_buckets; got neither.")
    initializer = DatasetInitializer(pairs if size is None else pairs.take(size))
    if buckets:
        return StaticVocabularyTable(initializer, buckets, key_dtype, name)
    return StaticHashTable(initializer, default, name)
