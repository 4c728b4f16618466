"""The bridge to `jax.profiler`: traces as XPlane files, what is compiled, the server for captures from outside."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from tapeflow.engine.backend import jax, jax_profiler
from tapeflow.engine.programs import phases

_COMPILE = "/jax/core/compile/"
_PARTS = {
    _COMPILE + "jaxpr_trace_duration": 0,
    _COMPILE + "jaxpr_to_mlir_module_duration": 1,
    _COMPILE + "backend_compile_duration": 2,
}
_CACHE_HIT = "/jax/compilation_cache/cache_hits"


class _Compiles:
    """Passes on what JAX says of its compiling."""

    def __init__(self) -> None:
        self._is_cached = False

    def event(self, event: str, **kwargs: Any) -> None:
        if event == _CACHE_HIT:
            self._is_cached = True

    def duration(self, event: str, duration_secs: float, **kwargs: Any) -> None:
        part, log = _PARTS.get(event), phases.log
        if part is None or log is None:
            return
        name = kwargs.get("fun_name", "a function")
        log.note_compile(part, int(duration_secs * 1e9), f"{name} (JAX)", self._is_cached)
        if part == 2:
            self._is_cached = False


@contextmanager
def compile_seconds() -> Iterator[dict[str, float]]:
    """How long JAX traces, lowers and compiles meanwhile, in seconds: the keys are "trace", "lower" and "compile".

    Reading a compiled program from the cache on disk counts as compiling it.
    """
    found = {"trace": 0.0, "lower": 0.0, "compile": 0.0}
    names = list(found)

    def add(event: str, duration_secs: float, **kwargs: Any) -> None:
        part = _PARTS.get(event)
        if part is not None:
            found[names[part]] += duration_secs

    jax.monitoring.register_event_duration_secs_listener(add)
    try:
        yield found
    finally:
        jax.monitoring.unregister_event_duration_listener(add)


class Capture:
    """A trace by JAX, from its making until `stop`.

    Args:
        folder: where the files go; JAX makes `plugins/profile/<time>` in it.
        host_level: how much of the host is traced: 1 little, 2 what ops take, 3 all.
        python_level: 1 to trace Python calls, too.
    """

    def __init__(self, folder: str, host_level: int, python_level: int) -> None:
        options = jax.profiler.ProfileOptions()
        options.host_tracer_level = host_level
        options.python_tracer_level = python_level
        self._folder = Path(folder)
        jax.profiler.start_trace(folder, profiler_options=options)
        self._compiles = _Compiles()
        jax.monitoring.register_event_listener(self._compiles.event)
        jax.monitoring.register_event_duration_secs_listener(self._compiles.duration)

    def stop(self) -> list[Path]:
        """End the trace; the files it has written."""
        try:
            jax.monitoring.unregister_event_listener(self._compiles.event)
            jax.monitoring.unregister_event_duration_listener(self._compiles.duration)
        finally:
            try:
                jax.profiler.stop_trace()
            except BaseException:
                jax_profiler._profile_state.reset()  # or no other trace could begin
                raise
        return sorted(self._folder.glob("plugins/profile/*/*"))


def is_tracing() -> bool:
    """Whether JAX takes a trace, ours or one that somebody started with `jax.profiler`."""
    return jax_profiler._profile_state.profile_session is not None


def annotation(name: str, metadata: dict[str, Any]) -> Any:
    """A named span in the trace, as a context."""
    return jax.profiler.TraceAnnotation(name, **metadata)


def device() -> str:
    """The kind of device that computes."""
    return jax.default_backend()


def start_server(port: int) -> None:
    """Let XProf, or TensorFlow's client, take traces of this process."""
    jax.profiler.start_server(port)
