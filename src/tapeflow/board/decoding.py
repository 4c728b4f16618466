"""What the events of a batch hold, as the reading threads take it up: arrays in outline."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from tapeflow.summary.event_files.reader import Batch, Damage, Other
from tapeflow.summary.event_files.values import Value, value_of

WHOLE_EVENT = -1  # the place of what is no value of a summary


class Decoded(NamedTuple):
    """A value of an event, or a whole event: `place` says which, and the last two are None."""

    other: Other
    place: int
    proto: Any
    value: Value | None


def decoded(path: str, batch: Batch) -> list[Decoded]:
    """What the events of a batch hold, arrays in outline; what does not decode is added to its damages.

    A few bytes may stand for an array of megabytes, and a batch for thousands of them.
    """
    found = []
    for other in batch.others:
        kind = other.event.WhichOneof("what")
        if kind in ("graph_def", "tagged_run_metadata"):
            found.append(Decoded(other, WHOLE_EVENT, None, None))
        for place, proto in enumerate(other.event.summary.value if kind == "summary" else ()):
            try:
                value = value_of(proto)
            except ValueError as error:
                batch.damages.append(Damage(path, other.offset, other.nbytes, str(error)))
                continue
            if value is not None:
                value.array = _outline(value.array)
            if value is not None or proto.metadata.plugin_data.plugin_name:
                found.append(Decoded(other, place, proto, value))
    return found


def _outline(array: np.ndarray) -> np.ndarray:
    """An array of the same shape and type that takes no memory: its numbers are read again when they are shown."""
    if not array.ndim or array.dtype == object:
        return array
    return np.broadcast_to(np.zeros((), array.dtype), array.shape)
