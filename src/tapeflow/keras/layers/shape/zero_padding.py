"""Zeros around a sequence, an image or a volume."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, ClassVar

import tapeflow as tf
from tapeflow.engine.values.shape import TensorShape
from tapeflow.engine.values.tensor import Tensor
from tapeflow.keras.annotations import InputShape, WindowSizes
from tapeflow.keras.layers.base.input_spec import InputSpec
from tapeflow.keras.layers.base.layer import Layer
from tapeflow.keras.layers.convolution import window_args
from tapeflow.ops.array.rearranging import pad_kernel

Pairs = tuple[window_args.Sizes, ...]
_ORDINALS = ("1st", "2nd", "3rd")
_COUNTS = {2: "two", 3: "3"}
_SHAPES = {
    2: (
        "a tuple of 2 ints (symmetric_height_pad, symmetric_width_pad), or a tuple of 2 tuples of 2 ints "
        "((top_pad, bottom_pad), (left_pad, right_pad))"
    ),
    3: (
        "a tuple of 3 ints (symmetric_dim1_pad, symmetric_dim2_pad, symmetric_dim3_pad), or a tuple of 3 tuples "
        "of 2 ints ((left_dim1_pad, right_dim1_pad), (left_dim2_pad, right_dim2_pad), (left_dim3_pad, "
        "right_dim2_pad))"
    ),
}


class ZeroPadding1D(Layer):
    """Pad sequences with zeros: (batch, steps, channels).

    Args:
        padding: how many on each side, or a pair: before and after.
        data_format: 'channels_last' unless given.
        **kwargs: see `Layer`.
    """

    _knows_output_shape: ClassVar[bool] = True

    def __init__(
        self, padding: int | Sequence[Any] = 1, data_format: str | None = "channels_last", **kwargs: Any
    ) -> None:
        super().__init__(**kwargs)
        self.padding = window_args.read_sizes(padding, 2, "padding", allow_zero=True)
        self.data_format = window_args.read_data_format(data_format)
        self.input_spec = InputSpec(ndim=3)
        self._around = _around((self.padding,), self.data_format)

    def call(self, inputs: Tensor) -> Tensor:
        return pad_kernel(inputs, 0, paddings=self._around)

    def compute_output_shape(self, input_shape: InputShape) -> TensorShape:
        return _padded_shape(input_shape, (self.padding,), self.data_format)

    def get_config(self) -> dict[str, Any]:
        config = {**super().get_config(), "padding": self.padding}
        return config if self.data_format == "channels_last" else {**config, "data_format": self.data_format}


class _ZeroPadding(Layer):
    """Zeros around `rank` spatial axes."""

    rank: ClassVar[int]

    def __init__(
        self, padding: int | Sequence[Any] = 1, data_format: str | None = None, **kwargs: Any
    ) -> None:
        super().__init__(**kwargs)
        self.data_format = window_args.read_data_format(data_format)
        self.padding = _read_pairs(padding, self.rank)
        self.input_spec = InputSpec(ndim=self.rank + 2)
        self._around = _around(self.padding, self.data_format)

    def call(self, inputs: Tensor) -> Tensor:
        return pad_kernel(inputs, 0, paddings=self._around)

    def compute_output_shape(self, input_shape: InputShape) -> TensorShape:
        return _padded_shape(input_shape, self.padding, self.data_format)

    def get_config(self) -> dict[str, Any]:
        return {**super().get_config(), "padding": self.padding, "data_format": self.data_format}


class ZeroPadding2D(_ZeroPadding):
    """Pad images with zeros.

    Args:
        padding: how many on every side; or a pair of ints, for rows and columns; or a pair of pairs,
            ((top, bottom), (left, right)).
        data_format: 'channels_last' or 'channels_first'; the global setting if None.
        **kwargs: see `Layer`.

    >>> tf.keras.layers.ZeroPadding2D(((1, 0), (2, 2)))(tf.zeros((2, 8, 8, 3))).shape
    TensorShape([2, 9, 12, 3])
    """

    rank = 2
    _knows_output_shape: ClassVar[bool] = True


class ZeroPadding3D(_ZeroPadding):
    """Pad volumes with zeros: an int, three ints or three pairs; see `ZeroPadding2D`."""

    rank = 3
    _knows_output_shape: ClassVar[bool] = True


def _read_pairs(padding: WindowSizes, rank: int) -> Pairs:
    """Cells before and after each axis."""
    if isinstance(padding, int):
        return (window_args.read_sizes(padding, 2, "padding", allow_zero=True),) * rank
    try:
        given = tuple(padding)
    except TypeError:
        raise ValueError(
            f"`padding` should be either an int, {_SHAPES[rank]}. Received: {padding}."
        ) from None
    if len(given) != rank:
        raise ValueError(f"`padding` should have {_COUNTS[rank]} elements. Received: {padding}.")
    return tuple(
        window_args.read_sizes(pair, 2, f"{ordinal} entry of padding", allow_zero=True)
        for pair, ordinal in zip(given, _ORDINALS, strict=False)
    )


def _around(pairs: Any, data_format: str) -> Pairs:
    """The pairs of all axes, nothing around the batch and the channels."""
    none = (0, 0)
    return (none, none, *pairs) if data_format == "channels_first" else (none, *pairs, none)


def _padded_shape(input_shape: InputShape, pairs: Any, data_format: str) -> TensorShape:
    leading, spatial, channels = window_args.parts_of(input_shape, len(pairs), data_format)
    lengths = tuple(n if n is None else n + sum(pair) for n, pair in zip(spatial, pairs, strict=True))
    return tf.TensorShape(window_args.shape_from(leading, lengths, channels, data_format))
