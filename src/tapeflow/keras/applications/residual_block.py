"""What residual networks of both kinds share: the way they begin, how they normalise, where their weights are."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from tapeflow.keras import layers
from tapeflow.keras.applications.assembly import Network, channel_axis, network, weight_files


def residual_network(name: str, year: int, body: Callable[[Any], Any], hashes: tuple[str, str]) -> Network:
    """A network of He and others, of the first or the second kind."""
    depth = name.removeprefix("ResNet").removesuffix("V2")
    return network(
        name,
        f"The residual network of {depth} layers of He and others, {year}. See `VGG16` for the arguments.",
        body,
        weight_files(f"resnet/{name.lower()}_weights_tf_dim_ordering_tf_kernels", hashes),
        pool_names=("avg_pool", "max_pool"),
    )


def normalized(x: Any, name: str) -> Any:
    """Batch normalisation as residual networks have it."""
    return layers.BatchNormalization(axis=channel_axis(), epsilon=1.001e-5, name=name)(x)


def active(x: Any, name: str) -> Any:
    """Normalised, and what is below 0 cut off."""
    return layers.Activation("relu", name=f"{name}_relu")(normalized(x, f"{name}_bn"))


def stem(x: Any, is_active: bool) -> Any:
    """A quarter of the image's size: a wide convolution and a pooling."""
    x = layers.ZeroPadding2D(padding=((3, 3), (3, 3)), name="conv1_pad")(x)
    x = layers.Conv2D(64, 7, strides=2, name="conv1_conv")(x)
    if is_active:
        x = active(x, "conv1")
    x = layers.ZeroPadding2D(padding=((1, 1), (1, 1)), name="pool1_pad")(x)
    return layers.MaxPooling2D(3, strides=2, name="pool1_pool")(x)
