"""`TerminateOnNaN`: stop when the loss is no number any more."""

from __future__ import annotations

import math
from typing import Any

from tapeflow.keras.callbacks.callback import Callback
from tapeflow.keras.utils.messages import say


class TerminateOnNaN(Callback):
    """Stops training at the first step whose loss is NaN or infinite.

    It reads the loss of every step, so training waits for each group of steps to finish.
    """

    supports_fused_steps = True

    def on_batch_end(self, batch: int, logs: dict[str, Any] | None = None) -> None:
        loss = (logs or {}).get("loss")
        if loss is not None and not math.isfinite(loss):
            say(f"Batch {batch}: Invalid loss, terminating training")
            self.model.stop_training = True
