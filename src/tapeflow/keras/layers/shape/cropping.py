"""Layers that cut off the edges: `Cropping1D`, `Cropping2D`, `Cropping3D`."""

from __future__ import annotations

from typing import Any, ClassVar

import tapeflow as tf
from tapeflow.engine.values.shape import TensorShape
from tapeflow.engine.values.tensor import Tensor
from tapeflow.keras.annotations import InputShape
from tapeflow.keras.config import read_data_format
from tapeflow.keras.layers.base.input_spec import InputSpec
from tapeflow.keras.layers.base.layer import Layer

Pair = tuple[int, int]


class _Cropping(Layer):
    """Cuts off the two ends of each axis of space."""

    _axes: ClassVar[int]

    def __init__(self, cuts: tuple[Pair, ...], data_format: str | None, **kwargs: Any) -> None:
        super().__init__(**kwargs)
        self._cuts = cuts
        self.data_format = read_data_format(data_format)
        self.input_spec = InputSpec(ndim=self._axes + 2)

    def _all_cuts(self) -> list[Pair]:
        """What is cut off each axis, the batch's and the channels' among them."""
        none = (0, 0)
        if self.data_format == "channels_first":
            return [none, none, *self._cuts]
        return [none, *self._cuts, none]

    def call(self, inputs: Tensor | tf.RaggedTensor) -> Tensor:
        cuts = self._all_cuts()
        if isinstance(inputs, tf.RaggedTensor):  # a row shorter than what is cut off is empty
            return inputs[tuple(slice(first, -last or None) for first, last in cuts)]
        sizes = inputs.spec.shape
        if any(sum(cut) >= size for cut, size in zip(cuts, sizes, strict=True) if sum(cut)):
            raise ValueError(
                f"{type(self).__name__} expected `cropping` to leave something of each axis; got cropping="
                f"{self._cuts} for an input of shape {sizes}. Crop less."
            )
        return inputs[tuple(slice(cut[0], size - cut[1]) for cut, size in zip(cuts, sizes, strict=True))]

    def compute_output_shape(self, input_shape: InputShape) -> TensorShape:
        pairs = zip(self._all_cuts(), tuple(input_shape), strict=True)
        return tf.TensorShape([None if size is None else size - sum(cut) for cut, size in pairs])


class Cropping1D(_Cropping):
    """Cut steps off the beginning and the end of sequences.

    Args:
        cropping: how many, or how many at the beginning and at the end.
        **kwargs: see `Layer`.
    """

    _axes = 1

    def __init__(self, cropping: Any = (1, 1), **kwargs: Any) -> None:
        self_cropping = _read_pair(cropping, "cropping")
        super().__init__((self_cropping,), "channels_last", **kwargs)
        self.cropping = self_cropping

    def get_config(self) -> dict[str, Any]:
        return {**super().get_config(), "cropping": self.cropping}


class Cropping2D(_Cropping):
    """Cut off the edges of images.

    Args:
        cropping: how much on all sides; by height and by width; or `((top, bottom), (left, right))`.
        data_format: the axis of the channels: 'channels_last' or 'channels_first'.
        **kwargs: see `Layer`.
    """

    _axes = 2

    def __init__(
        self, cropping: Any = ((0, 0), (0, 0)), data_format: str | None = None, **kwargs: Any
    ) -> None:
        self_cropping = _read_pairs(cropping, 2)
        super().__init__(self_cropping, data_format, **kwargs)
        self.cropping = self_cropping

    def get_config(self) -> dict[str, Any]:
        return {**super().get_config(), "cropping": self.cropping, "data_format": self.data_format}


class Cropping3D(_Cropping):
    """Cut off the edges of volumes.

    Args:
        cropping: how much on all sides; one number or one pair for each of the three axes.
        data_format: the axis of the channels: 'channels_last' or 'channels_first'.
        **kwargs: see `Layer`.
    """

    _axes = 3

    def __init__(
        self, cropping: Any = ((1, 1), (1, 1), (1, 1)), data_format: str | None = None, **kwargs: Any
    ) -> None:
        self_cropping = _read_pairs(cropping, 3)
        super().__init__(self_cropping, data_format, **kwargs)
        self.cropping = self_cropping

    def get_config(self) -> dict[str, Any]:
        return {**super().get_config(), "cropping": self.cropping, "data_format": self.data_format}


def _read_pair(value: Any, name: str) -> Pair:
    pair = (value, value) if isinstance(value, int) else value
    is_pair = isinstance(pair, (list, tuple)) and len(pair) == 2 and all(isinstance(d, int) for d in pair)
    if not is_pair or min(pair) < 0:
        raise ValueError(
            f"The `{name}` argument must be an integer, or a tuple of 2 integers, none below 0. Received: {value}"
        )
    return int(pair[0]), int(pair[1])


def _read_pairs(cropping: Any, axes: int) -> tuple[Pair, ...]:
    if isinstance(cropping, int):
        cropping = (cropping,) * axes
    if not isinstance(cropping, (list, tuple)) or len(cropping) != axes:
        raise ValueError(
            f"`cropping` should be either an int, a tuple of {axes} ints, or a tuple of {axes} tuples of 2 ints: "
            f"it should have {axes} elements. Received: {cropping}."
        )
    return tuple(_read_pair(cut, f"entry {i + 1} of cropping") for i, cut in enumerate(cropping))
