"""Environment variables that change how fast TapeFlow is."""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping
from typing import NamedTuple

from tapeflow.doctor.finding import Finding, State

_SECTION = "Environment"
_OFF = ("", "0", "false", "off", "no")


class _Switch(NamedTuple):
    name: str
    cost: str


# What costs speed when it is on, and is easily forgotten in a shell.
_SWITCHES = (
    _Switch("JAX_DISABLE_JIT", "nothing is compiled: every op runs by itself"),
    _Switch("JAX_DEBUG_NANS", "every result is checked separately"),
    _Switch("JAX_DEBUG_INFS", "every result is checked separately"),
    _Switch("JAX_CHECK_TRACER_LEAKS", "nothing that was traced is kept"),
    _Switch("JAX_ENABLE_CHECKS", "JAX checks itself"),
    _Switch("JAX_LOG_COMPILES", "every compilation is written to the log"),
    _Switch("JAX_EXPLAIN_CACHE_MISSES", "every compilation is explained in the log"),
    _Switch("PYTHONDEVMODE", "Python checks itself"),
    _Switch("PYTHONTRACEMALLOC", "every allocation is noted"),
    _Switch("PYTHONDONTWRITEBYTECODE", "every start compiles the Python files again"),
)
# What changes how things run; to be known when a figure surprises.
_NOTED = (
    "TAPEFLOW_CACHE",
    "TAPEFLOW_PROGRAMS",
    "TAPEFLOW_SHAPES",
    "JAX_PLATFORMS",
    "JAX_ENABLE_X64",
    "JAX_COMPILATION_CACHE_DIR",
    "PJRT_NPROC",
    "OMP_NUM_THREADS",
    "XLA_PYTHON_CLIENT_PREALLOCATE",
    "CUDA_VISIBLE_DEVICES",
    "TF_CONFIG",
    "KERAS_BACKEND",
)


def examine(environment: Mapping[str, str] = os.environ) -> Iterator[Finding]:
    """The variables that are set; one line if none is."""
    found = [*_switched(environment), *_flags(environment), *_noted(environment)]
    yield from found or [Finding(_SECTION, "variables", "none that matters is set")]


def _switched(environment: Mapping[str, str]) -> Iterator[Finding]:
    for name, cost in _SWITCHES:
        value = environment.get(name, "")
        if value.lower() not in _OFF:
            remedy = f"Unless you need it: unset {name}"
            yield Finding(_SECTION, name, f"{value} ({cost})", State.SLOW, remedy)


def _flags(environment: Mapping[str, str]) -> Iterator[Finding]:
    flags = environment.get("XLA_FLAGS", "").split()
    if not flags:
        return
    slow = [flag for flag in flags if flag.startswith(("--xla_dump", "--xla_disable", "--xla_backend_opt"))]
    if slow:
        remedy = f"Unless you need it, take {' '.join(slow)} out of XLA_FLAGS."
        yield Finding(_SECTION, "XLA_FLAGS", " ".join(flags), State.SLOW, remedy)
    else:
        yield Finding(_SECTION, "XLA_FLAGS", " ".join(flags))


def _noted(environment: Mapping[str, str]) -> Iterator[Finding]:
    for name in _NOTED:
        if environment.get(name):
            yield Finding(_SECTION, name, environment[name])
