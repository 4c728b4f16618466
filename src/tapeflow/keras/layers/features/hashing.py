"""`Hashing`: strings and whole numbers as numbers of bins."""

from __future__ import annotations

from typing import Any, ClassVar

import tapeflow as tf
from tapeflow.engine.values.annotations import TensorLike
from tapeflow.engine.values.shape import TensorShape
from tapeflow.engine.values.tensor import Tensor
from tapeflow.keras.annotations import InputShape
from tapeflow.keras.layers.base.layer import Layer
from tapeflow.keras.layers.features.category_numbers import MODES, check_mode, encoded_inputs, encoded_shape


class Hashing(Layer):
    """Hashes strings or integers into bins.

    Args:
        num_bins: how many bins there are, the one for masked values included.
        mask_value: what goes to bin 0, and nothing else does.
        salt: one number or two that make another hash of it.
        output_mode: "int" for the bin, or a vector: "one_hot", "multi_hot" or "count".
        sparse: whether vectors are sparse tensors.
        **kwargs: see `Layer`.

    >>> tf.keras.layers.Hashing(num_bins=3)([["A"], ["B"], ["C"]]).numpy().tolist()
    [[1], [0], [1]]
    """

    _knows_output_shape: ClassVar[bool] = True

    def __init__(
        self,
        num_bins: int,
        mask_value: Any = None,
        salt: Any = None,
        output_mode: str = "int",
        sparse: bool = False,
        **kwargs: Any,
    ) -> None:
        if num_bins is None or num_bins <= 0:
            raise ValueError(
                f"The `num_bins` for `Hashing` cannot be `None` or non-positive values. Received: num_bins={num_bins}."
            )
        mode = check_mode("Hashing", output_mode, MODES[:4], sparse)
        kwargs.setdefault("dtype", "int64" if mode == "int" else "float32")
        super().__init__(**kwargs)
        self.num_bins = num_bins
        self.mask_value = mask_value
        self.output_mode = mode
        self.sparse = sparse
        if salt is None:
            self.salt: list[int] | None = None
        elif isinstance(salt, (list, tuple)) and len(salt) == 2:
            self.salt = list(salt)
        elif isinstance(salt, int):
            self.salt = [salt, salt]
        else:
            raise ValueError(
                "The `salt` argument for `Hashing` can only be a tuple of size 2 integers, or a single integer. "
                f"Received: salt={salt}."
            )

    def call(self, inputs: TensorLike) -> Tensor:
        return encoded_inputs(self, inputs, self._numbers, self.num_bins)

    def _numbers(self, values: Tensor) -> Tensor:
        text = values if values.dtype == tf.string else tf.as_string(values)
        bins = self.num_bins - 1 if self.mask_value is not None and self.num_bins > 1 else self.num_bins
        if self.salt is None:
            found = tf.strings.to_hash_bucket_fast(text, bins)
        else:
            found = tf.strings.to_hash_bucket_strong(text, bins, key=self.salt)
        if self.mask_value is not None:
            masked = tf.equal(values, tf.cast(self.mask_value, values.dtype))
            found = tf.where(masked, tf.zeros_like(found), found + 1 if bins < self.num_bins else found)
        return found

    def compute_output_shape(self, input_shape: InputShape) -> TensorShape:
        return encoded_shape(input_shape, self.output_mode, self.num_bins)

    def get_config(self) -> dict[str, Any]:
        return {
            **super().get_config(),
            "num_bins": self.num_bins,
            "salt": self.salt,
            "mask_value": self.mask_value,
            "output_mode": self.output_mode,
            "sparse": self.sparse,
        }
