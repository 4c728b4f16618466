"""What all networks share: the shape of the input, the head, and where weights come from."""

from __future__ import annotations

import warnings
from collections.abc import Callable
from pathlib import Path
from typing import Any, NamedTuple

from tapeflow.keras import layers
from tapeflow.keras.config import image_data_format
from tapeflow.keras.models import Model
from tapeflow.keras.utils import get_file


class WeightFile(NamedTuple):
    """A file of weights: where it is, and its MD5 sum if it is known."""

    url: str
    file_hash: str | None = None


def channel_axis() -> int:
    """Which axis of a batch of images is that of the channels."""
    return 3 if image_data_format() == "channels_last" else 1


def input_shape_for(
    shape: Any, default_size: int, min_size: int, weights: Any, needs_size: bool
) -> tuple[int | None, ...]:
    """The shape of an image: the one given, if the network takes it, or its usual one."""
    is_last = image_data_format() == "channels_last"

    def framed(size: int | None, channels: int) -> tuple[int | None, ...]:
        return (size, size, channels) if is_last else (channels, size, size)

    if shape is None:
        return framed(default_size if needs_size else None, 3)
    if len(shape) != 3:
        raise ValueError(f"`input_shape` must be a tuple of three integers. Received: input_shape={shape}")
    sizes, channels = (shape[:2], shape[2]) if is_last else (shape[1:], shape[0])
    if weights == "imagenet":
        if needs_size and tuple(shape) != framed(default_size, 3):
            raise ValueError(
                "When setting `include_top=True` and loading `imagenet` weights, `input_shape` should be "
                f"{framed(default_size, 3)}.  Received: input_shape={shape}"
            )
        if channels != 3:
            raise ValueError(f"The input must have 3 channels; Received `input_shape={shape}`")
    elif channels not in (1, 3):
        warnings.warn(
            "This model usually expects 1 or 3 input channels. However, it was passed an input_shape with "
            f"{channels} input channels.",
            stacklevel=4,
        )
    if any(size is not None and size < min_size for size in sizes):
        raise ValueError(
            f"Input size must be at least {min_size}x{min_size}; Received: input_shape={tuple(shape)}"
        )
    if needs_size and None in sizes:
        raise ValueError(
            "If `include_top` is True, you should specify a static `input_shape`. Received: "
            f"input_shape={tuple(shape)}"
        )
    return tuple(shape)


def check_weights(weights: Any, include_top: bool, classes: int) -> None:
    """Raise unless the weights exist and fit the number of classes."""
    if not (weights in ("imagenet", None) or Path(weights).exists()):
        raise ValueError(
            "The `weights` argument should be either `None` (random initialization), `imagenet` (pre-training on "
            f"ImageNet), or the path to the weights file to be loaded.  Received: weights={weights}"
        )
    if weights == "imagenet" and include_top and classes != 1000:
        raise ValueError(
            'If using `weights` as `"imagenet"` with `include_top` as true, `classes` should be 1000.  Received '
            f"`classes={classes}`"
        )


def average_head(x: Any, classes: int, activation: Any) -> Any:
    """The head of most networks: the mean of each feature, then the classes."""
    x = layers.GlobalAveragePooling2D(name="avg_pool")(x)
    return layers.Dense(classes, activation=activation, name="predictions")(x)


def assemble(
    name: str,
    body: Callable[[Any], Any],
    *,
    include_top: bool,
    weights: Any,
    input_tensor: Any,
    shape: tuple[int | None, ...],
    pooling: str | None,
    classes: int,
    classifier_activation: Any,
    files: tuple[WeightFile, WeightFile],
    head: Callable[[Any, int, Any], Any] = average_head,
    pool_names: tuple[str | None, str | None] = (None, None),
) -> Model:
    """The network: input, body, and a head or a pooling; with weights, if there are to be any.

    Args:
        name: of the model.
        body: from images to features.
        shape: of an image.
        files: the weights with and without the head.
        head: from features to classes.
        pool_names: of the layers that pool by mean and by maximum.
    """
    image = layers.Input(shape=shape) if input_tensor is None else input_tensor
    x = body(image)
    if include_top:
        x = head(x, classes, classifier_activation)
    elif pooling == "avg":
        x = layers.GlobalAveragePooling2D(name=pool_names[0])(x)
    elif pooling == "max":
        x = layers.GlobalMaxPooling2D(name=pool_names[1])(x)
    elif pooling is not None:
        raise ValueError(f"{name} expected pooling to be None, 'avg' or 'max'; got pooling={pooling!r}.")
    model = Model(image, x, name=name)
    if weights == "imagenet":
        url, file_hash = files[0 if include_top else 1]
        weights = get_file(url.rsplit("/", 1)[1], url, cache_subdir="models", file_hash=file_hash)
    if weights is not None:
        model.load_weights(weights)
    return model
