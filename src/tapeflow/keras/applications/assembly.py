"""What all networks share: their arguments, the shape of the input, the head, and where weights come from."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any, NamedTuple, Protocol, TypeVar

from tapeflow.engine.values.annotations import TensorLike
from tapeflow.keras import activations, layers
from tapeflow.keras.annotations import ActivationLike
from tapeflow.keras.config import image_data_format
from tapeflow.keras.graph.keras_tensor import KerasTensor
from tapeflow.keras.models import Model
from tapeflow.keras.utils import get_file, get_source_inputs

Builder = TypeVar("Builder", bound=Callable[..., Model])

ADDRESS = "https://storage.googleapis.com/tensorflow/keras-applications/"


class WeightFile(NamedTuple):
    """A file of weights: where it is, its hash if it is known, and its name in the models folder."""

    url: str
    file_hash: str | None = None
    file_name: str | None = None


def weight_files(
    stem: str, hashes: tuple[str | None, str | None] = (None, None), ending: str = "_notop"
) -> tuple[WeightFile, WeightFile]:
    """The files with and without the head, which differ by an ending; `stem` may be a whole address."""
    url = stem if "://" in stem else ADDRESS + stem
    return WeightFile(f"{url}.h5", hashes[0]), WeightFile(f"{url}{ending}.h5", hashes[1])


def fetched(file: WeightFile) -> str:
    """Where the file is on this machine, once it has been downloaded if need be."""
    name = file.file_name or file.url.rsplit("/", 1)[1]
    return get_file(name, file.url, cache_subdir="models", file_hash=file.file_hash)


class NetworkOptions(NamedTuple):
    """What every network takes; see `VGG16` for the meaning."""

    include_top: bool = True
    weights: Any = "imagenet"
    input_tensor: Any = None
    input_shape: Any = None
    pooling: str | None = None
    classes: int = 1000
    classifier_activation: Any = "softmax"


class Network(Protocol):
    """A function that makes a network; see `VGG16` for the arguments."""

    def __call__(
        self,
        include_top: bool = True,
        weights: str | None = "imagenet",
        input_tensor: TensorLike | None = None,
        input_shape: Sequence[int | None] | None = None,
        pooling: str | None = None,
        classes: int = 1000,
        classifier_activation: ActivationLike = "softmax",
    ) -> Model: ...


def network(
    name: str, doc: str, body: Callable[[Any], Any], files: tuple[WeightFile, WeightFile], **plan: Any
) -> Network:
    """The public function that makes a network of the usual arguments.

    Args:
        name: of the function; the model has it too, in lower case, unless `plan` says another `model_name`.
        doc: what the function's docstring says.
        body, files: see `assemble`.
        **plan: for `assemble`.
    """
    model_name = plan.pop("model_name", name.lower())

    def build(
        include_top: bool = True,
        weights: Any = "imagenet",
        input_tensor: TensorLike | None = None,
        input_shape: Sequence[int | None] | None = None,
        pooling: str | None = None,
        classes: int = 1000,
        classifier_activation: ActivationLike = "softmax",
    ) -> Model:
        options = NetworkOptions(
            include_top, weights, input_tensor, input_shape, pooling, classes, classifier_activation
        )
        return assemble(model_name, body, options, files, **plan)

    return published(build, name, doc, body.__module__)


def published(build: Builder, name: str, doc: str, module: str) -> Builder:
    """A function made for one network of a family, with a name and a docstring of its own."""
    build.__name__ = build.__qualname__ = name
    build.__doc__ = doc
    build.__module__ = module
    return build


def channel_axis() -> int:
    """Which axis of a batch of images is that of the channels."""
    return 3 if image_data_format() == "channels_last" else 1


def input_shape_for(
    shape: Sequence[int | None], default_size: int, min_size: int, weights: str | None, needs_size: bool
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


def check(name: str, options: NetworkOptions) -> None:
    """Raise unless the weights exist and fit the head, and the input is one of the functional API."""
    weights, classes, activation = options.weights, options.classes, options.classifier_activation
    if not (weights in ("imagenet", None) or Path(weights).exists()):
        raise ValueError(
            "The `weights` argument should be either `None` (random initialization), `imagenet` (pre-training on "
            f"ImageNet), or the path to the weights file to be loaded.  Received: weights={weights}"
        )
    if weights == "imagenet" and options.include_top and classes != 1000:
        raise ValueError(
            'If using `weights` as `"imagenet"` with `include_top` as true, `classes` should be 1000.  Received '
            f"`classes={classes}`"
        )
    usual = (activations.softmax, activations.linear)
    if weights is not None and options.include_top and activations.get(activation) not in usual:
        raise ValueError(
            "Only `None` and `softmax` activations are allowed for the `classifier_activation` argument when using "
            f"pretrained weights, with `include_top=True`; Received: classifier_activation={activation}"
        )
    if options.pooling not in (None, "avg", "max"):
        raise ValueError(
            f"{name} expected pooling to be None, 'avg' or 'max'; got pooling={options.pooling!r}."
        )
    if not isinstance(options.input_tensor, KerasTensor | None):
        raise ValueError(
            f"{name} expected input_tensor to be a tf.keras.Input, or the output of layers on one; got "
            f"input_tensor={type(options.input_tensor).__name__}. Call the network on tensors instead."
        )


def average_head(x: TensorLike, classes: int, activation: ActivationLike) -> Any:
    """The head of most networks: the mean of each feature, then the classes."""
    x = layers.GlobalAveragePooling2D(name="avg_pool")(x)
    return layers.Dense(classes, activation=activation, name="predictions")(x)


def assemble(
    name: str,
    body: Callable[[Any], Any],
    options: NetworkOptions,
    files: tuple[WeightFile, WeightFile],
    *,
    size: int = 224,
    min_size: int = 32,
    needs_size: bool | None = None,
    head: Callable[[Any, int, Any], Any] = average_head,
    pool_names: tuple[str | None, str | None] = (None, None),
    end: Callable[[Any], Any] | None = None,
) -> Model:
    """The network: input, body, and a head or a pooling; with weights, if there are to be any.

    Args:
        name: of the model.
        body: from images to features.
        options: what the user asked for.
        files: the weights with and without the head.
        size, min_size: of images, usually and at least.
        needs_size: whether images have one size; by default, those of a network with a head.
        head: from features to classes.
        pool_names: of the layers that pool by mean and by maximum.
        end: what follows the pooling of a network without a head.
    """
    check(name, options)
    include_top, weights, image = options.include_top, options.weights, options.input_tensor
    needs_size = include_top if needs_size is None else needs_size
    shape = input_shape_for(options.input_shape, size, min_size, weights, needs_size)
    if image is None:
        image = layers.Input(shape=shape)
    x = body(image)
    if include_top:
        x = head(x, options.classes, options.classifier_activation)
    elif options.pooling is not None:
        is_mean = options.pooling == "avg"
        pool = layers.GlobalAveragePooling2D if is_mean else layers.GlobalMaxPooling2D
        x = pool(name=pool_names[0 if is_mean else 1])(x)
    if end is not None and not include_top:
        x = end(x)
    sources = get_source_inputs(image)
    model = Model(sources[0] if len(sources) == 1 else sources, x, name=name)
    if weights == "imagenet":
        weights = fetched(files[0 if include_top else 1])
    if weights is not None:
        model.load_weights(weights)
    return model
