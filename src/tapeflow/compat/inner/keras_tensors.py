"""`keras.utils.tf_utils`: what is a tensor of a model that is being defined."""

from __future__ import annotations

from tapeflow.keras.graph.keras_tensor import KerasTensor


def is_symbolic_tensor(tensor: object) -> bool:
    """Whether it stands for a tensor, without a value."""
    return isinstance(tensor, KerasTensor)
