"""Running a model's staged steps."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from tapeflow.engine.devices import placement
from tapeflow.engine.programs import phases
from tapeflow.engine.programs.repeat import Repeater
from tapeflow.keras.layers.base.loss_owner import begin_outermost_call
from tapeflow.keras.training.mode import Mode
from tapeflow.keras.training.sources.composites import with_batch_axis
from tapeflow.keras.training.steps import Steps


def run_steps(model: Steps, function: Callable[..., Any], batches: Any, count: int) -> Any:
    """Call a staged step. What `call` added to the losses while it was recorded has no value outside it."""
    rows = function(batches, count)
    if not model.run_eagerly:
        begin_outermost_call(model)
    return rows


def run_one(model: Steps, mode: Mode, batch: Any) -> Any:
    """What the step of one batch gives."""
    function = mode.function_of(model)
    with phases.Step(mode.name), placement.using(model._placement and model._placement.readable):
        return run_steps(model, function, with_batch_axis(batch), 1)[0]


def prepare_steps(model: Steps, function: Callable[..., Any], batches: Any) -> None:
    """Let a staged step be compiled for batches that are yet to come."""
    if isinstance(function, Repeater):
        function.prepare(batches)
        begin_outermost_call(model)
