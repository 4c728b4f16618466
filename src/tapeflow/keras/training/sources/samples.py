"""What x, y and sample_weight must have in common: as many samples, and a weight for every output."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from tapeflow.engine.values.nest import flatten
from tapeflow.keras.annotations import DataLike
from tapeflow.keras.training.sources.source import nothing_to_read


def check_rows(parts: list[Any]) -> int:
    """The number of samples of x, y and sample_weight, on which all arrays must agree."""
    lengths: list[list[int]] = []
    for part in parts:
        shapes = [tuple(leaf.shape) for leaf in flatten(part) if leaf is not None]
        if () in shapes:
            raise ValueError(
                "The data expected arrays with a first axis of samples; got a scalar (shape ()). "
                "Wrap a single sample, e.g. x[None]."
            )
        lengths.append([shape[0] for shape in shapes])
    sizes = {size for part in lengths for size in part}
    if len(sizes) > 1:
        lines = [
            f"  {label} sizes: {', '.join(map(str, part))}\n"
            for label, part in zip(("x", "y", "sample_weight"), lengths, strict=True)
            if part
        ]
        raise ValueError(
            "Data cardinality is ambiguous:\n"
            + "".join(lines)
            + "Make sure all arrays contain the same number of samples."
        )
    if not any(sizes):
        raise nothing_to_read()
    return sizes.pop()


def fill_weights(y: DataLike, weights: Any, ones: Callable[[], Any]) -> Any:
    """Sample weights with `ones()` for the outputs that have none; `None` if no output has any."""
    if all(leaf is None for leaf in flatten(weights)):
        return None
    if isinstance(weights, tuple) and isinstance(y, tuple):
        return tuple(ones() if leaf is None else leaf for leaf in weights)
    return weights
