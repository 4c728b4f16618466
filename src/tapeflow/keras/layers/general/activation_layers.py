"""Activations with parameters, as layers: `ReLU`, `LeakyReLU`, `PReLU`, `ELU`, `ThresholdedReLU`, `Softmax`."""

from __future__ import annotations

from typing import Any

import tapeflow as tf
from tapeflow.engine.values.shape import TensorShape
from tapeflow.engine.values.tensor import Tensor
from tapeflow.keras import activations, constraints, initializers, regularizers
from tapeflow.keras.annotations import AxisLike, ConstraintLike, InitializerLike, InputShape, RegularizerLike
from tapeflow.keras.layers.base.input_spec import InputSpec
from tapeflow.keras.layers.base.layer import Layer


class _ShapeKeepingLayer(Layer):
    """A layer that works element by element, so that masks and shapes pass."""

    def __init__(self, **kwargs: Any) -> None:
        super().__init__(**kwargs)
        self.supports_masking = True

    def compute_output_shape(self, input_shape: InputShape) -> TensorShape:
        return tf.TensorShape(input_shape)


class ReLU(_ShapeKeepingLayer):
    """x above `threshold`, at most `max_value`, and `negative_slope * (x - threshold)` below.

    Args:
        max_value: the largest output; none unless given.
        negative_slope: the slope below the threshold.
        threshold: where the line begins.
        **kwargs: see `Layer`.
    """

    def __init__(
        self,
        max_value: float | None = None,
        negative_slope: float = 0.0,
        threshold: float = 0.0,
        **kwargs: Any,
    ) -> None:
        super().__init__(**kwargs)
        if max_value is not None and max_value < 0:
            raise ValueError(f"max_value of a ReLU layer cannot be a negative value. Received: {max_value}")
        if negative_slope is None or negative_slope < 0:
            raise ValueError(
                f"negative_slope of a ReLU layer cannot be a negative value. Received: {negative_slope}"
            )
        if threshold is None or threshold < 0:
            raise ValueError(f"threshold of a ReLU layer cannot be a negative value. Received: {threshold}")
        self.max_value = None if max_value is None else float(max_value)
        self.negative_slope = float(negative_slope)
        self.threshold = float(threshold)

    def call(self, inputs: Tensor) -> Tensor:
        return activations.relu(
            inputs, alpha=self.negative_slope, max_value=self.max_value, threshold=self.threshold
        )

    def get_config(self) -> dict[str, Any]:
        return {
            **super().get_config(),
            "max_value": self.max_value,
            "negative_slope": self.negative_slope,
            "threshold": self.threshold,
        }


class LeakyReLU(_ShapeKeepingLayer):
    """x above 0 and `alpha * x` below.

    Args:
        alpha: the slope below 0.
        negative_slope: the same under Keras 3's name.
        **kwargs: see `Layer`.
    """

    def __init__(self, alpha: float = 0.3, *, negative_slope: float | None = None, **kwargs: Any) -> None:
        super().__init__(**kwargs)
        slope = alpha if negative_slope is None else negative_slope
        if slope is None:
            raise ValueError(
                f"The alpha value of a Leaky ReLU layer cannot be None, Expecting a float. Received: {slope}"
            )
        self.alpha = float(slope)

    @property
    def negative_slope(self) -> float:
        """`alpha`, under Keras 3's name."""
        return self.alpha

    def call(self, inputs: Tensor) -> Tensor:
        return activations.relu(inputs, alpha=self.alpha)

    def get_config(self) -> dict[str, Any]:
        return {**super().get_config(), "alpha": self.alpha}


class PReLU(_ShapeKeepingLayer):
    """x above 0 and `alpha * x` below, with `alpha` learned.

    Args:
        alpha_initializer, alpha_regularizer, alpha_constraint: of the slopes.
        shared_axes: the axes along which there is one slope, such as [1, 2] for images; each element has its
            own otherwise.
        **kwargs: see `Layer`.
    """

    def __init__(
        self,
        alpha_initializer: InitializerLike = "zeros",
        alpha_regularizer: RegularizerLike = None,
        alpha_constraint: ConstraintLike = None,
        shared_axes: Any = None,
        **kwargs: Any,
    ) -> None:
        super().__init__(**kwargs)
        self.alpha_initializer = initializers.get(alpha_initializer)
        self.alpha_regularizer = regularizers.get(alpha_regularizer)
        self.alpha_constraint = constraints.get(alpha_constraint)
        if shared_axes is None or isinstance(shared_axes, (list, tuple)):
            self.shared_axes = None if shared_axes is None else list(shared_axes)
        else:
            self.shared_axes = [shared_axes]

    def build(self, input_shape: InputShape) -> None:
        sizes = list(input_shape)
        shared = self.shared_axes or []
        self.alpha = self.add_weight(
            "alpha",
            shape=[1 if a in shared else sizes[a] for a in range(1, len(sizes))],
            initializer=self.alpha_initializer,
            regularizer=self.alpha_regularizer,
            constraint=self.alpha_constraint,
        )
        own = {a: sizes[a] for a in range(1, len(sizes)) if shared and a not in shared}
        self.input_spec = InputSpec(ndim=len(sizes), axes=own)
        self.built = True

    def call(self, inputs: Tensor) -> Tensor:
        return tf.nn.relu(inputs) - self.alpha * tf.nn.relu(-inputs)

    def get_config(self) -> dict[str, Any]:
        return {
            **super().get_config(),
            "alpha_initializer": initializers.serialize(self.alpha_initializer),
            "alpha_regularizer": regularizers.serialize(self.alpha_regularizer),
            "alpha_constraint": constraints.serialize(self.alpha_constraint),
            "shared_axes": self.shared_axes,
        }


class ELU(_ShapeKeepingLayer):
    """x above 0 and `alpha * (exp(x) - 1)` below.

    Args:
        alpha: where it goes to far below 0, with the sign changed.
        **kwargs: see `Layer`.
    """

    def __init__(self, alpha: float = 1.0, **kwargs: Any) -> None:
        super().__init__(**kwargs)
        if alpha is None:
            raise ValueError(f"Alpha of an ELU layer cannot be None, expecting a float. Received: {alpha}")
        self.alpha = float(alpha)

    def call(self, inputs: Tensor) -> Tensor:
        return activations.elu(inputs, self.alpha)

    def get_config(self) -> dict[str, Any]:
        return {**super().get_config(), "alpha": self.alpha}


class ThresholdedReLU(_ShapeKeepingLayer):
    """x above `theta` and 0 elsewhere.

    Args:
        theta: the threshold.
        **kwargs: see `Layer`.
    """

    def __init__(self, theta: float = 1.0, **kwargs: Any) -> None:
        super().__init__(**kwargs)
        if theta is None:
            raise ValueError(
                f"Theta of a Thresholded ReLU layer cannot be None, expecting a float. Received: {theta}"
            )
        if theta < 0:
            raise ValueError(f"The theta value of a Thresholded ReLU layer should be >=0. Received: {theta}")
        self.theta = float(theta)

    def call(self, inputs: Tensor) -> Tensor:
        return inputs * tf.cast(inputs > self.theta, inputs.dtype)

    def get_config(self) -> dict[str, Any]:
        return {**super().get_config(), "theta": self.theta}


class Softmax(_ShapeKeepingLayer):
    """exp(x) divided by its sum along `axis`.

    Args:
        axis: the axis, or several.
        robust_masking: replace masked inputs; otherwise a large number is subtracted from them.
        **kwargs: see `Layer`.
    """

    def __init__(self, axis: AxisLike = -1, robust_masking: bool = False, **kwargs: Any) -> None:
        super().__init__(**kwargs)
        self.axis = axis
        self.robust_masking = robust_masking

    def call(self, inputs: Tensor, mask: Tensor | None = None) -> Tensor:
        if mask is not None:
            inputs = self._without(inputs, mask)
        axes = [self.axis] if isinstance(self.axis, int) else list(self.axis)
        if len(axes) == 1:
            return activations.softmax(inputs, axis=axes[0])
        return tf.exp(inputs - tf.reduce_logsumexp(inputs, axis=axes, keepdims=True))

    def _without(self, inputs: Tensor, mask: Tensor) -> Tensor:
        """The inputs with masked ones far below the others."""
        # Half the smallest float16, so that adding it does not overflow.
        low = tf.float16.min / 2.0 if inputs.dtype == tf.float16 else -1e9
        mask = tf.convert_to_tensor(mask)
        if not self.robust_masking:
            return inputs + (1.0 - tf.cast(mask, inputs.dtype)) * low
        is_kept = mask if mask.dtype == tf.bool else mask > 0.5
        return tf.where(is_kept, inputs, tf.cast(low, inputs.dtype))

    def get_config(self) -> dict[str, Any]:
        config = {**super().get_config(), "axis": self.axis}
        return {**config, "robust_masking": True} if self.robust_masking else config
