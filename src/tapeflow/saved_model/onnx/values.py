"""What TensorFlow's nodes give that is no tensor in ONNX: handles, and lists that loops fill."""

from __future__ import annotations

from dataclasses import dataclass

from tapeflow.engine.values.variable import Variable
from tapeflow.saved_model.onnx.graph import Tensor


@dataclass(frozen=True)
class EmptyList:
    """A TensorList that nothing has been put into."""


@dataclass(frozen=True)
class WrittenList:
    """A TensorList after a turn of a loop has put something into it.

    Attributes:
        index: the place.
        item: what was put there.
    """

    index: Tensor
    item: Tensor


@dataclass(frozen=True)
class StackedList:
    """A TensorList that a loop has filled.

    Attributes:
        items: everything in it, along the first axis.
    """

    items: Tensor


Value = Tensor | Variable | EmptyList | WrittenList | StackedList
