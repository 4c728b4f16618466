"""What a summary call finds out for itself: the default writer, the step, whether to record. Per thread."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

from tapeflow.summary import hooks

if TYPE_CHECKING:
    from tapeflow.summary.writer import SummaryWriter


class _Current(threading.local):
    writer: SummaryWriter | None = None
    step: Any = None
    condition: Any = True


current = _Current()


@contextmanager
def record_if(condition: object) -> Iterator[None]:
    """Within it, summaries are recorded only if `condition` holds.

    Args:
        condition: a bool, a boolean tensor, or a function that gives one and is called at every summary.
    """
    old = current.condition
    current.condition = condition
    try:
        yield
    finally:
        current.condition = old


def should_record_summaries() -> bool:
    """Whether there is a default writer and recording is not switched off."""
    if current.writer is None or not current.writer.is_recording:
        return False
    condition = current.condition
    return condition is True or hooks.bridge.truth(condition() if callable(condition) else condition)


def recording_writer() -> SummaryWriter | None:
    """The default writer if summaries are to be recorded now."""
    return current.writer if current.writer is not None and should_record_summaries() else None


def step_or_default(step: Any) -> Any:
    """The step of a summary: the one given, or the default one."""
    if step is None:
        step = current.step
        if step is None:
            raise ValueError(
                "tf.summary expected a step; got step=None and no default. Pass step=..., or set one with "
                "tf.summary.experimental.set_step() or writer.as_default(step=...)."
            )
    return step
