"""What residual networks of both kinds share: the way they begin, how they normalise, where their weights are."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

from tapeflow.engine.values.annotations import TensorLike
from tapeflow.keras import layers
from tapeflow.keras.applications.assembly import Network, channel_axis, network, weight_files

if TYPE_CHECKING:
    from tapeflow.keras.graph.keras_tensor import KerasTensor


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


def stacks(
    x: TensorLike, counts: Sequence[int], block: Callable[[Any, int, int, bool, str], Any], halves_first: bool
) -> Any:
    """Four stacks of blocks, each of twice the filters of the one before.

    Args:
        x: what the stem gives.
        counts: how many blocks each stack has.
        block: of an input, the filters, the stride, whether it is the first of its stack, and its name.
        halves_first: whether the first block of all stacks but the first halves the size, or the last block of all
            stacks but the last.
    """
    for stack, count in enumerate(counts):
        at, is_kept = (1, stack == 0) if halves_first else (count, stack == len(counts) - 1)
        for i in range(1, count + 1):
            stride = 2 if i == at and not is_kept else 1
            x = block(x, 64 << stack, stride, i == 1, f"conv{stack + 2}_block{i}")
    return x


def normalized(x: TensorLike, name: str) -> KerasTensor:
    """Batch normalisation as residual networks have it."""
    return layers.BatchNormalization(axis=channel_axis(), epsilon=1.001e-5, name=name)(x)


def active(x: TensorLike, name: str) -> KerasTensor:
    """Normalised, and what is below 0 cut off."""
    return layers.Activation("relu", name=f"{name}_relu")(normalized(x, f"{name}_bn"))


def stem(x: TensorLike, is_active: bool) -> KerasTensor:
    """A quarter of the image's size: a wide convolution and a pooling."""
    x = layers.ZeroPadding2D(padding=((3, 3), (3, 3)), name="conv1_pad")(x)
    x = layers.Conv2D(64, 7, strides=2, name="conv1_conv")(x)
    if is_active:
        x = active(x, "conv1")
    x = layers.ZeroPadding2D(padding=((1, 1), (1, 1)), name="pool1_pad")(x)
    return layers.MaxPooling2D(3, strides=2, name="pool1_pool")(x)
