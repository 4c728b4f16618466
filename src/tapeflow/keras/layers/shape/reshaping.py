"""Layers that give the same elements in another shape or order."""

from __future__ import annotations

import math
from typing import Any

import tapeflow as tf
from tapeflow.engine.values.annotations import Shape
from tapeflow.engine.values.shape import TensorShape
from tapeflow.engine.values.tensor import Tensor
from tapeflow.keras.annotations import InputShape
from tapeflow.keras.config import read_data_format
from tapeflow.keras.layers.base.input_spec import InputSpec
from tapeflow.keras.layers.base.layer import Layer


class Flatten(Layer):
    """Flatten each sample to a vector; the batch axis stays.

    Args:
        data_format: with 'channels_first' the channels are moved to the end first, so that weights of a
            following layer mean the same for both orders.
        **kwargs: see `Layer`.

    >>> tf.keras.layers.Flatten()(tf.zeros((2, 3, 4))).shape
    TensorShape([2, 12])
    """

    def __init__(self, data_format: str | None = None, **kwargs: Any) -> None:
        super().__init__(**kwargs)
        self.data_format = read_data_format(data_format)
        self.input_spec = InputSpec(min_ndim=1)

    def call(self, inputs: Tensor) -> Tensor:
        shape = inputs.spec.shape
        rank = len(shape)
        if self.data_format == "channels_first" and rank > 2:
            inputs = tf.transpose(inputs, (0, *range(2, rank), 1))
        return inputs if rank == 2 else tf.reshape(inputs, (shape[0], math.prod(shape[1:])))

    def compute_output_shape(self, input_shape: InputShape) -> TensorShape:
        shape = tuple(input_shape)
        if not shape:
            return tf.TensorShape((1, None))
        return tf.TensorShape((shape[0], _product(shape[1:])))

    def get_config(self) -> dict[str, Any]:
        return {**super().get_config(), "data_format": self.data_format}


class Reshape(Layer):
    """Reshape each sample.

    Args:
        target_shape: the shape without the batch axis; one of its sizes may be -1, to be worked out.
        **kwargs: see `Layer`.
    """

    def __init__(self, target_shape: Shape, **kwargs: Any) -> None:
        super().__init__(**kwargs)
        self.target_shape = tuple(target_shape)

    def _resolved(self, shape: tuple[int | None, ...]) -> tuple[int | None, ...]:
        """The target for samples of a shape, the size at -1 worked out if that can be done."""
        known = math.prod(d for d in self.target_shape if d != -1)
        total = _product(shape)
        open_axes = self.target_shape.count(-1)
        if open_axes > 1:
            raise ValueError(
                "There must be at most one unknown dimension in output_shape. Received: output_shape="
                f"{self.target_shape}."
            )
        if total is None:
            return tuple(None if d == -1 else d for d in self.target_shape)
        is_open = open_axes == 1
        if (is_open and (known == 0 or total % known)) or (not is_open and known != total):
            raise ValueError(
                f"The total size of the tensor must be unchanged. Received: input_shape={shape}, "
                f"output_shape={self.target_shape}"
            )
        return tuple(total // known if d == -1 else d for d in self.target_shape)

    def call(self, inputs: Tensor) -> Tensor:
        shape = inputs.spec.shape
        return tf.reshape(inputs, (shape[0], *self._resolved(shape[1:])))

    def compute_output_shape(self, input_shape: InputShape) -> TensorShape:
        shape = tuple(input_shape)
        return tf.TensorShape((shape[0], *self._resolved(shape[1:])))

    def get_config(self) -> dict[str, Any]:
        return {**super().get_config(), "target_shape": self.target_shape}


class Permute(Layer):
    """Permute the axes of each sample.

    Args:
        dims: the axes in their new order, counted from 1; the batch axis is not among them.
        **kwargs: see `Layer`.
    """

    def __init__(self, dims: Any, **kwargs: Any) -> None:
        super().__init__(**kwargs)
        self.dims = tuple(dims)
        if sorted(self.dims) != list(range(1, len(self.dims) + 1)):
            raise ValueError(
                "Invalid permutation argument `dims` for Permute Layer. The set of indices in `dims` must be "
                f"consecutive and start from 1. Received dims={dims}"
            )
        self.input_spec = InputSpec(ndim=len(self.dims) + 1)

    def call(self, inputs: Tensor) -> Tensor:
        return tf.transpose(inputs, (0, *self.dims))

    def compute_output_shape(self, input_shape: InputShape) -> TensorShape:
        shape = tuple(input_shape)
        return tf.TensorShape((shape[0], *[shape[d] for d in self.dims]))

    def get_config(self) -> dict[str, Any]:
        return {**super().get_config(), "dims": self.dims}


class RepeatVector(Layer):
    """Repeat each vector n times: (batch, features) becomes (batch, n, features).

    Args:
        n: how often.
        **kwargs: see `Layer`.
    """

    def __init__(self, n: int, **kwargs: Any) -> None:
        super().__init__(**kwargs)
        if not isinstance(n, int):
            raise TypeError(
                f"Expected an integer value for `n`, got {type(n)}. Pass how often to repeat the vector."
            )
        self.n = n
        self.input_spec = InputSpec(ndim=2)

    def call(self, inputs: Tensor | tf.RaggedTensor) -> Tensor:
        if isinstance(inputs, tf.RaggedTensor):
            return tf.stack([inputs] * self.n, axis=1)
        batch, size = inputs.spec.shape
        return tf.broadcast_to(tf.expand_dims(inputs, 1), (batch, self.n, size))

    def compute_output_shape(self, input_shape: InputShape) -> TensorShape:
        batch, size = tuple(input_shape)
        return tf.TensorShape((batch, self.n, size))

    def get_config(self) -> dict[str, Any]:
        return {**super().get_config(), "n": self.n}


def _product(sizes: tuple[int | None, ...]) -> int | None:
    """The product of sizes; None if one of them is not known."""
    return None if None in sizes else math.prod(d for d in sizes if d is not None)
