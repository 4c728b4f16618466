"""What EfficientNets of both kinds are made of: blocks that widen, weigh their channels, and narrow."""

from __future__ import annotations

from typing import Any, NamedTuple

from tapeflow.engine.values.annotations import TensorLike
from tapeflow.keras import layers
from tapeflow.keras.annotations import ActivationLike
from tapeflow.keras.applications.assembly import channel_axis
from tapeflow.keras.graph.keras_tensor import KerasTensor

KERNEL = {
    "class_name": "VarianceScaling",
    "config": {"scale": 2.0, "mode": "fan_out", "distribution": "truncated_normal"},
}
_DENSE_KERNEL = {
    "class_name": "VarianceScaling",
    "config": {"scale": 1.0 / 3.0, "mode": "fan_out", "distribution": "uniform"},
}


class Block(NamedTuple):
    """One block: filters in and out, size of the convolution, stride, widening, and drop rate."""

    narrow: int
    wide: int
    size: int
    stride: int
    widening: int
    rate: float
    name: str


def top(rate: float) -> Any:
    """The head: the mean of each feature, of which a share `rate` is dropped, then the classes."""

    def head(x: KerasTensor, classes: int, activation: ActivationLike) -> KerasTensor:
        x = layers.GlobalAveragePooling2D(name="avg_pool")(x)
        if rate > 0:
            x = layers.Dropout(rate, name="top_dropout")(x)
        dense = layers.Dense(
            classes, activation=activation, kernel_initializer=_DENSE_KERNEL, name="predictions"
        )
        return dense(x)

    return head


def conv(
    x: TensorLike, filters: int, size: int, name: str, strides: int = 1, padding: str = "same"
) -> KerasTensor:
    """A convolution without an offset."""
    return layers.Conv2D(
        filters,
        size,
        strides=strides,
        padding=padding,
        use_bias=False,
        kernel_initializer=KERNEL,
        name=f"{name}_conv",
    )(x)


def weighed(x: TensorLike, filters: int, few: int, name: str, activation: str = "swish") -> KerasTensor:
    """Each channel times a weight that all channels' means decide."""
    shape = (1, 1, filters) if channel_axis() == 3 else (filters, 1, 1)
    weight = layers.GlobalAveragePooling2D(name=f"{name}se_squeeze")(x)
    weight = layers.Reshape(shape, name=f"{name}se_reshape")(weight)
    for count, function, part in ((few, activation, "reduce"), (filters, "sigmoid", "expand")):
        weight = layers.Conv2D(
            count,
            1,
            padding="same",
            activation=function,
            kernel_initializer=KERNEL,
            name=f"{name}se_{part}",
        )(weight)
    return layers.Multiply(name=f"{name}se_excite")([x, weight])


def added(x: TensorLike, inputs: TensorLike, block: Block) -> Any:
    """With what the block was given, if it has that shape; in training, at times only that."""
    if block.stride != 1 or block.narrow != block.wide:
        return x
    if block.rate > 0:
        x = layers.Dropout(block.rate, noise_shape=(None, 1, 1, 1), name=f"{block.name}drop")(x)
    return layers.Add(name=f"{block.name}add")([x, inputs])
