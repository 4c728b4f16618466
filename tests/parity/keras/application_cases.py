"""Networks with seeded weights: what is asked of Keras 2 and of TapeFlow alike."""

from __future__ import annotations

import hashlib
from typing import Any

import numpy as np

REGNETS = ("002", "004", "006", "008", "016", "032", "040", "064", "080", "120", "160", "320")
# The first of each family is quick to make.
FAMILIES = (
    ("VGG16", "VGG19"),
    ("ResNet50", "ResNet101", "ResNet152"),
    ("ResNet50V2", "ResNet101V2", "ResNet152V2"),
    ("Xception",),
    ("MobileNet",),
    ("MobileNetV2",),
    ("MobileNetV3Small", "MobileNetV3Large"),
    ("DenseNet121", "DenseNet169", "DenseNet201"),
    tuple(f"EfficientNetB{i}" for i in range(8)),
    tuple(f"EfficientNetV2{kind}" for kind in ("B0", "B1", "B2", "B3", "S", "M", "L")),
    ("InceptionV3",),
    ("InceptionResNetV2",),
    ("NASNetMobile", "NASNetLarge"),
    tuple(f"ConvNeXt{kind}" for kind in ("Tiny", "Small", "Base", "Large", "XLarge")),
    tuple(f"RegNetX{size}" for size in REGNETS),
    tuple(f"RegNetY{size}" for size in REGNETS),
    tuple(f"ResNetRS{depth}" for depth in (50, 101, 152, 200, 270, 350, 420)),
)
NAMES = tuple(name for family in FAMILIES for name in family)
FIRST = tuple(family[0] for family in FAMILIES)  # of others only the table of blocks differs
SIZE = 75


def network(applications: Any, name: str, include_top: bool) -> Any:
    """The network as the cases have it: with a small head, or with the mean of its features."""
    build = getattr(applications, name)
    if include_top:
        return build(weights=None, classes=7, classifier_activation=None, input_shape=(SIZE, SIZE, 3))
    return build(weights=None, include_top=False, pooling="avg", input_shape=(SIZE, SIZE, 3))


def listing(model: Any) -> list[str]:
    """Each layer with its name, its class and the names and shapes of its weights."""
    return [
        f"{layer.name} {type(layer).__name__} "
        + " ".join(f"{w.name.split(':')[0]}{tuple(w.shape)}" for w in layer.weights)
        for layer in model.layers
    ]


def summary(model: Any) -> dict[str, Any]:
    """A short stand-in for a long listing."""
    lines = listing(model)
    return {
        "name": model.name,
        "layers": len(lines),
        "parameters": model.count_params(),
        "digest": hashlib.sha256("\n".join(lines).encode()).hexdigest()[:16],
    }


def values(name: str, shape: tuple[int, ...], number: int) -> np.ndarray:
    """Values for the weight of a number: random, of a size that keeps features near 1."""
    if "count" in name:
        return np.ones(shape, "int64")
    noise = np.random.RandomState(number).uniform(-1, 1, shape)
    if "variance" in name or "gamma" in name:
        noise = 1 + 0.2 * noise
    elif len(shape) > 1:
        fan_in = np.prod(shape[:-2]) if "depthwise" in name else np.prod(shape[:-1])
        noise *= np.sqrt(4 / fan_in)
    else:
        noise *= 0.2
    return noise.astype("float32")


def outputs(model: Any) -> np.ndarray:
    """What a network makes of one image, its weights being those values."""
    model.set_weights([values(w.name, tuple(w.shape), i) for i, w in enumerate(model.weights)])
    image = (np.arange(SIZE * SIZE * 3).reshape(1, SIZE, SIZE, 3) * 37 % 256).astype("float32")
    return np.asarray(model(image, training=False))[0]
