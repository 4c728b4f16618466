"""`Trace`: a named span of a profile, and with `step_num` a step."""

from __future__ import annotations

import operator
from typing import Any, Self

from tapeflow.engine.programs import phases
from tapeflow.engine.programs.capture import annotation
from tapeflow.engine.programs.running import run_pending
from tapeflow.engine.recording.trace import state


def run_recorded() -> None:
    """Run what this thread has recorded, unless it is part of a function that is being recorded."""
    if state.recording is None and not state.trace.is_body:
        run_pending()


class Trace:
    """A span with a name in the profile that is being taken, if one is; with `step_num` it is a step.

    What a step records runs by the end of its block at the latest, and the block waits for it: while a profile is
    taken, time is spent in the step that it belongs to. What is waited for input between two blocks belongs to the
    second, so reading the batch may stand before the block or inside it.

    Args:
        name: the name of the span.
        **kwargs: what else to note of it; `step_num` is the number of the step.

    >>> for step, (x, y) in enumerate(dataset):
    ...     with tf.profiler.experimental.Trace("train", step_num=step):
    ...         train_step(x, y)
    """

    def __init__(self, name: str, **kwargs: Any) -> None:
        self._name = str(name)
        self._metadata = kwargs
        self._step: phases.Step | None = None
        self._annotation: Any = None
        if "step_num" in kwargs:
            # A tensor is read only if somebody wants to know.
            self._step = phases.Step(self._name, None if phases.log is None else _number(kwargs["step_num"]))

    def set_metadata(self, **kwargs: Any) -> None:
        """Note more of the span."""
        self._metadata |= kwargs
        if self._annotation is not None:
            self._annotation.set_metadata(**kwargs)

    def __enter__(self) -> Self:
        if self._step is not None:
            self._step.__enter__()
        elif phases.log is not None:
            self._annotation = annotation(self._name, self._metadata)
            self._annotation.__enter__()
        return self

    def __exit__(self, *error: Any) -> None:
        found, self._annotation = self._annotation, None
        try:
            is_step = self._step is not None and self._step.is_outermost
            if is_step and phases.log is not None and error[0] is None:
                run_recorded()
        finally:
            if self._step is not None:
                self._step.__exit__(*error)
            if found is not None:
                found.__exit__(*error)


def _number(step_num: Any) -> int:
    try:
        return operator.index(step_num)
    except TypeError:
        raise TypeError(
            "tf.profiler.experimental.Trace expected step_num to be an integer; got "
            f"step_num={step_num!r} of type {type(step_num).__name__}."
        ) from None
