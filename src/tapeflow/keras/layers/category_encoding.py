"""Whole numbers as vectors: `CategoryEncoding`, and the encoding that lookups and hashes share."""

from __future__ import annotations

from typing import Any, ClassVar

import tapeflow as tf
from tapeflow.keras.layers.layer import Layer

MODES = ("int", "one_hot", "multi_hot", "count", "tf_idf")


def check_mode(layer: str, mode: Any, allowed: tuple[str, ...]) -> str:
    """An output mode by its name, an older one included."""
    mode = {"binary": "multi_hot", "tf-idf": "tf_idf"}.get(mode, mode)
    if mode not in allowed:
        raise ValueError(
            f"Unknown value for `output_mode` argument of layer {layer}. Allowed values are: {allowed}. "
            f"Received: {mode}"
        )
    return mode


def encoded(inputs: Any, mode: str, depth: int, dtype: Any, weights: Any = None) -> Any:
    """Class numbers as they are, or as vectors with a place for each class.

    Args:
        inputs: integers below `depth`; the classes of one sample are along the last axis.
        mode: "int"; "one_hot" for a vector of each; "multi_hot", "count" or "tf_idf" for one of a sample.
        depth: how many classes there are.
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


def ragged_encoded(layer: Any, inputs: Any) -> Any:
    """What a layer gives of a ragged tensor: numbers in its rows, or a vector for each."""
    if layer.output_mode != "int":
        return tf.stack([layer.call(row) for row in inputs])
    return inputs.with_flat_values(layer.call(inputs.flat_values))


def encoded_shape(input_shape: Any, mode: str, depth: int | None) -> Any:
    """The shape of what `encoded` gives."""
    shape = tuple(input_shape)
    if mode == "int":
        return tf.TensorShape(shape)
    if mode == "one_hot":
        kept = shape[:-1] if len(shape) > 1 and shape[-1] == 1 else shape
    else:
        kept = shape[:-1]
    return tf.TensorShape((*kept, depth))


def only_dense(layer: str, sparse: bool) -> None:
    """Refuse sparse outputs, which nothing downstream of these layers takes here."""
    if sparse:
        raise ValueError(
            f"{layer} expected sparse=False; got sparse=True, which is not supported. Use the dense output, or "
            "tf.sparse.from_dense on it."
        )


class CategoryEncoding(Layer):
    """Whole numbers below `num_tokens` as vectors.

    Args:
        num_tokens: how many different numbers there are.
        output_mode: "one_hot" for each number, "multi_hot" or "count" for all numbers of a sample.
        sparse: must be False.
        **kwargs: see `Layer`.

    >>> tf.keras.layers.CategoryEncoding(4, output_mode="count")([[0, 1], [3, 3]]).numpy()
    array([[1., 1., 0., 0.],
           [0., 0., 0., 2.]], dtype=float32)
    """

    _knows_output_shape: ClassVar[bool] = True

    def __init__(
        self,
        num_tokens: int | None = None,
        output_mode: str = "multi_hot",
        sparse: bool = False,
        **kwargs: Any,
    ) -> None:
        if "max_tokens" in kwargs:
            num_tokens = kwargs.pop("max_tokens")
        super().__init__(**kwargs)
        if num_tokens is None:
            raise ValueError(
                "num_tokens must be set to use this layer. If the number of tokens is not known beforehand, use the "
                "IntegerLookup layer instead."
            )
        if num_tokens < 1:
            raise ValueError(f"`num_tokens` must be >= 1. Received: num_tokens={num_tokens}.")
        self.num_tokens = num_tokens
        self.output_mode = check_mode("CategoryEncoding", output_mode, MODES[1:4])
        only_dense("CategoryEncoding", sparse)
        self.sparse = sparse

    def call(self, inputs: Any, count_weights: Any = None) -> Any:
        numbers = tf.cast(inputs, tf.int64)
        if count_weights is not None and self.output_mode != "count":
            raise ValueError(
                "`count_weights` is not used when `output_mode` is not `'count'`. Received: "
                f"count_weights={count_weights}"
            )
        tf.debugging.Assert(
            tf.reduce_all(tf.logical_and(numbers >= 0, numbers < self.num_tokens)),
            [f"Input values must be in the range 0 <= values < num_tokens with num_tokens={self.num_tokens}"],
        )
        return encoded(numbers, self.output_mode, self.num_tokens, self.compute_dtype, count_weights)

    def compute_output_shape(self, input_shape: Any) -> Any:
        return encoded_shape(input_shape, self.output_mode, self.num_tokens)

    def get_config(self) -> dict[str, Any]:
        return {
            **super().get_config(),
            "num_tokens": self.num_tokens,
            "output_mode": self.output_mode,
            "sparse": self.sparse,
        }
