"""What `BatchNormalization(virtual_batch_size=...)` does: each few samples of a batch have moments of their own."""

from __future__ import annotations

from typing import Any

import tapeflow as tf


class VirtualBatches:
    """Batches of a fixed size inside a batch, whose moments are taken apart ("ghost batches").

    Sample `i` of a batch of `n * size` belongs to virtual batch `i % n`, as in Keras. Masks are not looked at.

    Args:
        size: the samples of a virtual batch; it divides the size of a batch in training.
    """

    def __init__(self, size: int) -> None:
        self.size = size

    @staticmethod
    def weight_shape(sizes: dict[int, int], rank: int) -> tuple[int, ...]:
        """The shape of the layer's weights: an axis of virtual batches stands behind that of samples."""
        shape = [sizes.get(axis, 1) for axis in range(rank)]
        return (shape[0], 1, *shape[1:])

    def __call__(self, layer: Any, inputs: Any, is_training: bool) -> Any:
        """The layer's outputs; its averages move by the mean of the virtual batches' moments."""
        shape = tf.shape(inputs)
        split = [self.size, -1] if is_training else [-1, 1]
        x = tf.reshape(tf.cast(inputs, layer.moving_mean.dtype), tf.concat([split, shape[1:]], axis=0))
        mean, variance = layer.moving_mean, layer.moving_variance
        if is_training:
            kept = {1, *(axis + 1 for axis in layer.axis)}
            mean, variance = tf.nn.moments(
                x, [a for a in range(len(x.shape)) if a not in kept], keepdims=True
            )
            for average, value in ((layer.moving_mean, mean), (layer.moving_variance, variance)):
                now = tf.reduce_mean(value, axis=1, keepdims=True)
                average.assign_sub((average - now) * (1.0 - layer.momentum))
        outputs = tf.nn.batch_normalization(x, mean, variance, layer.beta, layer.gamma, layer.epsilon)
        return tf.cast(tf.reshape(outputs, shape), inputs.dtype)
