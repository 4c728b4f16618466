"""`tf.autodiff`: another name of `tf.GradientTape`, and derivatives in a direction."""

from __future__ import annotations

from tapeflow.ops import GradientTape as GradientTape
from tapeflow.ops.gradient.forward_accumulator import ForwardAccumulator as ForwardAccumulator
