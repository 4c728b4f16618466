"""`tf.autodiff`: another name of `tf.GradientTape`."""

from __future__ import annotations

from tapeflow.ops import GradientTape as GradientTape
