"""How many steps `fit` runs as one program."""

from __future__ import annotations

import math
from typing import Any

from tapeflow.engine.values import nest
from tapeflow.keras.training.sources import Source
from tapeflow.keras.training.steps import Steps

_LARGEST = 32
_BYTES = 16 << 20
_MULTIPLY_ADDS = 1 << 30


def fused_steps(model: Steps, source: Source, mode: str) -> int:
    """A number that depends on the model and the batch alone, so that a resumed run groups alike.

    Small steps are worth fusing, since starting a program costs as much as they do; large ones are not, and
    the progress bar should move. A group's batches lie in memory together, which bounds it too.
    """
    batch = source.peek()
    size = sum(a.nbytes for a in nest.flatten(batch) if a is not None)
    rows = next((a.shape[0] for a in nest.flatten(batch) if a is not None and a.ndim), 1)
    work = rows * _multiply_adds(model) * (3 if mode == "train" else 1)
    return max(1, min(_LARGEST, _BYTES // max(size, 1), _MULTIPLY_ADDS // max(work, 1)))


def _multiply_adds(model: Steps) -> int:
    """About how many multiplications a sample takes: each weight once for every position it is applied at."""
    total = 0
    for layer in model._below():
        own = sum(w.shape.num_elements() or 0 for w in layer._own_weights)
        if own:
            total += own * _positions(layer)
    return total


def _positions(layer: Any) -> int:
    """At how many places of its input a layer applies its weights: pixels, or steps of a sequence."""
    if not layer._inbound_nodes:
        return 1
    shape = nest.flatten(layer._inbound_nodes[0].outputs)[0].shape
    is_channels_first = getattr(layer, "data_format", None) == "channels_first"
    return math.prod(d or 1 for d in (shape[2:] if is_channels_first else shape[1:-1]))
