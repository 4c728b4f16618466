"""`tf.keras.__internal__`: what Keras's own libraries reach for."""

from __future__ import annotations

from tapeflow.keras.graph import op_layer as _op_layer  # noqa: F401 - gives symbols their operators
from tapeflow.keras.graph.composite_tensor import RaggedKerasTensor as RaggedKerasTensor
from tapeflow.keras.graph.composite_tensor import SparseKerasTensor as SparseKerasTensor
from tapeflow.keras.graph.keras_tensor import KerasTensor as KerasTensor
from tapeflow.keras.internals import layers as layers
from tapeflow.keras.internals import losses as losses
from tapeflow.keras.internals import utils as utils
