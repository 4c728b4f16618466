"""`TerminateOnNaN`: stop when the loss is no number any more."""

from __future__ import annotations

import math
from typing import Any

from tapeflow.keras.callbacks.callback import Callback
from tapeflow.keras.utils.messages import say


class TerminateOnNaN(Callback):
    """Stops training at the first step whose loss is NaN or infinite, before another one is run.

    It reads the loss of every step, so `fit` runs steps one by one. With `compile(steps_per_execution=10)` it runs
    ten at a time and stops after them, as in Keras.
    """

    @property
    def supports_fused_steps(self) -> bool:  # pyright: ignore[reportIncompatibleVariableOverride]
        """Whether steps may run in groups: if the user asked for it."""
        return bool(getattr(self.model, "_steps_per_execution", None))

    def on_batch_end(self, batch: int, logs: dict[str, Any] | None = None) -> None:
        loss = (logs or {}).get("loss")
        if loss is not None and not math.isfinite(loss):
            say(f"Batch {batch}: Invalid loss, terminating training")
            self.model.stop_training = True
