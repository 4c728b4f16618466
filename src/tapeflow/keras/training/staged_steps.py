"""`StagedSteps`: the steps of a model, recorded on their first batch and run as programs from then on."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from tapeflow.engine.devices import placement
from tapeflow.engine.programs import phases
from tapeflow.engine.programs.repeat import Repeater
from tapeflow.keras.training.mode import Mode
from tapeflow.keras.training.sources.composites import with_batch_axis


class StagedSteps:
    """What a model has of its `train_step`, `test_step` and `predict_step`.

    Attributes:
        repeaters: the staged steps there are, by mode.
        meets_batches: whether fit and its like have begun, whose batches may differ in size: a stack that builds
            now leaves the size open.
    """

    def __init__(self) -> None:
        self.repeaters: dict[str, Repeater] = {}
        self.meets_batches = False

    def staged(self, mode: str, step: Callable[[Any], Any], is_eager: bool, force: bool) -> Any:
        """A step that takes stacked batches and gives stacked results.

        Args:
            mode: "train", "test" or "predict".
            step: the step of one batch.
            is_eager: call it as plain Python.
            force: stage it anew.
        """
        self.meets_batches = True
        if is_eager:
            return _EagerSteps(step)
        found = self.repeaters.get(mode)
        if found is None or force:
            found = self.repeaters[mode] = Repeater(step)
        return found

    def forget(self) -> None:
        """Stage all steps anew: what they do has changed."""
        self.repeaters = {}


class _EagerSteps:
    """Calls a step as plain Python, batch by batch."""

    read_at = why = None

    def __init__(self, step: Any) -> None:
        self._step = step

    def __call__(self, batches: Any, count: int) -> Any:
        return Repeater(self._step)._called(batches, range(count))


def run_steps(model: Any, function: Any, batches: Any, count: int) -> Any:
    """Call a staged step. What `call` added to the losses while it was recorded has no value outside it."""
    rows = function(batches, count)
    if not model.run_eagerly:
        model._begin_outermost_call()
    return rows


def run_one(model: Any, mode: Mode, batch: Any) -> Any:
    """What the step of one batch gives."""
    function = mode.function_of(model)
    with phases.Step(mode.name), placement.using(model._placement and model._placement.readable):
        return run_steps(model, function, with_batch_axis(batch), 1)[0]


def prepare_steps(model: Any, function: Any, batches: Any) -> None:
    """Let a staged step be compiled for batches that are yet to come."""
    if isinstance(function, Repeater):
        function.prepare(batches)
        model._begin_outermost_call()
