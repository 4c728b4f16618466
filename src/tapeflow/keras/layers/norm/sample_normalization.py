"""Normalisation of each sample by itself: `LayerNormalization`, `GroupNormalization`, `UnitNormalization`."""

from __future__ import annotations

from typing import Any, ClassVar

import tapeflow as tf
from tapeflow.engine.values.shape import TensorShape
from tapeflow.engine.values.tensor import Tensor
from tapeflow.keras.annotations import AxisLike, ConstraintLike, InitializerLike, InputShape, RegularizerLike
from tapeflow.keras.layers.base.input_spec import InputSpec
from tapeflow.keras.layers.base.layer import Layer
from tapeflow.keras.layers.norm.normalization_base import (
    NormalizationLayer,
    axes_of,
    read_axis_argument,
    sizes_on,
)
from tapeflow.ops.nn.norm.layer_norm import group_norm_op, layer_norm_op


class LayerNormalization(NormalizationLayer):
    """Normalize each sample to mean 0 and variance 1 over `axis`, then scale and shift.

    Args:
        axis: the axis, or axes, to take the moments over; `gamma` and `beta` have their sizes.
        epsilon: a small number that keeps the root from 0.
        center, scale: whether there is an offset `beta`, and a factor `gamma`.
        beta_initializer, gamma_initializer: initializers of the weights.
        beta_regularizer, gamma_regularizer: penalties on them, added to the losses.
        beta_constraint, gamma_constraint: functions applied to them after each update.
        **kwargs: see `Layer`.
    """

    _knows_output_shape: ClassVar[bool] = True

    def __init__(
        self,
        axis: AxisLike = -1,
        epsilon: float = 1e-3,
        center: bool = True,
        scale: bool = True,
        beta_initializer: InitializerLike = "zeros",
        gamma_initializer: InitializerLike = "ones",
        beta_regularizer: RegularizerLike = None,
        gamma_regularizer: RegularizerLike = None,
        beta_constraint: ConstraintLike = None,
        gamma_constraint: ConstraintLike = None,
        **kwargs: Any,
    ) -> None:
        super().__init__(
            epsilon,
            center,
            scale,
            beta_initializer,
            gamma_initializer,
            beta_regularizer,
            gamma_regularizer,
            beta_constraint,
            gamma_constraint,
            **kwargs,
        )
        self.axis = read_axis_argument(axis)

    def build(self, input_shape: InputShape) -> None:
        shape = tuple(input_shape)
        self.axis = axes_of(self.axis, shape)
        self._parameters = self._add_scale_and_offset(tuple(sizes_on(self.axis, shape).values()))
        self._statics = {
            "axes": tuple(self.axis),
            "epsilon": float(self.epsilon),
            "has_scale": self.scale,
            "has_offset": self.center,
        }
        self.built = True

    def call(self, inputs: Tensor | tf.RaggedTensor) -> Tensor:
        if not inputs.dtype.is_floating:
            inputs = tf.cast(inputs, self.compute_dtype)
        if isinstance(inputs, tf.RaggedTensor):
            dense = self.call(inputs.to_tensor())
            return tf.RaggedTensor.from_tensor(dense, lengths=inputs.row_lengths())
        return layer_norm_op(inputs, *self._parameters, **self._statics)

    def get_config(self) -> dict[str, Any]:
        return {**super().get_config(), "axis": self.axis}


class GroupNormalization(NormalizationLayer):
    """Normalize each group of channels of each sample to mean 0 and variance 1, then scale and shift.

    Args:
        groups: how many groups the channels are divided into; -1 for each channel by itself.
        axis: the axis of the channels.
        epsilon, center, scale: as in `LayerNormalization`.
        beta_initializer, gamma_initializer: initializers of the weights.
        beta_regularizer, gamma_regularizer: penalties on them, added to the losses.
        beta_constraint, gamma_constraint: functions applied to them after each update.
        **kwargs: see `Layer`.
    """

    _knows_output_shape: ClassVar[bool] = True

    def __init__(
        self,
        groups: int = 32,
        axis: int = -1,
        epsilon: float = 1e-3,
        center: bool = True,
        scale: bool = True,
        beta_initializer: InitializerLike = "zeros",
        gamma_initializer: InitializerLike = "ones",
        beta_regularizer: RegularizerLike = None,
        gamma_regularizer: RegularizerLike = None,
        beta_constraint: ConstraintLike = None,
        gamma_constraint: ConstraintLike = None,
        **kwargs: Any,
    ) -> None:
        super().__init__(
            epsilon,
            center,
            scale,
            beta_initializer,
            gamma_initializer,
            beta_regularizer,
            gamma_regularizer,
            beta_constraint,
            gamma_constraint,
            **kwargs,
        )
        self.groups = groups
        self.axis = axis

    def build(self, input_shape: InputShape) -> None:
        shape = tuple(input_shape)
        (axis,) = axes_of(self.axis, shape)
        size = shape[axis]
        if size is None:
            raise ValueError(
                f"Axis {self.axis} of input tensor should have a defined dimension but the layer received an "
                f"input with shape {shape}."
            )
        if self.groups == -1:
            self.groups = size
        if size < self.groups:
            raise ValueError(
                f"Number of groups ({self.groups}) cannot be more than the number of channels ({size})."
            )
        if size % self.groups:
            raise ValueError(
                f"Number of groups ({self.groups}) must be a multiple of the number of channels ({size})."
            )
        self.input_spec = InputSpec(ndim=len(shape), axes={axis: size})
        self._parameters = self._add_scale_and_offset((size,))
        self._statics = {
            "axis": axis,
            "groups": self.groups,
            "epsilon": float(self.epsilon),
            "has_scale": self.scale,
            "has_offset": self.center,
        }
        self.built = True

    def call(self, inputs: Tensor, mask: Tensor | None = None) -> Tensor:
        rest = self._parameters if mask is None else [*self._parameters, mask]
        return group_norm_op(inputs, *rest, **self._statics, has_mask=mask is not None)

    def get_config(self) -> dict[str, Any]:
        return {**super().get_config(), "groups": self.groups, "axis": self.axis}


class UnitNormalization(Layer):
    """Scale each sample to length 1 along `axis`.

    Args:
        axis: the axis, or axes, to take the length over.
        **kwargs: see `Layer`.
    """

    _knows_output_shape: ClassVar[bool] = True

    def __init__(self, axis: AxisLike = -1, **kwargs: Any) -> None:
        super().__init__(**kwargs)
        if not isinstance(axis, (int, list, tuple)):
            raise TypeError(
                "Invalid value for `axis` argument: expected an int or a list/tuple of ints. Received: "
                f"axis={axis}"
            )
        self.axis = list(axis) if isinstance(axis, (list, tuple)) else axis
        self.supports_masking = True

    def build(self, input_shape: InputShape) -> None:
        axes_of(self.axis, tuple(input_shape))
        self.built = True

    def call(self, inputs: Tensor) -> Tensor:
        if not inputs.dtype.is_floating:
            inputs = tf.cast(inputs, self.compute_dtype)
        return tf.math.l2_normalize(inputs, axis=self.axis)

    def compute_output_shape(self, input_shape: InputShape) -> TensorShape:
        return tf.TensorShape(input_shape)

    def get_config(self) -> dict[str, Any]:
        return {**super().get_config(), "axis": self.axis}
