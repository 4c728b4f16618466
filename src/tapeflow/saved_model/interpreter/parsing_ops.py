"""`tf.train.Example` messages."""

from __future__ import annotations

from typing import Any

import numpy as np

import tapeflow as tf
from tapeflow.engine.values.tensor import Tensor
from tapeflow.saved_model.interpreter.kernels import Node, array, implements

_PARSED = (
    "sparse_indices",
    "sparse_values",
    "sparse_shapes",
    "dense_values",
    "ragged_values",
    "ragged_row_splits",
)


def _keys(tensor: Any) -> list[str]:
    return [k.decode() for k in np.asarray(tensor.numpy(), object).reshape(-1).tolist()]


@implements("ParseExampleV2", outputs=_PARSED)
def _parse(
    node: Node, data: Tensor, names: object, sparse: Tensor, dense: Tensor, ragged: Tensor, *defaults: Tensor
) -> Any:
    sparse_keys, dense_keys, ragged_keys = _keys(sparse), _keys(dense), _keys(ragged)
    features = _features(node, sparse_keys, dense_keys, list(defaults))
    types = zip(ragged_keys, node.types("ragged_value_types"), node.types("ragged_split_types"), strict=True)
    features |= {k: tf.io.RaggedFeature(t, row_splits_dtype=s) for k, t, s in types}
    is_single = not data.shape.rank
    parsed = tf.io.parse_single_example(data, features) if is_single else tf.io.parse_example(data, features)
    return (
        *_parsed(parsed, sparse_keys, dense_keys),
        [parsed[k] if is_single else parsed[k].flat_values for k in ragged_keys],
        [tf.zeros([0], tf.int64) if is_single else parsed[k].row_splits for k in ragged_keys],
    )


@implements("ParseExample", outputs=_PARSED[:4])
def _parse_old(node: Node, data: Tensor, names: object, *rest: Tensor) -> Any:
    sparse_count, dense_count = node.number("Nsparse"), node.number("Ndense")
    keys = [k for tensor in rest[: sparse_count + dense_count] for k in _keys(tensor)]
    sparse_keys, dense_keys = keys[:sparse_count], keys[sparse_count:]
    features = _features(node, sparse_keys, dense_keys, list(rest[sparse_count + dense_count :]))
    return _parsed(tf.io.parse_example(data, features), sparse_keys, dense_keys)


@implements("ParseSingleExample", outputs=_PARSED[:4])
def _parse_single(node: Node, data: Tensor, *defaults: Tensor) -> Any:
    sparse_keys, dense_keys = node.texts("sparse_keys"), node.texts("dense_keys")
    features = _features(node, sparse_keys, dense_keys, list(defaults))
    return _parsed(tf.io.parse_single_example(data, features), sparse_keys, dense_keys)


def _features(
    node: Node, sparse_keys: list[str], dense_keys: list[str], defaults: list[Any]
) -> dict[str, Any]:
    features: dict[str, Any] = {
        k: tf.io.VarLenFeature(t) for k, t in zip(sparse_keys, node.types("sparse_types"), strict=True)
    }
    for key, shape, default in zip(dense_keys, node.shapes("dense_shapes"), defaults, strict=True):
        sizes = shape or []
        dtype = default.dtype
        given = np.asarray(default.numpy(), object) if dtype == tf.string else array(default)
        if sizes and sizes[0] is None:
            features[key] = tf.io.FixedLenSequenceFeature(sizes[1:], dtype, allow_missing=True)
        else:
            has_default = given.size == int(np.prod([n or 0 for n in sizes])) and given.size > 0
            filled = given.reshape([n or 0 for n in sizes]) if has_default else None
            features[key] = tf.io.FixedLenFeature(sizes, dtype, filled)
    return features


def _parsed(parsed: dict[str, Any], sparse_keys: list[str], dense_keys: list[str]) -> tuple[list[Any], ...]:
    sparse = [parsed[k] for k in sparse_keys]
    return (
        [s.indices for s in sparse],
        [s.values for s in sparse],
        [s.dense_shape for s in sparse],
        [parsed[k] for k in dense_keys],
    )
