"""The shape a Keras layer gives, from its config and the shapes it gets; None where that is not known here."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

Shape = list[int | None]
_Config = dict[str, Any]
_Rule = Callable[[_Config, Shape], Shape | None]
_MOST_DIMENSIONS = 20


def output_shape(kind: str, config: _Config, given: list[Shape | None]) -> Shape | None:
    """The shape of a layer's output.

    Args:
        kind: the name of its class.
        config: its config, as a file has it.
        given: the shapes of what goes in.
    """
    if kind == "InputLayer":
        return shape_in(config.get("batch_input_shape", config.get("batch_shape")))
    first = next(iter(given), None)
    if first is None:
        return None
    if kind == "Concatenate":
        return _concatenated(config, given)
    rule = _RULES.get(kind)
    try:
        return rule(config, first) if rule else None
    except (TypeError, ValueError, KeyError, IndexError, RecursionError):  # a config that no such layer has
        return None


def shape_in(found: Any) -> Shape | None:
    """A shape in a config."""
    if not isinstance(found, list) or len(found) > _MOST_DIMENSIONS:
        return None
    if not all(size is None or (type(size) is int and 0 <= size < 1 << 40) for size in found):
        return None
    return found


def pair(value: Any, rank: int) -> list[int]:
    """What may be one number for all axes, or one for each."""
    return [int(value)] * rank if isinstance(value, int) else [int(one) for one in value]


def is_channels_first(config: _Config) -> bool:
    """Whether channels come right after the batch."""
    return config.get("data_format") == "channels_first"


def _same(config: _Config, shape: Shape) -> Shape:
    del config
    return shape


def _units(config: _Config, shape: Shape) -> Shape:
    return [*shape[:-1], int(config["units"])]


def _flat(config: _Config, shape: Shape) -> Shape:
    del config
    rest = shape[1:]
    return [shape[0], None if None in rest else math.prod(size or 0 for size in rest)]


def _spatial(config: _Config, shape: Shape, channels: int | None, change: Callable[..., Any]) -> Shape:
    """`change(size, axis)` of every axis between batch and channels."""
    first = is_channels_first(config)
    inner = shape[2:] if first else shape[1:-1]
    sizes = [None if size is None else change(size, axis) for axis, size in enumerate(inner)]
    kept = (shape[1] if first else shape[-1]) if channels is None else channels
    return [shape[0], kept, *sizes] if first else [shape[0], *sizes, kept]


def _window(config: _Config, shape: Shape, kernel: Any, channels: int | None) -> Shape:
    rank = len(shape) - 2
    sizes = pair(kernel, rank)
    strides = pair(config.get("strides") or kernel, rank)
    rates = pair(config.get("dilation_rate", 1), rank)

    def change(size: int, axis: int) -> int:
        span = 1 if config.get("padding") in ("same", "causal") else (sizes[axis] - 1) * rates[axis] + 1
        return max(0, math.ceil((size - span + 1) / strides[axis]))

    return _spatial(config, shape, channels, change)


def _conv(config: _Config, shape: Shape) -> Shape:
    return _window(config, shape, config["kernel_size"], int(config["filters"]))


def _depthwise(config: _Config, shape: Shape) -> Shape:
    channels = shape[1] if is_channels_first(config) else shape[-1]
    many = None if channels is None else channels * int(config.get("depth_multiplier", 1))
    return _window(config, shape, config["kernel_size"], many)


def _transposed(config: _Config, shape: Shape) -> Shape:
    rank = len(shape) - 2
    kernel, strides = pair(config["kernel_size"], rank), pair(config.get("strides", 1), rank)
    extra = 0 if config.get("padding") == "same" else 1
    return _spatial(
        config,
        shape,
        int(config["filters"]),
        lambda size, axis: size * strides[axis] + extra * max(kernel[axis] - strides[axis], 0),
    )


def _pool(config: _Config, shape: Shape) -> Shape:
    return _window(config, shape, config["pool_size"], None)


def _global(config: _Config, shape: Shape) -> Shape:
    channels = shape[1] if is_channels_first(config) else shape[-1]
    if config.get("keepdims"):
        return _spatial(config, shape, None, lambda size, axis: 1)
    return [shape[0], channels]


def _padded(config: _Config, shape: Shape) -> Shape:
    sides = config["padding"]
    sides = [sides] * (len(shape) - 2) if isinstance(sides, int) else sides
    if len(shape) == 3 and isinstance(sides[0], int):
        sides = [sides]  # Keras writes the one pair of ZeroPadding1D without a list around it
    return _spatial(config, shape, None, lambda size, axis: size + sum(pair(sides[axis], 2)))


def _upsampled(config: _Config, shape: Shape) -> Shape:
    factors = pair(config["size"], len(shape) - 2)
    return _spatial(config, shape, None, lambda size, axis: size * factors[axis])


def _reshaped(config: _Config, shape: Shape) -> Shape:
    target = [int(size) for size in config["target_shape"]]
    rest = shape[1:]
    if -1 in target:
        known = math.prod(size for size in target if size >= 0)
        total = None if None in rest else math.prod(size or 0 for size in rest)
        filled = None if total is None or not known else total // known
        return [shape[0], *[filled if size < 0 else size for size in target]]
    return [shape[0], *target]


def _permuted(config: _Config, shape: Shape) -> Shape:
    return [shape[0], *[shape[int(axis)] for axis in config["dims"]]]


def _recurrent(config: _Config, shape: Shape) -> Shape:
    end = [int(config["units"])]
    return [shape[0], shape[1], *end] if config.get("return_sequences") else [shape[0], *end]


def _bidirectional(config: _Config, shape: Shape) -> Shape | None:
    inner = config["layer"]
    found = output_shape(inner["class_name"], inner["config"], [shape])
    if found and config.get("merge_mode", "concat") == "concat":
        return [*found[:-1], None if found[-1] is None else 2 * found[-1]]
    return found


def _distributed(config: _Config, shape: Shape) -> Shape | None:
    inner = config["layer"]
    found = output_shape(inner["class_name"], inner["config"], [[shape[0], *shape[2:]]])
    return [found[0], shape[1], *found[1:]] if found else None


def _concatenated(config: _Config, given: list[Shape | None]) -> Shape | None:
    if any(shape is None or not shape for shape in given):
        return None
    shapes = [shape for shape in given if shape]
    axis = config.get("axis", -1)
    if type(axis) is not int or not all(-len(s) <= axis < len(s) for s in shapes):
        return None
    sizes = [shape[axis] for shape in shapes]
    found = list(shapes[0])
    found[axis] = None if None in sizes else sum(size or 0 for size in sizes)
    return found


_RULES: dict[str, _Rule] = {
    "Dense": _units,
    "Flatten": _flat,
    "Embedding": lambda config, shape: [*shape, int(config["output_dim"])],
    "Reshape": _reshaped,
    "Permute": _permuted,
    "RepeatVector": lambda config, shape: [shape[0], int(config["n"]), *shape[1:]],
    "Bidirectional": _bidirectional,
    "TimeDistributed": _distributed,
    **dict.fromkeys(("LSTM", "GRU", "SimpleRNN"), _recurrent),
    **dict.fromkeys(("Conv1D", "Conv2D", "Conv3D", "SeparableConv1D", "SeparableConv2D"), _conv),
    **dict.fromkeys(("DepthwiseConv1D", "DepthwiseConv2D"), _depthwise),
    **dict.fromkeys(("Conv1DTranspose", "Conv2DTranspose", "Conv3DTranspose"), _transposed),
    **{f"{kind}Pooling{n}D": _pool for kind in ("Max", "Average") for n in (1, 2, 3)},
    **{f"Global{kind}Pooling{n}D": _global for kind in ("Max", "Average") for n in (1, 2, 3)},
    **{f"ZeroPadding{n}D": _padded for n in (1, 2, 3)},
    **{f"UpSampling{n}D": _upsampled for n in (1, 2, 3)},
    **dict.fromkeys(
        (
            *("Activation", "ReLU", "LeakyReLU", "PReLU", "ELU", "Softmax", "ThresholdedReLU"),
            *("BatchNormalization", "LayerNormalization", "GroupNormalization", "UnitNormalization"),
            *("Dropout", "SpatialDropout1D", "SpatialDropout2D", "SpatialDropout3D", "AlphaDropout"),
            *("GaussianNoise", "GaussianDropout", "Masking", "ActivityRegularization", "Rescaling"),
            *("Add", "Subtract", "Multiply", "Average", "Maximum", "Minimum", "Normalization"),
            *("MultiHeadAttention", "Attention", "AdditiveAttention", "RandomFlip", "RandomRotation"),
        ),
        _same,
    ),
}
