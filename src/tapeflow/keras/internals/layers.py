"""`tf.keras.__internal__.layers`."""

from __future__ import annotations

from tapeflow.keras.layers.stochastic.dropout import RandomLayer as BaseRandomLayer

__all__ = ["BaseRandomLayer"]
