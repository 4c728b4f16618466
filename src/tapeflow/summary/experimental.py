"""`tf.summary.experimental`."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from functools import partial
from typing import Any, SupportsInt

import numpy as np
import numpy.typing as npt

from tapeflow.summary import hooks
from tapeflow.summary.context import current, recording_writer, step_or_default
from tapeflow.summary.emission import encode_if, tag_of
from tapeflow.summary.writer import Prepared


def set_step(step: SupportsInt | None) -> None:
    """Set the default step of this thread: an int, or a Variable, whose current value is used."""
    current.step = step


def get_step() -> Any:
    """The default step of this thread, or None."""
    return current.step


@contextmanager
def summary_scope(
    name: str, default_name: str = "summary", values: npt.ArrayLike | None = None
) -> Iterator[tuple[str, str]]:
    """A scope for one summary: gives its tag, and its name scope.

    >>> with tf.summary.experimental.summary_scope("loss") as (tag, scope):
    ...     print(tag, scope)
    loss loss/
    """
    tag = tag_of(name, default_name)
    with hooks.bridge.inside(tag + "/"):
        yield tag, tag + "/"


def write_raw_pb(tensor: npt.ArrayLike, step: SupportsInt | None = None, name: str | None = None) -> bool:
    """Write a serialised Summary message."""
    writer = recording_writer()
    if writer is None:
        return False
    value = hooks.value(tensor)

    def add(step: Any, condition: object = True) -> None:
        writer.add_summary(Prepared(partial(encode_if, _only), value, condition), step)

    hooks.bridge.call(add, hooks.step(step_or_default(step)))
    return True


def _only(array: np.ndarray) -> bytes:
    return np.asarray(array).item()


__all__ = ["get_step", "set_step", "summary_scope", "write_raw_pb"]
