"""`StagedSteps`: the steps of a model, recorded on their first batch and run as programs from then on."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from tapeflow.engine.programs.repeat import Repeater


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
        repeater = self.repeaters.get(mode)
        if repeater is None or force:
            repeater = self.repeaters[mode] = Repeater(step)
        return repeater

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
