"""Tables that are filled once: `StaticHashTable` and `StaticVocabularyTable`."""

from __future__ import annotations

from typing import Any

import numpy as np

from tapeflow.engine import errors
from tapeflow.engine.values.annotations import DTypeLike, TensorLike
from tapeflow.engine.values.convert import convert_to_tensor
from tapeflow.engine.values.dtypes import as_dtype, int64, string
from tapeflow.engine.values.tensor import Tensor
from tapeflow.lookup.table import Table, values_of
from tapeflow.ops.strings.hashing import fingerprint64


class StaticHashTable(Table):
    """A table that does not change; keys that it does not know have the default value.

    Args:
        initializer: what it is filled with.
        default_value: for keys that are not there.
        name: the name of the table.
        experimental_is_anonymous: ignored.
    """

    def __init__(
        self,
        initializer: Any,
        default_value: Any,
        name: str | None = None,
        experimental_is_anonymous: bool = False,
    ) -> None:
        super().__init__(initializer.key_dtype, initializer.value_dtype, name or "hash_table")
        default = convert_to_tensor(default_value, self._value_dtype)
        if default.shape.rank:
            raise ValueError(
                f"tf.lookup.StaticHashTable expected one default value; got shape {default.shape}."
            )
        self._default = default
        keys, values = initializer.pairs()
        for key, value in zip(keys, values, strict=True):
            if self._known.setdefault(key, value) != value:
                raise errors.FailedPreconditionError(
                    None,
                    None,
                    "tf.lookup.StaticHashTable expected one value for each key: HashTable has different value "
                    f"for same key. Key {key!r} has {self._known[key]!r} and trying to add value {value!r}.",
                )

    @property
    def default_value(self) -> Tensor:
        """The value of keys that are not there."""
        return self._default

    def lookup(self, keys: TensorLike, name: str | None = None) -> Any:
        """The value of each key, in the shape of the keys, which may be ragged or sparse."""
        known, default = self._known, self._default.numpy()

        def found(flat: list[Any]) -> Tensor:
            return values_of([known.get(k, default) for k in flat], self._value_dtype, (len(flat),))

        return self._each(keys, found, "tf.lookup.StaticHashTable.lookup")


class StaticVocabularyTable(Table):
    """A table from words to numbers; words that it does not know have one of the numbers after the last.

    Args:
        initializer: what it is filled with: numbers from 0 on, as int64; or None.
        num_oov_buckets: how many numbers there are for other words.
        lookup_key_dtype: the dtype of the keys if there is no initializer.
        name: the name of the table.
        experimental_is_anonymous: ignored.
    """

    def __init__(
        self,
        initializer: Any,
        num_oov_buckets: int,
        lookup_key_dtype: DTypeLike | None = None,
        name: str | None = None,
        experimental_is_anonymous: bool = False,
    ) -> None:
        where = "tf.lookup.StaticVocabularyTable"
        if num_oov_buckets <= 0:
            raise ValueError(
                f"{where} expected at least one bucket: `oov_buckets` must be > 0; got "
                f"num_oov_buckets={num_oov_buckets}. Use StaticHashTable for none."
            )
        if initializer is not None and as_dtype(initializer.value_dtype) is not int64:
            raise TypeError(f"{where} expected values of int64; got {initializer.value_dtype.name}.")
        dtype = string if initializer is None else initializer.key_dtype
        super().__init__(lookup_key_dtype or dtype, int64, name or "vocabulary")
        self._buckets = int(num_oov_buckets)
        if initializer is not None:
            keys, values = initializer.pairs()
            self._known = dict(zip(keys, values, strict=True))

    def size(self, name: str | None = None) -> Tensor:
        """The number of ids."""
        return convert_to_tensor(np.array(len(self._known) + self._buckets, np.int64))

    def lookup(self, keys: TensorLike, name: str | None = None) -> Any:
        """The number of each word, in the shape of the words."""
        known, count, buckets = self._known, len(self._known), self._buckets

        def number(key: object) -> int:
            found = known.get(key)
            if found is not None:
                return found
            text = key if isinstance(key, bytes) else str(key).encode()
            return count + fingerprint64(text) % buckets

        def found(flat: list[Any]) -> Tensor:
            return values_of([number(k) for k in flat], int64, (len(flat),))

        return self._each(keys, found, "tf.lookup.StaticVocabularyTable.lookup")
