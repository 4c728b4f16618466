"""`LocallyConnected1D` and `2D`: windows as in a convolution, with weights of their own at every place."""

from __future__ import annotations

import itertools
import math
from typing import Any, ClassVar

import numpy as np

import tapeflow as tf
from tapeflow.engine.values.shape import TensorShape
from tapeflow.engine.values.tensor import Tensor
from tapeflow.keras import activations, constraints, initializers, regularizers
from tapeflow.keras.annotations import (
    ActivationLike,
    ConstraintLike,
    InitializerLike,
    InputShape,
    RegularizerLike,
    WindowSizes,
)
from tapeflow.keras.backend.local_convolution import local_conv
from tapeflow.keras.backend.network import bias_add
from tapeflow.keras.layers.base.input_spec import InputSpec
from tapeflow.keras.layers.base.layer import Layer
from tapeflow.keras.layers.convolution import window_args


class LocallyConnected(Layer):
    """What both share: a window over `rank` axes and a kernel for each place of it.

    Args:
        filters: the number of output channels.
        kernel_size: the size of the window; an int for all axes, or one an axis.
        strides: the stride.
        padding: 'valid'; 'same' too with implementation 2 or 3.
        data_format: 'channels_last' or 'channels_first'; the global setting if None.
        activation: a function or its name; by default none.
        use_bias: whether there is a bias, which differs from place to place too.
        kernel_initializer, bias_initializer: initializers of the weights.
        kernel_regularizer, bias_regularizer: penalties on them, added to the losses.
        activity_regularizer: a penalty on the output, added to the losses.
        kernel_constraint, bias_constraint: functions applied to them after each update.
        implementation: how the kernel is kept. 1: a matrix for each place. 2: from every cell of the input to
            every one of the output, zero outside the windows, for small inputs. 3: the weights inside the windows
            alone, in one vector, for large inputs and few places.
        **kwargs: see `Layer`.
    """

    rank: ClassVar[int]

    def __init__(
        self,
        filters: int,
        kernel_size: WindowSizes,
        strides: WindowSizes = 1,
        padding: str = "valid",
        data_format: str | None = None,
        activation: ActivationLike = None,
        use_bias: bool = True,
        kernel_initializer: InitializerLike = "glorot_uniform",
        bias_initializer: InitializerLike = "zeros",
        kernel_regularizer: RegularizerLike = None,
        bias_regularizer: RegularizerLike = None,
        activity_regularizer: RegularizerLike = None,
        kernel_constraint: ConstraintLike = None,
        bias_constraint: ConstraintLike = None,
        implementation: int = 1,
        **kwargs: Any,
    ) -> None:
        super().__init__(activity_regularizer=activity_regularizer, **kwargs)
        self.filters = filters
        self.kernel_size = window_args.read_sizes(kernel_size, self.rank, "kernel_size")
        self.strides = window_args.read_sizes(strides, self.rank, "strides")
        self.padding = window_args.read_padding(padding, allow_causal=False)
        if self.padding != "valid" and implementation == 1:
            raise ValueError(
                f'Invalid border mode for {type(self).__name__} (only "valid" is supported if implementation is 1): '
                f"{padding}. Pass implementation=2 or 3."
            )
        if implementation not in (1, 2, 3):
            raise ValueError(f"Unrecognized implementation mode: {implementation}. Expected 1, 2 or 3.")
        self.data_format = window_args.read_data_format(data_format)
        self.activation = activations.get(activation)
        self.use_bias = use_bias
        self.kernel_initializer = initializers.get(kernel_initializer)
        self.bias_initializer = initializers.get(bias_initializer)
        self.kernel_regularizer = regularizers.get(kernel_regularizer)
        self.bias_regularizer = regularizers.get(bias_regularizer)
        self.kernel_constraint = constraints.get(kernel_constraint)
        self.bias_constraint = constraints.get(bias_constraint)
        self.implementation = implementation
        self.input_spec = InputSpec(ndim=self.rank + 2)
        self.bias: Any = None

    @property
    def _is_channels_first(self) -> bool:
        return self.data_format == "channels_first"

    def build(self, input_shape: InputShape) -> None:
        _, spatial, channels = window_args.parts_of(input_shape, self.rank, self.data_format)
        sizes = [d for d in (*spatial, channels) if d is not None]
        if len(sizes) != self.rank + 1:
            raise ValueError(
                f"The spatial dimensions of the inputs to a {type(self).__name__} layer, and its channels, should be "
                f"fully-defined, but layer received an input shape {tuple(input_shape)}. Every place of the window "
                "has weights of its own, so their number must be known."
            )
        inner, depth = tuple(sizes[:-1]), sizes[-1]
        outer = self._places(spatial, input_shape)
        self.kernel = self.add_weight(
            "kernel",
            shape=self._prepared(inner, depth, outer),
            initializer=self.kernel_initializer,
            regularizer=self.kernel_regularizer,
            constraint=self.kernel_constraint,
        )
        if self.use_bias:
            self.bias = self.add_weight(
                "bias",
                shape=(*outer, self.filters),
                initializer=self.bias_initializer,
                regularizer=self.bias_regularizer,
                constraint=self.bias_constraint,
            )
        self._outer = outer
        self.input_spec = InputSpec(ndim=self.rank + 2, axes={1 if self._is_channels_first else -1: depth})
        self.built = True

    def _places(self, spatial: Any, input_shape: InputShape) -> tuple[Any, ...]:
        ones = (1,) * self.rank
        lengths = window_args.slid_lengths(spatial, self.kernel_size, self.strides, self.padding, ones)
        if any(length is not None and length <= 0 for length in lengths):
            raise ValueError(
                f"One of the dimensions in the output is <= 0 due to downsampling in {self.name}. Consider increasing "
                f"the input size. Received input shape {tuple(input_shape)} which would produce output shape with a "
                "zero or negative value in a dimension."
            )
        return lengths

    def _prepared(self, inner: tuple[int, ...], depth: int, outer: tuple[int, ...]) -> window_args.Shape:
        """The shape of the kernel; what else `call` needs to know of the windows is kept."""
        if self.implementation == 1:
            return (math.prod(outer), math.prod(self.kernel_size) * depth, self.filters)
        seen = self._seen(inner, outer)
        if self.implementation == 2:
            channels = (0, self.rank + 1) if self._is_channels_first else (self.rank, 2 * self.rank + 1)
            self._mask = np.expand_dims(seen, channels)
            return (
                *window_args.shape_from((), inner, depth, self.data_format),
                *window_args.shape_from((), outer, self.filters, self.data_format),
            )
        self._links = self._all_links(seen.reshape(math.prod(inner), math.prod(outer)), depth)
        return (len(self._links),)

    def _seen(self, inner: tuple[int, ...], outer: tuple[int, ...]) -> np.ndarray:
        """Which cells of the input each place of the window sees: booleans over (*inner, *outer)."""
        found = np.zeros((*inner, *outer), bool)
        for place in itertools.product(*map(range, outer)):
            window = []
            for at, size, stride, length in zip(place, self.kernel_size, self.strides, inner, strict=True):
                # With 'same' the middle of the window is on the cell: what hangs over the edge is cut off.
                start = at * stride - (size // 2 if self.padding == "same" else 0)
                window.append(slice(max(0, start), min(length, start + size)))
            found[(*window, *place)] = True
        return found

    def _all_links(self, seen: np.ndarray, depth: int) -> np.ndarray:
        """(output, input) for each weight, as numbers of cells of the flattened sample, in order."""
        cells, places = np.nonzero(seen)
        filters, channels = np.arange(self.filters)[None, :, None], np.arange(depth)[None, None, :]
        cells, places = cells[:, None, None], places[:, None, None]
        if self._is_channels_first:
            outputs, inputs = filters * seen.shape[1] + places, channels * seen.shape[0] + cells
        else:
            outputs, inputs = places * self.filters + filters, cells * depth + channels
        links = np.stack(np.broadcast_arrays(outputs, inputs), -1).reshape(-1, 2)
        return links[np.lexsort((links[:, 1], links[:, 0]))]

    def call(self, inputs: Tensor) -> Tensor:
        if self.implementation == 1:
            outputs = local_conv(
                inputs, self.kernel, self.kernel_size, self.strides, self._outer, self.data_format
            )
        else:
            flat = tf.reshape(inputs, (tf.shape(inputs)[0], -1))
            made = self._masked_product(flat) if self.implementation == 2 else self._sparse_product(flat)
            shape = window_args.shape_from((-1,), self._outer, self.filters, self.data_format)
            outputs = tf.reshape(made, shape)
        if self.bias is not None:
            outputs = bias_add(outputs, self.bias, self.data_format)
        return outputs if self.activation is activations.linear else self.activation(outputs)

    def _masked_product(self, flat: Any) -> Any:
        kernel = self.kernel * tf.cast(self._mask, self.compute_dtype)
        return flat @ tf.reshape(kernel, (flat.shape[1], -1))

    def _sparse_product(self, flat: Any) -> Tensor:
        outputs, inputs = self._links.T
        terms = tf.transpose(tf.gather(flat, inputs, axis=1) * self.kernel)
        count = math.prod(self._outer) * self.filters
        return tf.transpose(tf.math.unsorted_segment_sum(terms, outputs, count))

    def compute_output_shape(self, input_shape: InputShape) -> TensorShape:
        leading, spatial, _ = window_args.parts_of(input_shape, self.rank, self.data_format)
        lengths = self._places(spatial, input_shape)
        return tf.TensorShape(window_args.shape_from(leading, lengths, self.filters, self.data_format))

    def get_config(self) -> dict[str, Any]:
        return {
            **super().get_config(),
            "filters": self.filters,
            "kernel_size": self.kernel_size,
            "strides": self.strides,
            "padding": self.padding,
            "data_format": self.data_format,
            "activation": activations.serialize(self.activation),
            "use_bias": self.use_bias,
            "kernel_initializer": initializers.serialize(self.kernel_initializer),
            "bias_initializer": initializers.serialize(self.bias_initializer),
            "kernel_regularizer": regularizers.serialize(self.kernel_regularizer),
            "bias_regularizer": regularizers.serialize(self.bias_regularizer),
            "activity_regularizer": regularizers.serialize(self.activity_regularizer),
            "kernel_constraint": constraints.serialize(self.kernel_constraint),
            "bias_constraint": constraints.serialize(self.bias_constraint),
            "implementation": self.implementation,
        }


class LocallyConnected1D(LocallyConnected):
    """A convolution over time with separate weights at each position; see `LocallyConnected`.

    >>> tf.keras.layers.LocallyConnected1D(4, 3)(tf.zeros((2, 8, 5))).shape
    TensorShape([2, 6, 4])
    """

    rank = 1
    _knows_output_shape: ClassVar[bool] = True


class LocallyConnected2D(LocallyConnected):
    """A convolution over images with separate weights at each position; see `LocallyConnected`.

    >>> tf.keras.layers.LocallyConnected2D(4, 3, strides=2)(tf.zeros((2, 8, 8, 3))).shape
    TensorShape([2, 3, 3, 4])
    """

    rank = 2
    _knows_output_shape: ClassVar[bool] = True
