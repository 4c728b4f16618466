"""`HashedCrossing`: what several categories say together, as the number of a bin."""

from __future__ import annotations

from typing import Any, ClassVar

import tapeflow as tf
from tapeflow.engine.values.shape import TensorShape
from tapeflow.engine.values.tensor import Tensor
from tapeflow.keras.annotations import InputShape
from tapeflow.keras.config import floatx
from tapeflow.keras.layers.base.layer import Layer
from tapeflow.keras.layers.features.category_numbers import MODES, check_mode, encoded_inputs, encoded_shape


class HashedCrossing(Layer):
    """Cross categorical features: hash their combinations into bins, with TensorFlow's hash.

    Args:
        num_bins: how many bins there are.
        output_mode: "int" for the bin, "one_hot" for a vector.
        sparse: whether vectors are sparse tensors.
        **kwargs: see `Layer`.

    >>> layer = tf.keras.layers.HashedCrossing(num_bins=5)
    >>> layer((tf.constant(["A", "B", "A"]), tf.constant([101, 101, 102]))).numpy().tolist()
    [1, 4, 3]
    """

    _knows_output_shape: ClassVar[bool] = True

    def __init__(self, num_bins: int, output_mode: str = "int", sparse: bool = False, **kwargs: Any) -> None:
        mode = check_mode("HashedCrossing", output_mode, MODES[:2])
        if kwargs.get("dtype") is None:
            kwargs["dtype"] = "int64" if mode == "int" else floatx()
        super().__init__(**kwargs)
        if mode == "int" and not tf.as_dtype(self.compute_dtype).is_integer:
            raise ValueError(
                "When `output_mode='int'`, `dtype` should be an integer type. Received: "
                f"dtype={kwargs['dtype']}"
            )
        self.num_bins = num_bins
        self.output_mode = mode
        self.sparse = sparse

    def call(self, inputs: Any) -> Tensor:
        _check_count(inputs)
        columns = [tf.convert_to_tensor(x) for x in inputs]
        _check_columns(columns)
        crossed = tf.sparse.cross_hashed([tf.reshape(c, (-1, 1)) for c in columns], self.num_bins)
        found = tf.reshape(crossed.values, columns[0].shape)
        return encoded_inputs(self, found, tf.identity, self.num_bins)

    def compute_output_shape(self, input_shape: InputShape) -> TensorShape:
        _check_count(input_shape)
        return encoded_shape(input_shape[0], self.output_mode, self.num_bins)

    def get_config(self) -> dict[str, Any]:
        return {
            **super().get_config(),
            "num_bins": self.num_bins,
            "output_mode": self.output_mode,
            "sparse": self.sparse,
        }


def _check_count(inputs: Any) -> None:
    if not isinstance(inputs, (list, tuple)):
        raise ValueError(
            f"`HashedCrossing` should be called on a list or tuple of inputs. Received: inputs={inputs}"
        )
    if len(inputs) < 2:
        raise ValueError(
            f"`HashedCrossing` should be called on at least two inputs. Received: inputs={inputs}"
        )


def _check_columns(columns: list[Any]) -> None:
    shape = tuple(columns[0].shape)
    if len(shape) > 2 or (len(shape) == 2 and shape[-1] != 1):
        raise ValueError(
            "All `HashedCrossing` inputs should have shape `[]`, `[batch_size]` or `[batch_size, 1]`. Received: "
            f"shape={shape}"
        )
    if any(tuple(c.shape) != shape for c in columns):
        raise ValueError(
            "All `HashedCrossing` inputs should have equal shape. Received: "
            f"shapes={[tuple(c.shape) for c in columns]}"
        )
    if not all(c.dtype.is_integer or c.dtype == tf.string for c in columns):
        raise ValueError(
            "All `HashedCrossing` inputs should have an integer or string dtype. Received: "
            f"dtypes={[c.dtype.name for c in columns]}"
        )
