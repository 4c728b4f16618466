"""`tf.keras.__internal__`: what Keras's own libraries reach for."""

from __future__ import annotations

from types import SimpleNamespace

from tapeflow.keras.graph.composite_tensor import RaggedKerasTensor as RaggedKerasTensor
from tapeflow.keras.graph.composite_tensor import SparseKerasTensor as SparseKerasTensor
from tapeflow.keras.graph.keras_tensor import KerasTensor as KerasTensor
from tapeflow.keras.graph.registered_types import register_symbolic_tensor_type
from tapeflow.keras.layers.dropout import RandomLayer

layers = SimpleNamespace(BaseRandomLayer=RandomLayer)
utils = SimpleNamespace(register_symbolic_tensor_type=register_symbolic_tensor_type)
