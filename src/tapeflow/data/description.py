"""What a pipeline is made of, in words: for a profile, which says what it lacks."""

from __future__ import annotations

import re
from typing import Any

from tapeflow.data.pipe import Pipe
from tapeflow.data.steps.batching import Grouped, Window
from tapeflow.data.steps.interleaving import Interleave
from tapeflow.data.steps.mapping import Map
from tapeflow.data.steps.prefetching import Prefetch
from tapeflow.data.steps.shuffling import Shuffle

_METHODS = {"Slices": "from_tensor_slices", "Single": "from_tensors", "Generated": "from_generator"}


def description(pipe: Pipe, busy: dict[int, list[int]]) -> list[dict[str, Any]]:
    """The steps of a pipeline, from its sources on, each with the name of its method.

    Args:
        pipe: the last step.
        busy: by a step's id, for how many nanoseconds the user's function has run and how often it was called.
    """
    found = [step for source in pipe.inputs for step in description(source, busy)]
    nanoseconds, calls = busy.get(id(pipe), (0, 0))
    own = {"method": _method(pipe), **_arguments(pipe)}
    if calls:
        own |= {"busy_ns": nanoseconds, "calls": calls}
    return [*found, own]


def _method(pipe: Pipe) -> str:
    if isinstance(pipe, Interleave):
        return pipe.where.rpartition(".")[2]
    name = type(pipe).__name__
    return _METHODS.get(name) or re.sub(r"(?<!^)(?=[A-Z])", "_", name).lower()


def _arguments(pipe: Pipe) -> dict[str, Any]:
    if isinstance(pipe, Map):
        name = getattr(pipe.function, "__name__", type(pipe.function).__name__)
        recorded = [r for r in (pipe.recorded, *pipe._records.values()) if r is not None]
        own = {"function": name, "workers": pipe.workers, "is_recorded": bool(recorded)}
        return own | {"is_random": True} if any(r.draws for r in recorded) else own
    if isinstance(pipe, (Grouped, Window, Shuffle, Prefetch)):
        return {"size": pipe.size}
    return {}
