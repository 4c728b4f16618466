"""Batch renormalisation: what `BatchNormalization(renorm=True)` does in training.

The moments of a batch are corrected towards their moving averages, by a factor and an offset through which no
gradient goes, so that training sees about what inference will.
"""

from __future__ import annotations

from typing import Any

import numpy as np

import tapeflow as tf
from tapeflow.engine.values.annotations import DTypeLike, ShapeLike
from tapeflow.engine.values.tensor import Tensor
from tapeflow.engine.values.variable import Variable

_BOUNDS = ("rmax", "rmin", "dmax")


class Renormalization:
    """The bounds and the pace of the correction.

    Args:
        clipping: 'rmin' and 'rmax', bounds of the factor, and 'dmax', that of the offset's size.
        momentum: how much of the averages that batches are corrected towards stays at each step.
    """

    def __init__(self, clipping: dict[str, Any] | None, momentum: float) -> None:
        self.clipping = dict(clipping or {})
        self.momentum = momentum
        if set(self.clipping) - set(_BOUNDS):
            raise ValueError(
                f"Received invalid keys for `renorm_clipping` argument: {clipping}. Supported values: {list(_BOUNDS)}."
            )

    def add_weights(self, layer: Any, shape: ShapeLike, dtype: Any) -> None:
        """Make the layer's averages; those of the deviation begin with the root of the variance."""

        def root(sizes: tuple[int, ...], dtype: DTypeLike | None = None) -> Tensor:
            return tf.sqrt(layer.moving_variance_initializer(sizes, dtype=dtype))

        for name in ("moving_stddev", "renorm_mean", "renorm_stddev"):
            initializer = layer.moving_mean_initializer if name == "renorm_mean" else root
            weight = layer.add_weight(
                name, shape, dtype, initializer, trainable=False, experimental_autocast=False
            )
            setattr(layer, name, weight)

    def __call__(self, layer: Any, inputs: Tensor, mask: np.ndarray | None) -> Any:
        """The layer's outputs for a batch of training; its averages move on."""
        x = tf.cast(inputs, layer.moving_mean.dtype)
        rest = [axis for axis in range(len(x.shape)) if axis not in layer.axis]
        weights = None if mask is None else tf.cast(mask, x.dtype)[..., None]
        if weights is None:
            mean, variance = tf.nn.moments(x, rest, keepdims=True)
        else:
            mean, variance = tf.nn.weighted_moments(x, rest, weights, keepdims=True)
        shape = layer.moving_mean.shape
        mean_now, stddev = tf.reshape(mean, shape), tf.sqrt(tf.reshape(variance, shape) + layer.epsilon)
        factor, offset = self._correction(layer, mean_now, stddev)
        _move(layer.renorm_mean, mean_now, self.momentum)
        _move(layer.renorm_stddev, stddev, self.momentum)
        _move(layer.moving_mean, mean_now, layer.momentum)
        _move(layer.moving_stddev, stddev, layer.momentum)
        # Never negative, though the deviation's average began elsewhere.
        layer.moving_variance.assign(tf.nn.relu(layer.moving_stddev * layer.moving_stddev - layer.epsilon))
        if layer.gamma is not None:
            factor, offset = factor * layer.gamma, offset * layer.gamma
        if layer.beta is not None:
            offset = offset + layer.beta
        factor, offset = tf.reshape(factor, mean.shape), tf.reshape(offset, mean.shape)
        outputs = tf.nn.batch_normalization(x, mean, variance, offset, factor, layer.epsilon)
        return tf.cast(outputs, inputs.dtype)

    def _correction(self, layer: Any, mean: Tensor, stddev: Tensor) -> tuple[Any, Any]:
        known = tf.maximum(layer.renorm_stddev, float(layer.epsilon) ** 0.5)
        factor, offset = stddev / known, (mean - layer.renorm_mean) / known
        lowest, highest, furthest = (self.clipping.get(k) for k in ("rmin", "rmax", "dmax"))
        if lowest is not None:
            factor = tf.maximum(factor, lowest)
        if highest is not None:
            factor = tf.minimum(factor, highest)
        if furthest is not None:
            offset = tf.clip_by_value(offset, -furthest, furthest)
        return tf.stop_gradient(factor), tf.stop_gradient(offset)


def _move(average: Variable, value: Tensor, momentum: float) -> None:
    average.assign_sub((average - value) * (1.0 - momentum))
