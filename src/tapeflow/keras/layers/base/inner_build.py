"""Building a layer that another one holds."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from tapeflow.keras.annotations import InputShape
from tapeflow.keras.layers.base.call_context import call_context
from tapeflow.keras.layers.base.layer import Layer


@contextmanager
def inside(layer: Layer) -> Iterator[None]:
    """Weights made within carry the layer's name in front, behind those of the layers around it."""
    call_context.layers.append(layer)
    try:
        yield
    finally:
        call_context.layers.pop()


def build_inside(layer: Layer, input_shape: InputShape) -> None:
    """Build a layer in another's `build`, so that its weights' names begin with both names."""
    with inside(layer):
        layer._build_for_shape(input_shape)
