"""How many parameters a Keras layer has, from its config and the shapes it gets; 0 where that is not known here."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

from tapeflow.board.api.graphs.layer_shapes import Shape, is_channels_first, pair

_Config = dict[str, Any]
_MOST = 1 << 53


def parameter_count(kind: str, config: _Config, given: list[Shape | None]) -> int:
    """Elements of a layer's weights, those that are not trained included, as `summary()` totals them."""
    rule = _RULES.get(kind)
    first = next(iter(given), None)
    if rule is None:
        return 0
    try:
        return max(0, min(rule(config, first or []), _MOST))
    except (TypeError, ValueError, KeyError, IndexError, RecursionError):  # a config that no such layer has
        return 0


def _known(size: int | None) -> int:
    if size is None:
        raise ValueError("the size is not known")
    return size


def _channels(config: _Config, shape: Shape) -> int:
    return _known(shape[1] if is_channels_first(config) else shape[-1])


def _has_bias(config: _Config) -> bool:
    return bool(config.get("use_bias", True))


def _dense(config: _Config, shape: Shape) -> int:
    return int(config["units"]) * (_known(shape[-1]) + _has_bias(config))


def _conv(config: _Config, shape: Shape) -> int:
    window = math.prod(pair(config["kernel_size"], len(shape) - 2))
    inside = _channels(config, shape) // max(int(config.get("groups", 1)), 1)
    return int(config["filters"]) * (window * inside + _has_bias(config))


def _depthwise(config: _Config, shape: Shape) -> int:
    window = math.prod(pair(config["kernel_size"], len(shape) - 2))
    out = _channels(config, shape) * int(config.get("depth_multiplier", 1))
    return out * (window + _has_bias(config))


def _separable(config: _Config, shape: Shape) -> int:
    window = math.prod(pair(config["kernel_size"], len(shape) - 2))
    out = _channels(config, shape) * int(config.get("depth_multiplier", 1))
    return out * window + int(config["filters"]) * (out + _has_bias(config))


def _batch_norm(config: _Config, shape: Shape) -> int:
    axis = config.get("axis", -1)
    axis = axis[0] if isinstance(axis, list) else axis
    size = _known(shape[int(axis)])
    return size * (2 + bool(config.get("scale", True)) + bool(config.get("center", True)))


def _layer_norm(config: _Config, shape: Shape) -> int:
    axes = config.get("axis", -1)
    sizes = [_known(shape[int(axis)]) for axis in (axes if isinstance(axes, list) else [axes])]
    return math.prod(sizes) * (bool(config.get("scale", True)) + bool(config.get("center", True)))


def _embedding(config: _Config, shape: Shape) -> int:
    del shape
    return int(config["input_dim"]) * int(config["output_dim"])


def _recurrent(gates: int) -> Callable[[_Config, Shape], int]:
    def count(config: _Config, shape: Shape) -> int:
        units = int(config["units"])
        # A GRU that resets after the product has a bias for each of its two products.
        biases = _has_bias(config) * (2 if gates == 3 and config.get("reset_after", True) else 1)
        return gates * units * (_known(shape[-1]) + units + biases)

    return count


def _attention(config: _Config, shape: Shape) -> int:
    heads, key = int(config["num_heads"]), int(config["key_dim"])
    value = int(config.get("value_dim") or key)
    width, bias = _known(shape[-1]), _has_bias(config)
    into = heads * (2 * key + value) * (width + bias)
    return into + width * (heads * value + bias)


def _wrapped(times: int) -> Callable[[_Config, Shape], int]:
    def count(config: _Config, shape: Shape) -> int:
        inner = config["layer"]
        given = shape if times == 2 else [shape[0], *shape[2:]]
        return times * parameter_count(inner["class_name"], inner["config"], [given])

    return count


_RULES: dict[str, Callable[[_Config, Shape], int]] = {
    "Dense": _dense,
    **{f"Conv{n}D{end}": _conv for n in (1, 2, 3) for end in ("", "Transpose")},
    **{f"DepthwiseConv{n}D": _depthwise for n in (1, 2)},
    **{f"SeparableConv{n}D": _separable for n in (1, 2)},
    "BatchNormalization": _batch_norm,
    "LayerNormalization": _layer_norm,
    "GroupNormalization": _layer_norm,
    "Embedding": _embedding,
    "SimpleRNN": _recurrent(1),
    "GRU": _recurrent(3),
    "LSTM": _recurrent(4),
    "MultiHeadAttention": _attention,
    "Bidirectional": _wrapped(2),
    "TimeDistributed": _wrapped(1),
}
