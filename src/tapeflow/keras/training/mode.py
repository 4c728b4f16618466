"""What sets `fit`, `evaluate` and `predict` apart for the loop that all three run."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from tapeflow.keras.callbacks import CallbackList
from tapeflow.keras.training.steps import Steps


@dataclass(frozen=True)
class Mode:
    """One of `TRAIN`, `TEST` and `PREDICT`.

    Attributes:
        name: as it stands in names of steps and hooks.
        function_of: gives the staged step of a model.
        begin_batch: calls the hooks before a step.
        end_batch: calls the hooks after a step.
        allows_fusion: whether callbacks let several steps run in one program.
        gives_logs: whether a step gives logs; otherwise outputs.
    """

    name: str
    function_of: Callable[[Steps], Any]
    begin_batch: Callable[[CallbackList, int], None]
    end_batch: Callable[[CallbackList, int, Mapping[str, Any]], None]
    allows_fusion: Callable[[CallbackList], bool]
    gives_logs: bool = True


TRAIN = Mode(
    "train",
    lambda model: model.make_train_function(),
    lambda callbacks, step: callbacks.on_train_batch_begin(step),
    lambda callbacks, step, logs: callbacks.on_train_batch_end(step, logs),
    lambda callbacks: callbacks.supports_fused_steps,
)
TEST = Mode(
    "test",
    lambda model: model.make_test_function(),
    lambda callbacks, step: callbacks.on_test_batch_begin(step),
    lambda callbacks, step, logs: callbacks.on_test_batch_end(step, logs),
    lambda callbacks: callbacks.supports_fused_test_steps,
)
PREDICT = Mode(
    "predict",
    lambda model: model.make_predict_function(),
    lambda callbacks, step: callbacks.on_predict_batch_begin(step),
    lambda callbacks, step, logs: callbacks.on_predict_batch_end(step, logs),
    lambda callbacks: callbacks.supports_fused_predict_steps,
    gives_logs=False,
)
