"""Features crossed: `tf.sparse.cross`, `tf.ragged.cross` and their hashed kin.

Of each row every choice of one value from each input, joined to a string or hashed to a number as TensorFlow does, so
that buckets learnt there mean the same here.
"""

from __future__ import annotations

import functools
import itertools
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from tapeflow.engine.values.annotations import TensorLike
from tapeflow.engine.values.convert import convert_to_tensor
from tapeflow.engine.values.dtypes import int32, int64
from tapeflow.engine.values.tensor import Tensor, TensorBase
from tapeflow.ops.host_args import invalid, read_value
from tapeflow.ops.ragged import partition
from tapeflow.ops.ragged.tensor import RaggedTensor
from tapeflow.ops.sparse.functions import reorder
from tapeflow.ops.sparse.tensor import SparseTensor
from tapeflow.ops.strings.hashing import fingerprint64, fingerprint_cat
from tapeflow.ops.strings.text import string_tensor

_HASH_KEY = 0xDECAFCAFFE
_LARGEST = (1 << 63) - 1
Row = tuple[Any, ...]


def _rows(value: object, where: str, number: int) -> list[list[Any]]:
    """The values of each row of an input of rank 2."""
    if isinstance(value, SparseTensor):
        ordered, shape = reorder(value), value.shape
        flat, rows = read_value(ordered.values), ordered._places[:, 0]
        splits = partition.splits_of_lengths(np.bincount(rows, minlength=int(value._dense_shape[0])))
    elif isinstance(value, RaggedTensor):
        flat, splits, shape = value._values, value._places, value.shape
        flat = None if isinstance(flat, RaggedTensor) else read_value(flat)
    else:
        array = read_value(convert_to_tensor(value))
        shape = array.shape
        flat = array.reshape(-1)
        splits = np.arange(len(array) + 1) * shape[-1] if len(shape) == 2 else np.zeros(1, np.int64)
    if len(shape) != 2 or flat is None or flat.dtype.kind not in "iuO":
        raise ValueError(
            f"{where} expected inputs of rank 2 with integers or strings; got inputs[{number}] of shape "
            f"{list(shape)}, unexpected dtype or rank. Use tf.expand_dims or tf.strings.as_string."
        )
    return [flat[a:b].tolist() for a, b in itertools.pairwise(splits)]


def _crossed(inputs: TensorLike, where: str, joined: Callable[[Row], Any]) -> list[list[Any]]:
    if not isinstance(inputs, (list, tuple)) or not inputs:
        raise TypeError(f"{where} expected a list of tensors: inputs must be a list; got inputs={inputs!r}.")
    columns = [_rows(value, where, number) for number, value in enumerate(inputs)]
    if len({len(c) for c in columns}) > 1:
        raise invalid(
            f"{where} expected as many rows in every input: expected batch size {len(columns[0])}; got "
            f"{[len(c) for c in columns]} rows."
        )
    return [[joined(choice) for choice in itertools.product(*row)] for row in zip(*columns, strict=True)]


def _text(value: object) -> bytes:
    return value if isinstance(value, bytes) else str(value).encode()


def _joined_by(separator: str) -> Callable[[Row], bytes]:
    between = separator.encode()
    return lambda row: between.join(map(_text, row))


def _hashed(where: str, num_buckets: int, hash_key: int | None) -> Callable[[Row], int]:
    if num_buckets < 0:
        raise invalid(f"{where} expected num_buckets of at least 0; got num_buckets={num_buckets}.")
    start = (_HASH_KEY if hash_key is None else hash_key) & ((1 << 64) - 1)

    def hashed(row: Row) -> int:
        words = [fingerprint64(v) if isinstance(v, bytes) else v & ((1 << 64) - 1) for v in row]
        return functools.reduce(fingerprint_cat, words, start) % (num_buckets or _LARGEST)

    return hashed


def _values(found: Sequence[Sequence[Any]], is_text: bool) -> Tensor:
    flat = [v for row in found for v in row]
    return string_tensor(flat, (len(flat),)) if is_text else convert_to_tensor(np.array(flat, np.int64))


def _sparse(inputs: TensorLike, where: str, joined: Callable[[Row], Any], is_text: bool) -> SparseTensor:
    """TensorFlow takes the sparse inputs first, then the dense ones."""
    if isinstance(inputs, (list, tuple)):
        if not all(isinstance(v, (SparseTensor, TensorBase)) for v in inputs):
            raise TypeError(f"{where} expected sparse tensors and tensors: all inputs must be SparseTensors.")
        inputs = sorted(inputs, key=lambda v: not isinstance(v, SparseTensor))
    found = _crossed(inputs, where, joined)
    lengths = np.array([len(row) for row in found], np.int64)
    splits = partition.splits_of_lengths(lengths)
    places = np.stack([partition.row_ids(splits), partition.columns(splits)], axis=1)
    return SparseTensor(places, _values(found, is_text), np.array([len(found), lengths.max(initial=0)]))


def cross(inputs: TensorLike, name: str | None = None, separator: str | None = None) -> SparseTensor:
    """Every choice of a value from each input, row by row, joined by `_X_`.

    >>> tf.sparse.cross([tf.constant([["a", "b"]]), tf.constant([["c"]])]).values.numpy().tolist()
    [b'a_X_c', b'b_X_c']
    """
    joined = _joined_by("_X_" if separator is None else separator)
    return _sparse(inputs, "tf.sparse.cross", joined, True)


def cross_hashed(
    inputs: TensorLike, num_buckets: int = 0, hash_key: int | None = None, name: str | None = None
) -> SparseTensor:
    """As `cross`, each choice as a hash, modulo `num_buckets` unless that is 0."""
    where = "tf.sparse.cross_hashed"
    return _sparse(inputs, where, _hashed(where, num_buckets, hash_key or None), False)


def _ragged(inputs: Any, where: str, joined: Callable[[Row], Any], is_text: bool) -> RaggedTensor:
    found = _crossed(inputs, where, joined)
    splits = partition.splits_of_lengths(np.array([len(row) for row in found], np.int64))
    dtypes = {v._places_dtype for v in inputs if isinstance(v, RaggedTensor)}
    return RaggedTensor(_values(found, is_text), splits, int32 if dtypes == {int32} else int64)


def ragged_cross(inputs: TensorLike, name: str | None = None) -> RaggedTensor:
    """Every choice of a value from each input, row by row, joined by `_X_`.

    >>> tf.ragged.cross([tf.ragged.constant([["a"], ["b", "c"]]), tf.ragged.constant([["d"], ["e"]])])
    <tf.RaggedTensor [[b'a_X_d'], [b'b_X_e', b'c_X_e']]>
    """
    return _ragged(inputs, "tf.ragged.cross", _joined_by("_X_"), True)


def ragged_cross_hashed(
    inputs: TensorLike, num_buckets: int = 0, hash_key: int | None = None, name: str | None = None
) -> RaggedTensor:
    """As `cross`, each choice as a hash, modulo `num_buckets` unless that is 0."""
    where = "tf.ragged.cross_hashed"
    return _ragged(inputs, where, _hashed(where, num_buckets, hash_key), False)
