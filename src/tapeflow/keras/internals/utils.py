"""`tf.keras.__internal__.utils`."""

from __future__ import annotations

from tapeflow.keras.graph.registered_types import register_symbolic_tensor_type

__all__ = ["register_symbolic_tensor_type"]
