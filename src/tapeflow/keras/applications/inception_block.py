"""What both Inception networks are made of: convolutions, and ways of them side by side."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from tapeflow.engine.values.annotations import TensorLike
from tapeflow.keras import layers
from tapeflow.keras.applications.assembly import channel_axis

if TYPE_CHECKING:
    from tapeflow.keras.graph.keras_tensor import KerasTensor


Step = tuple[int, int, int]  # filters, rows, columns


def conv(
    x: TensorLike,
    filters: int,
    rows: int,
    columns: int,
    strides: int = 1,
    padding: str = "same",
    name: str | None = None,
) -> KerasTensor:
    """A convolution, normalised, and what is below 0 cut off."""
    x = layers.Conv2D(filters, (rows, columns), strides=strides, padding=padding, use_bias=False, name=name)(
        x
    )
    x = layers.BatchNormalization(axis=channel_axis(), scale=False, name=name and f"{name}_bn")(x)
    return layers.Activation("relu", name=name and f"{name}_ac")(x)


def way(x: TensorLike, *steps: Step) -> Any:
    """Convolutions one after the other."""
    for step in steps:
        x = conv(x, *step)
    return x


def joined(ways: list[Any], name: str | None) -> KerasTensor:
    """The channels of several ways side by side."""
    return layers.Concatenate(axis=channel_axis(), name=name)(ways)


def largest(x: TensorLike) -> KerasTensor:
    """The largest of each nine, at half the size."""
    return layers.MaxPooling2D((3, 3), strides=(2, 2))(x)


def stem(x: TensorLike) -> KerasTensor:
    """An eighth of the image's size."""
    x = conv(x, 32, 3, 3, 2, "valid")
    x = conv(x, 32, 3, 3, 1, "valid")
    x = largest(conv(x, 64, 3, 3))
    x = conv(x, 80, 1, 1, 1, "valid")
    return largest(conv(x, 192, 3, 3, 1, "valid"))


def wide(x: TensorLike, first: int, last: int, name: str) -> KerasTensor:
    """Four ways, of which the first and the last have so many filters."""
    one = conv(x, first, 1, 1)
    five = way(x, (48, 1, 1), (64, 5, 5))
    three = way(x, (64, 1, 1), (96, 3, 3), (96, 3, 3))
    return joined([one, five, three, pooled(x, last)], name)


def pooled(x: TensorLike, filters: int) -> KerasTensor:
    """The mean of each nine, and a convolution of it."""
    x = layers.AveragePooling2D((3, 3), strides=(1, 1), padding="same")(x)
    return conv(x, filters, 1, 1)
