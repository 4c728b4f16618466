"""`RandomFourierFeatures`: a random projection in which a linear model acts as a kernel method."""

from __future__ import annotations

import math
from typing import Any, ClassVar

import tapeflow as tf
from tapeflow.engine.values.annotations import DTypeLike, StaticShape
from tapeflow.engine.values.shape import TensorShape
from tapeflow.engine.values.tensor import Tensor
from tapeflow.keras import initializers
from tapeflow.keras.annotations import InitializerLike, InputShape
from tapeflow.keras.layers.base.input_spec import InputSpec
from tapeflow.keras.layers.base.layer import Layer

_KERNELS = ("gaussian", "laplacian")


class RandomFourierFeatures(Layer):
    """Cosines of random projections; their scalar products approach a kernel of the inputs' difference.

    Args:
        output_dim: how many features there are.
        kernel_initializer: "gaussian" for `exp(-|x - y|^2 / (2 scale^2))`, "laplacian" for
            `exp(-|x - y| / scale)`, or an initializer that draws the projections.
        scale: the scale of the kernel; unless given `sqrt(inputs / 2)` for a Gaussian one, else 1.
        trainable: whether the scale is learnt.
        name: of the layer.
        **kwargs: see `Layer`.
    """

    _knows_output_shape: ClassVar[bool] = True

    def __init__(
        self,
        output_dim: int,
        kernel_initializer: InitializerLike = "gaussian",
        scale: float | None = None,
        trainable: bool = False,
        name: str | None = None,
        **kwargs: Any,
    ) -> None:
        if output_dim <= 0:
            raise ValueError(f"`output_dim` should be a positive integer. Received: {output_dim}")
        if isinstance(kernel_initializer, str) and kernel_initializer.lower() not in _KERNELS:
            raise ValueError(
                f"Unsupported `kernel_initializer`: {kernel_initializer} Expected one of: {_KERNELS}"
            )
        if scale is not None and scale <= 0.0:
            raise ValueError(f"When provided, `scale` should be a positive float. Received: {scale}")
        super().__init__(trainable=trainable, name=name, **kwargs)
        self.output_dim = output_dim
        named = isinstance(kernel_initializer, str)
        self.kernel_initializer = kernel_initializer if named else initializers.get(kernel_initializer)
        self.scale = scale

    def _is(self, kernel: str) -> bool:
        return isinstance(self.kernel_initializer, str) and self.kernel_initializer.lower() == kernel

    def build(self, input_shape: InputShape) -> None:
        shape = tf.TensorShape(input_shape)
        size = _size_of(shape)
        self.input_spec = InputSpec(ndim=2, axes={1: size})
        initializer = self.kernel_initializer
        if self._is("gaussian"):
            initializer = initializers.RandomNormal(stddev=1.0)
        elif self._is("laplacian"):
            initializer = _cauchy
        self.unscaled_kernel = self.add_weight(
            "unscaled_kernel",
            shape=(size, self.output_dim),
            dtype="float32",
            initializer=initializer,
            trainable=False,
        )
        self.bias = self.add_weight(
            "bias",
            shape=(self.output_dim,),
            dtype="float32",
            initializer=initializers.RandomUniform(0.0, 2 * math.pi),
            trainable=False,
        )
        if self.scale is None:
            self.scale = math.sqrt(size / 2.0) if self._is("gaussian") else 1.0
        self.kernel_scale = self.add_weight(
            "kernel_scale",
            shape=(1,),
            dtype="float32",
            initializer=initializers.Constant(self.scale),
            constraint="NonNeg",
        )
        self.built = True

    def call(self, inputs: Tensor) -> Tensor:
        kernel = (1.0 / self.kernel_scale) * self.unscaled_kernel
        return tf.cos(tf.cast(inputs, kernel.dtype) @ kernel + self.bias)

    def compute_output_shape(self, input_shape: InputShape) -> TensorShape:
        shape = tf.TensorShape(input_shape)
        _size_of(shape)
        return tf.TensorShape((shape[0], self.output_dim))

    def get_config(self) -> dict[str, Any]:
        known = self.kernel_initializer
        return {
            **super().get_config(),
            "output_dim": self.output_dim,
            "kernel_initializer": known if isinstance(known, str) else initializers.serialize(known),
            "scale": self.scale,
        }


def _size_of(shape: Any) -> int:
    if shape.rank != 2:
        raise ValueError(
            f"The rank of the input tensor should be 2. Received input with rank {shape.rank} instead. Full input "
            f"shape received: {tuple(shape)}"
        )
    if shape[1] is None:
        raise ValueError(
            "The last dimension of the input tensor should be defined. Found `None`. Full input shape received: "
            f"{tuple(shape)}"
        )
    return shape[1]


def _cauchy(shape: StaticShape, dtype: DTypeLike | None = None, **kwargs: Any) -> Tensor:
    """The projections of a Laplacian kernel."""
    return tf.tan(math.pi * tf.random.uniform(shape, -0.5, 0.5, dtype or tf.float32))
