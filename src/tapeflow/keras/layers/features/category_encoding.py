"""`CategoryEncoding`: whole numbers as vectors."""

from __future__ import annotations

from typing import Any, ClassVar

import tapeflow as tf
from tapeflow.engine.values.annotations import TensorLike
from tapeflow.engine.values.shape import TensorShape
from tapeflow.engine.values.tensor import Tensor
from tapeflow.keras.annotations import InputShape
from tapeflow.keras.layers.base.layer import Layer
from tapeflow.keras.layers.features.category_numbers import MODES, check_mode, encoded_inputs, encoded_shape


class CategoryEncoding(Layer):
    """Encode integers below `num_tokens` as one-hot, multi-hot or count vectors.

    Args:
        num_tokens: how many different numbers there are.
        output_mode: "one_hot" for each number, "multi_hot" or "count" for all numbers of a sample.
        sparse: whether vectors are sparse tensors.
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
        self.sparse = sparse

    def call(self, inputs: TensorLike, count_weights: TensorLike | None = None) -> Tensor:
        if count_weights is not None and self.output_mode != "count":
            raise ValueError(
                "`count_weights` is not used when `output_mode` is not `'count'`. Received: "
                f"count_weights={count_weights}"
            )
        return encoded_inputs(self, inputs, self._numbers, self.num_tokens, count_weights)

    def _numbers(self, values: Tensor) -> Tensor:
        numbers = tf.cast(values, tf.int64)
        tf.debugging.Assert(
            tf.reduce_all(tf.logical_and(numbers >= 0, numbers < self.num_tokens)),
            [f"Input values must be in the range 0 <= values < num_tokens with num_tokens={self.num_tokens}"],
        )
        return numbers

    def compute_output_shape(self, input_shape: InputShape) -> TensorShape:
        return encoded_shape(input_shape, self.output_mode, self.num_tokens)

    def get_config(self) -> dict[str, Any]:
        return {
            **super().get_config(),
            "num_tokens": self.num_tokens,
            "output_mode": self.output_mode,
            "sparse": self.sparse,
        }
