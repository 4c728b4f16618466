"""Whole numbers as vectors with a place for each class: the encoding that lookups, hashes and bins share.

Numbers come in a dense tensor, or as the values of a sparse or ragged one; vectors may leave as a sparse tensor.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import tapeflow as tf
from tapeflow.engine.values.annotations import DTypeLike, TensorLike
from tapeflow.engine.values.shape import TensorShape
from tapeflow.engine.values.tensor import Tensor

MODES = ("int", "one_hot", "multi_hot", "count", "tf_idf")


def check_mode(layer: str, mode: str, allowed: tuple[str, ...], sparse: bool = False) -> str:
    """An output mode by its name, an older one included."""
    mode = {"binary": "multi_hot", "tf-idf": "tf_idf"}.get(mode, mode)
    if mode not in allowed:
        raise ValueError(
            f"Unknown value for `output_mode` argument of layer {layer}. Allowed values are: {allowed}. "
            f"Received: {mode}"
        )
    if sparse and mode == "int":
        vectors = ", ".join(f"'{other}'" for other in allowed if other != "int")
        raise ValueError(
            f"`sparse` may only be true if `output_mode` is one of {vectors}. Received: sparse={sparse} and "
            f"output_mode={mode}"
        )
    return mode


def encoded_inputs(
    layer: Any,
    inputs: TensorLike,
    numbers_of: Callable[[Any], Any],
    depth: int,
    weights: TensorLike | None = None,
) -> Any:
    """What a layer with an `output_mode` gives for dense, sparse or ragged inputs.

    Args:
        layer: says the mode, the dtype, and whether vectors are sparse.
        inputs: what it was called with.
        numbers_of: class numbers for a dense tensor of values, each by itself.
        depth: the number of classes.
        weights: see `encoded`; for sparse or ragged inputs with one for each value, of their kind.
    """
    mode, dtype = layer.output_mode, layer.compute_dtype
    if isinstance(inputs, tf.SparseTensor):
        numbers = inputs.with_values(numbers_of(inputs.values))
        if mode == "int":
            return tf.cast(numbers, dtype)
        found = _of_rows(numbers.values, numbers.indices, numbers.shape, mode, depth, dtype, weights)
    elif isinstance(inputs, tf.RaggedTensor):
        if mode == "int":
            return inputs.with_flat_values(tf.cast(numbers_of(inputs.flat_values), dtype))
        places = tf.expand_dims(inputs.value_rowids(), -1)
        found = _of_rows(numbers_of(inputs.flat_values), places, inputs.shape, mode, depth, dtype, weights)
    else:
        found = encoded(numbers_of(tf.convert_to_tensor(inputs)), mode, depth, dtype, weights)
    return tf.sparse.from_dense(found) if layer.sparse and mode != "int" else found


def encoded(inputs: Tensor, mode: str, depth: int, dtype: DTypeLike, weights: Any = None) -> Tensor:
    """Class numbers as they are, or as vectors with a place for each class.

    Args:
        inputs: integers below `depth`; the classes of one sample are along the last axis.
        mode: "int"; "one_hot" for a vector of each; "multi_hot", "count" or "tf_idf" for one of a sample.
        depth: the number of classes.
        dtype: of the result.
        weights: what each number adds ("count"), or what each class counts ("tf_idf").
    """
    if mode == "int":
        return tf.cast(inputs, dtype)
    rank = len(inputs.shape)
    if mode == "one_hot":
        if rank and inputs.shape[-1] == 1 and rank > 1:
            inputs = tf.squeeze(inputs, -1)
        return tf.one_hot(inputs, depth, dtype=dtype)
    spread = tf.one_hot(inputs, depth, dtype=dtype)
    if rank == 0:
        return spread
    if mode == "multi_hot":
        return tf.reduce_max(spread, -2)
    if mode == "count" and weights is not None:
        spread = spread * tf.expand_dims(tf.cast(weights, dtype), -1)
    counts = tf.reduce_sum(spread, -2)
    return counts if mode == "count" else counts * tf.cast(weights, dtype)


def _of_rows(
    numbers: Tensor, places: Tensor, shape: Any, mode: str, depth: int, dtype: DTypeLike, weights: Any = None
) -> Tensor:
    """A vector for each row of a sparse or ragged matrix.

    Args:
        numbers: its values, one after the other.
        places: where each of them is; the first number is the row.
        shape: of the whole.
        mode, depth, dtype, weights: see `encoded`.
    """
    rank = len(shape)
    if rank > 2 or (mode == "one_hot" and rank == 2 and shape[-1] != 1):
        raise ValueError(
            "When output_mode is not `'int'`, maximum supported output rank is 2. Received output_mode "
            f"{mode} and input shape {shape}, which would result in output rank {rank + (mode == 'one_hot')}."
        )
    spread = tf.one_hot(numbers, depth, dtype=dtype)
    if mode == "count" and weights is not None:
        values = weights.values if isinstance(weights, (tf.SparseTensor, tf.RaggedTensor)) else weights
        spread = spread * tf.expand_dims(tf.cast(values, dtype), -1)
    if rank == 1:
        counts = tf.reduce_sum(spread, 0)
    else:
        counts = tf.math.unsorted_segment_sum(spread, places[:, 0], shape[0])
    if mode in ("one_hot", "multi_hot"):
        return tf.minimum(counts, tf.ones_like(counts))
    return counts * tf.cast(weights, dtype) if mode == "tf_idf" else counts


def encoded_shape(input_shape: Any, mode: str, depth: int | None) -> TensorShape:
    """The shape of what `encoded` gives."""
    shape = tuple(input_shape)
    if mode == "int":
        return tf.TensorShape(shape)
    if mode == "one_hot":
        kept = shape[:-1] if len(shape) > 1 and shape[-1] == 1 else shape
    else:
        kept = shape[:-1]
    return tf.TensorShape((*kept, depth))
