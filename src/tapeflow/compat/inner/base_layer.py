"""`keras.engine.base_layer`: what packages ask layers about."""

from __future__ import annotations

from tapeflow.engine.absent import absent

TensorFlowOpLayer = absent(
    "keras.engine.base_layer.TensorFlowOpLayer",
    "Ops in functional models are layers of tf.keras.layers.Layer's own.",
)
