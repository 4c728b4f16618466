"""`ProfilerOptions`: how much a profile looks at."""

from __future__ import annotations

from typing import NamedTuple


class ProfilerOptions(NamedTuple):
    """The level of detail of a profile.

    Attributes:
        host_tracer_level: of the host 1 little, 2 what each op takes, 3 everything.
        python_tracer_level: 1 to have every call of a Python function in the trace, which slows Python down.
        device_tracer_level: accepted for TensorFlow's sake: JAX always traces a device that it computes on.
        delay_ms: accepted for TensorFlow's sake: a profile begins when it is started.
    """

    host_tracer_level: int = 2
    python_tracer_level: int = 0
    device_tracer_level: int = 1
    delay_ms: int | None = None
