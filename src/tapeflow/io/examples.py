"""`tf.train.Example` taken apart: `tf.io.parse_example`, `parse_single_example` and their kin.

Examples are parsed by protobuf; the values of a batch are put into one array for each feature.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from google.protobuf.message import DecodeError

from tapeflow.engine.values.annotations import DTypeLike, TensorLike
from tapeflow.engine.values.convert import convert_to_tensor
from tapeflow.engine.values.dtypes import DType, as_dtype, float32, int64, string
from tapeflow.engine.values.tensor import Tensor
from tapeflow.io.features import (
    FixedLenFeature,
    FixedLenSequenceFeature,
    RaggedFeature,
    SparseFeature,
    VarLenFeature,
)
from tapeflow.ops.array.joining import concat
from tapeflow.ops.host_args import invalid
from tapeflow.ops.ragged.partition import columns, row_ids, splits_of_lengths
from tapeflow.ops.ragged.tensor import RaggedTensor
from tapeflow.ops.sparse.functions import reorder
from tapeflow.ops.sparse.tensor import SparseTensor
from tapeflow.ops.strings.text import read_strings
from tapeflow.summary.protos import message

_LISTS = {string: "bytes_list", float32: "float_list", int64: "int64_list"}
Values = list[Sequence[Any] | None]
"""The values of one feature in each of several examples; None where it is missing."""


def parse_single_example(
    serialized: TensorLike,
    features: Mapping[str, Any],
    example_names: TensorLike | None = None,
    name: str | None = None,
) -> dict[str, Any]:
    """The features of one serialised `tf.train.Example`.

    >>> feature = tf.train.Feature(int64_list=tf.train.Int64List(value=[7]))
    >>> example = tf.train.Example(features=tf.train.Features(feature={"age": feature}))
    >>> wanted = {"age": tf.io.FixedLenFeature([], tf.int64)}
    >>> int(tf.io.parse_single_example(example.SerializeToString(), wanted)["age"])
    7
    """
    where = "tf.io.parse_single_example"
    texts = read_strings(serialized, where, "serialized")
    if texts.shape:
        raise invalid(
            f"{where} expected one string; got serialized of shape {list(texts.shape)}. Use parse_example."
        )
    parsed = [_parsed(texts.item(), "Example", where).features.feature]
    return _features(parsed, features, where, is_single=True)


def parse_example(
    serialized: TensorLike,
    features: Mapping[str, Any],
    example_names: TensorLike | None = None,
    name: str | None = None,
) -> dict[str, Any]:
    """The features of a vector of serialised `tf.train.Example`, each as a batch."""
    where = "tf.io.parse_example"
    texts = read_strings(serialized, where, "serialized")
    if not texts.shape:
        return parse_single_example(serialized, features)
    if texts.ndim > 1:
        raise invalid(f"{where} expected a vector of strings; got serialized of shape {list(texts.shape)}.")
    return _features([_parsed(t, "Example", where).features.feature for t in texts], features, where)


def parse_single_sequence_example(
    serialized: TensorLike,
    context_features: Mapping[str, Any] | None = None,
    sequence_features: Mapping[str, Any] | None = None,
    example_name: TensorLike | None = None,
    name: str | None = None,
) -> tuple[dict[str, Any], dict[str, Any]]:
    """The context and the sequences of one serialised `tf.train.SequenceExample`."""
    where = "tf.io.parse_single_sequence_example"
    proto = _parsed(read_strings(serialized, where, "serialized").item(), "SequenceExample", where)
    context = _features([proto.context.feature], context_features or {}, where, True, may_be_empty=True)
    lists = proto.feature_lists.feature_list
    wanted = sorted((sequence_features or {}).items(), key=_place)
    found = {key: _sequence(key, feature, lists, where) for key, feature in wanted}
    return context, found


def parse_sequence_example(
    serialized: TensorLike,
    context_features: Mapping[str, Any] | None = None,
    sequence_features: Mapping[str, Any] | None = None,
    example_names: TensorLike | None = None,
    name: str | None = None,
) -> tuple[dict[str, Any], dict[str, Any], dict[str, Any]]:
    """The contexts and the sequences of serialised `tf.train.SequenceExample`, and how long the latter are.

    Sequences of fixed shape are filled up with zeros, others are ragged or sparse.
    """
    where = "tf.io.parse_sequence_example"
    texts = read_strings(serialized, where, "serialized")
    protos = [_parsed(t, "SequenceExample", where) for t in texts.reshape(-1)]
    context = _features([p.context.feature for p in protos], context_features or {}, where, may_be_empty=True)
    found: dict[str, Any] = {}
    lengths: dict[str, Any] = {}
    for key, wanted in (sequence_features or {}).items():
        if not isinstance(wanted, FixedLenSequenceFeature):
            raise ValueError(
                f"{where} expected FixedLenSequenceFeature for sequence_features[{key!r}]; got {wanted!r}. Use "
                "parse_single_sequence_example for others."
            )
        rows = [_sequence(key, wanted, p.feature_lists.feature_list, where) for p in protos]
        sizes = np.array([r.shape[0] for r in rows], np.int64)
        padded = RaggedTensor.from_row_lengths(_concatenated(rows), sizes)
        found[key], lengths[key] = padded.to_tensor(), convert_to_tensor(sizes)
    return context, found, lengths


def _concatenated(rows: list[Tensor]) -> Tensor:
    return concat(rows, 0)


def _parsed(text: bytes, kind: str, where: str) -> Any:
    try:
        return message(kind).FromString(text)
    except DecodeError:
        raise invalid(
            f"{where} expected a serialised {kind}: could not parse example input; got {text[:40]!r}."
        ) from None


_ORDER = (VarLenFeature, (FixedLenFeature, FixedLenSequenceFeature), RaggedFeature, SparseFeature)


def _place(item: tuple[str, Any]) -> tuple[int, str]:
    """Where a feature stands in what TensorFlow returns: by its kind, then by its name."""
    key, feature = item
    return next((i for i, kind in enumerate(_ORDER) if isinstance(feature, kind)), len(_ORDER)), key


def _features(
    examples: Sequence[Any],
    wanted: Mapping[str, Any],
    where: str,
    is_single: bool = False,
    may_be_empty: bool = False,
) -> dict[str, Any]:
    if not wanted and not may_be_empty:
        raise ValueError(f"{where} expected features to parse: features cannot be empty; got {wanted!r}.")
    found = {}
    for key, feature in sorted(wanted.items(), key=_place):
        if isinstance(feature, FixedLenFeature):
            made: Any = _fixed(key, feature, examples, where)
            found[key] = made[0] if is_single else made
        elif isinstance(feature, FixedLenSequenceFeature):
            found[key] = _entries(key, feature, examples, where, is_single)
        elif isinstance(feature, VarLenFeature):
            found[key] = _sparse(
                _values(key, feature.dtype, examples, where), as_dtype(feature.dtype), is_single
            )
        elif isinstance(feature, RaggedFeature):
            found[key] = _ragged(key, feature, examples, where, is_single)
        elif isinstance(feature, SparseFeature):
            found[key] = _sparse_of_two(feature, examples, where, is_single)
        else:
            raise ValueError(
                f"{where} expected features such as tf.io.FixedLenFeature; got features[{key!r}]={feature!r}."
            )
    return found


def _list_of(dtype: DTypeLike, where: str) -> str:
    kind = as_dtype(dtype)
    if kind not in _LISTS:
        raise invalid(
            f"{where} expected features of float32, int64 or string, the only types of an example; got "
            f"{kind.name}. Parse another and use tf.cast."
        )
    return _LISTS[kind]


def _values(key: str, dtype: DTypeLike, examples: Sequence[Any], where: str) -> Values:
    """The values of a feature in each example."""
    wanted = _list_of(dtype, where)
    found: Values = []
    for example in examples:
        if key not in example:
            found.append(None)
            continue
        feature = example[key]
        kind = feature.WhichOneof("kind")
        if kind is None:
            found.append(None)
            continue
        if kind != wanted:
            raise invalid(
                f"{where} expected feature {key!r} to hold {wanted}: Key: {key}. Data types don't match. Data "
                f"type: {kind.removesuffix('_list')} but expected type: {as_dtype(dtype).name}."
            )
        found.append(getattr(feature, kind).value)
    return found


def array_of(values: Sequence[Any], dtype: DType) -> np.ndarray:
    """Values of one dtype as a vector."""
    if dtype is not string:
        return np.array(values, dtype.as_numpy_dtype)
    found = np.empty(len(values), object)
    found[:] = list(values)
    return found


def _shape_of(feature: Any) -> tuple[int, ...]:
    return tuple(int(d) for d in np.atleast_1d(np.asarray(feature.shape, np.int64)))


def _fixed(key: str, feature: FixedLenFeature, examples: Sequence[Any], where: str) -> Tensor:
    dtype, shape = as_dtype(feature.dtype), _shape_of(feature)
    size = math.prod(shape)
    rows: list[Any] = []
    for number, values in enumerate(_values(key, dtype, examples, where)):
        if values is None:
            if feature.default_value is None:
                raise invalid(
                    f"{where} expected feature {key!r} in every example: Feature: {key} (data type: "
                    f"{dtype.name}) is required but could not be found. Give FixedLenFeature a default_value."
                )
            default = np.asarray(convert_to_tensor(feature.default_value, dtype).numpy(), object).reshape(-1)
            values = np.broadcast_to(default, (size,)).tolist()
        if len(values) != size:
            raise invalid(
                f"{where} expected {size} values of feature {key!r}, for its shape {list(shape)}: Key: {key}, "
                f"Index: {number}. Number of {dtype.name} values != expected; got {len(values)}. Use "
                "VarLenFeature or RaggedFeature for any number."
            )
        rows.append(array_of(values, dtype))
    stacked = np.concatenate(rows) if rows else array_of([], dtype)
    return convert_to_tensor(stacked.reshape(len(rows), *shape), dtype)


def _lengths_and_values(values: Values, dtype: DType) -> tuple[np.ndarray, np.ndarray]:
    lengths = np.array([0 if v is None else len(v) for v in values], np.int64)
    parts = [array_of(v, dtype) for v in values if v is not None]
    return lengths, np.concatenate([array_of([], dtype), *parts])


def _entries(
    key: str, feature: FixedLenSequenceFeature, examples: Sequence[Any], where: str, is_single: bool
) -> Tensor:
    if not feature.allow_missing:
        raise ValueError(
            f"{where} expected allow_missing=True for feature {key!r}: unsupported: FixedLenSequenceFeature "
            "requires allow_missing to be True."
        )
    dtype, shape = as_dtype(feature.dtype), _shape_of(feature)
    lengths, flat = _lengths_and_values(_values(key, dtype, examples, where), dtype)
    size = math.prod(shape)
    if (lengths % max(size, 1)).any():
        raise invalid(
            f"{where} expected feature {key!r} in entries of {size} values; got {lengths.tolist()}."
        )
    entries = convert_to_tensor(flat.reshape(-1, *shape), dtype)
    if is_single:
        return entries
    return RaggedTensor.from_row_lengths(entries, lengths // max(size, 1)).to_tensor(feature.default_value)


def _sparse(values: Values, dtype: DType, is_single: bool) -> SparseTensor:
    lengths, flat = _lengths_and_values(values, dtype)
    splits = splits_of_lengths(lengths)
    within = columns(splits)
    longest = int(lengths.max(initial=0))
    if is_single:
        return SparseTensor(within[:, None], convert_to_tensor(flat, dtype), np.array([longest]))
    places = np.stack([row_ids(splits), within], axis=1)
    return SparseTensor(places, convert_to_tensor(flat, dtype), np.array([len(lengths), longest]))


def _ragged(key: str, feature: RaggedFeature, examples: Sequence[Any], where: str, is_single: bool) -> Any:
    if feature.partitions:
        raise ValueError(
            f"{where} expected no partitions for feature {key!r}: TapeFlow parses only one ragged dimension; "
            f"got {feature.partitions!r}."
        )
    dtype = as_dtype(feature.dtype)
    values = _values(feature.value_key or key, dtype, examples, where)
    lengths, flat = _lengths_and_values(values, dtype)
    tensor = convert_to_tensor(flat, dtype)
    if is_single:
        return tensor
    return RaggedTensor(tensor, splits_of_lengths(lengths), as_dtype(feature.row_splits_dtype))


def _sparse_of_two(
    feature: SparseFeature, examples: Sequence[Any], where: str, is_single: bool
) -> SparseTensor:
    keys = [feature.index_key] if isinstance(feature.index_key, str) else list(feature.index_key)
    sizes = [int(s) for s in np.atleast_1d(feature.size)]
    dtype = as_dtype(feature.dtype)
    lengths, flat = _lengths_and_values(_values(feature.value_key, dtype, examples, where), dtype)
    places = [_lengths_and_values(_values(k, int64, examples, where), int64) for k in keys]
    if any(not np.array_equal(n, lengths) for n, _ in places):
        raise invalid(f"{where} expected as many indices as values in {keys} and {feature.value_key!r}.")
    indices = [p for _, p in places]
    if not is_single:
        indices.insert(0, row_ids(splits_of_lengths(lengths)))
        sizes.insert(0, len(lengths))
    found = SparseTensor(np.stack(indices, axis=1), convert_to_tensor(flat, dtype), np.array(sizes))
    return found if feature.already_sorted else reorder(found)


def _sequence(key: str, wanted: Any, lists: Any, where: str) -> Any:
    """One feature list: a tensor, a ragged or a sparse one, whose first dimension is the list's."""
    steps = list(lists[key].feature) if key in lists else []
    if isinstance(wanted, FixedLenSequenceFeature):
        if key not in lists and not wanted.allow_missing:
            raise invalid(
                f"{where} expected feature list {key!r}: it is required but could not be found. Use "
                "allow_missing=True."
            )
        fixed = FixedLenFeature(wanted.shape, wanted.dtype)
        return _fixed(key, fixed, [{key: s} for s in steps], where)
    dtype = as_dtype(wanted.dtype)
    values = _values(key, dtype, [{key: s} for s in steps], where)
    if isinstance(wanted, VarLenFeature):
        return _sparse(values, dtype, False)
    if isinstance(wanted, RaggedFeature):
        lengths, flat = _lengths_and_values(values, dtype)
        return RaggedTensor(
            convert_to_tensor(flat, dtype), splits_of_lengths(lengths), as_dtype(wanted.row_splits_dtype)
        )
    raise ValueError(
        f"{where} expected FixedLenSequenceFeature, VarLenFeature or RaggedFeature; got "
        f"sequence_features[{key!r}]={wanted!r}."
    )
