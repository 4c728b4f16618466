"""`SpectralNormalization`: a layer whose kernel is kept from stretching anything by more than about 1."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import tapeflow as tf
from tapeflow.engine.values.shape import TensorShape
from tapeflow.engine.values.tensor import Tensor
from tapeflow.keras.annotations import InputShape
from tapeflow.keras.layers.general.wrapper import Wrapper

if TYPE_CHECKING:
    from tapeflow.keras.layers.base.layer import Layer


class SpectralNormalization(Wrapper):
    """Divides the kernel of a layer by its largest singular value, estimated step by step in training.

    Args:
        layer: a layer with a `kernel` or `embeddings`.
        power_iterations: how often to improve the estimate at each call in training.
        **kwargs: see `Layer`.

    >>> layer = tf.keras.layers.SpectralNormalization(tf.keras.layers.Dense(3))
    >>> layer(tf.zeros((2, 4))).shape
    TensorShape([2, 3])
    """

    def __init__(self, layer: Layer, power_iterations: int = 1, **kwargs: Any) -> None:
        super().__init__(layer, **kwargs)
        if power_iterations <= 0:
            raise ValueError(
                "`power_iterations` should be greater than zero. Received: `power_iterations="
                f"{power_iterations}`"
            )
        self.power_iterations = power_iterations

    def build(self, input_shape: InputShape | None = None) -> None:
        super().build(input_shape)
        kernel: Any = getattr(self.layer, "kernel", None)
        if kernel is None:
            kernel = getattr(self.layer, "embeddings", None)
        if kernel is None:
            raise ValueError(f"{type(self.layer).__name__} object has no attribute 'kernel' nor 'embeddings'")
        self.kernel: Any = kernel
        self.vector_u = self.add_weight(
            "vector_u",
            shape=(1, self.kernel.shape[-1]),
            initializer=tf.keras.initializers.TruncatedNormal(stddev=0.02),
            trainable=False,
            dtype=self.kernel.dtype,
        )

    def call(self, inputs: Tensor, training: bool | None = None) -> Tensor:
        if training:
            self.normalize_weights()
        return self.layer(inputs)

    def normalize_weights(self) -> None:
        """Improve the estimate and divide the kernel by it."""
        weights = tf.reshape(self.kernel, [-1, self.kernel.shape[-1]])
        u = tf.convert_to_tensor(self.vector_u)
        v = u
        for _ in range(self.power_iterations):
            v = tf.math.l2_normalize(tf.matmul(u, weights, transpose_b=True))
            u = tf.math.l2_normalize(tf.matmul(v, weights))
        u, v = tf.stop_gradient(u), tf.stop_gradient(v)
        sigma = tf.matmul(tf.matmul(v, weights), u, transpose_b=True)
        self.vector_u.assign(u)
        self.kernel.assign(tf.reshape(self.kernel / sigma, self.kernel.shape))

    def compute_output_shape(self, input_shape: InputShape) -> TensorShape:
        return self.layer.compute_output_shape(input_shape)

    def get_config(self) -> dict[str, Any]:
        return {**super().get_config(), "power_iterations": self.power_iterations}
