"""`TimeDistributed`: a layer applied to every timestep."""

from __future__ import annotations

from typing import Any

import tapeflow as tf
from tapeflow.engine.values import nest
from tapeflow.engine.values.tensor import Tensor
from tapeflow.keras.annotations import InputShape
from tapeflow.keras.graph.inference import shapes_of
from tapeflow.keras.layers.base.call_signature import signature_of
from tapeflow.keras.layers.base.input_spec import InputSpec
from tapeflow.keras.layers.base.layer import Layer
from tapeflow.keras.layers.general.wrapper import Wrapper


class TimeDistributed(Wrapper):
    """Apply a layer to every timestep of the input, (batch, time, ...).

    Batch and time are made one axis for the layer, so all timesteps are computed at once.

    Args:
        layer: the layer.
        **kwargs: see `Layer`.

    >>> tf.keras.layers.TimeDistributed(tf.keras.layers.Dense(3))(tf.zeros((2, 5, 4))).shape
    TensorShape([2, 5, 3])
    """

    def __init__(self, layer: Layer, **kwargs: Any) -> None:
        if not isinstance(layer, Layer):
            raise ValueError(
                f"Please initialize `TimeDistributed` layer with a `tf.keras.layers.Layer` instance. Received: {layer}"
            )
        super().__init__(layer, **kwargs)
        self.supports_masking = True

    def build(self, input_shape: InputShape | None = None) -> None:
        shapes = shapes_of(input_shape)
        if any(len(s.shape) < 3 for s in nest.flatten(shapes)):
            raise ValueError(
                "`TimeDistributed` Layer should be passed an `input_shape ` with at least 3 dimensions, received: "
                f"{input_shape}"
            )
        self.input_spec = nest.map_structure(lambda s: InputSpec(shape=(None, None, *s.shape[2:])), shapes)
        super().build(nest.map_structure(lambda s: tf.TensorShape((s.shape[0], *s.shape[2:])), shapes))

    def call(self, inputs: Tensor, training: bool | None = None, mask: Tensor | None = None) -> Tensor:
        names = signature_of(type(self.layer).call)
        kwargs = {"training": training} if names.takes_training else {}
        if mask is not None and names.takes_mask:
            kwargs["mask"] = nest.map_structure(_merged, mask)
        first = nest.flatten(inputs)[0]
        if isinstance(first, tf.RaggedTensor):
            outputs = self.layer(nest.map_structure(lambda x: x.values, inputs), **kwargs)
            return nest.map_structure(first.with_values, outputs)
        outputs = self.layer(nest.map_structure(_merged, inputs), **kwargs)
        leading = tuple(first.shape)[:2]
        return nest.map_structure(lambda y: tf.reshape(y, (*leading, *y.shape[1:])), outputs)

    def compute_output_shape(self, input_shape: InputShape) -> Any:
        shapes = shapes_of(input_shape)
        steps = nest.map_structure(lambda s: tf.TensorShape((s.shape[0], *s.shape[2:])), shapes)
        time = nest.flatten(shapes)[0].shape[1]
        found = shapes_of(self.layer.compute_output_shape(steps))
        return nest.map_structure(lambda s: tf.TensorShape((s.shape[0], time, *s.shape[1:])), found)

    def compute_mask(self, inputs: Tensor, mask: Tensor | None = None) -> Any:
        """The inner layer's mask; where it has none, the timesteps of which any part counts."""
        if isinstance(nest.flatten(inputs)[0], tf.RaggedTensor):
            return None
        inner = None if mask is None else nest.map_structure(_merged, mask)
        found = self.layer.compute_mask(
            nest.map_structure(_merged, inputs), inner if self.layer.supports_masking else None
        )
        if found is not None:
            leading = tuple(nest.flatten(inputs)[0].shape)[:2]
            return tf.reshape(found, (*leading, *found.shape[1:]))
        if mask is None:
            return None
        first = nest.flatten(mask)[0]
        return first if len(first.shape) == 2 else tf.reduce_any(first, axis=list(range(2, len(first.shape))))


def _merged(x: Any) -> Tensor | None:
    """Batch and time as one axis."""
    if x is None:
        return None
    return tf.reshape(x, (x.shape[0] * x.shape[1], *x.shape[2:]))
