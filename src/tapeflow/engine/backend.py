"""JAX, set up the way the engine needs it; every engine module takes `jax` and `jnp` from here.

What an engine module needs of JAX as it is imported is here too, so that JAX is imported here first.

x64 is switched on so that float64 and int64 mean what they say. Every op is explicit about its dtype,
so float32 work stays float32 (a contract test reads the jaxprs).
"""

from __future__ import annotations

import atexit
import ctypes
import logging
import os
from typing import Any

import numpy as np

from tapeflow.engine.devices import forking
from tapeflow.engine.devices.heap import keep_freed_memory
from tapeflow.engine.programs.cache import most_cached_bytes, usable_cache_folder
from tapeflow.engine.programs.stored import StoredPrograms

# JAX draws from numpy's generator as it is imported, which is at the first op: after `np.random.seed`.
_state = np.random.get_state()
import jax  # noqa: E402
import jax.numpy as jnp  # noqa: E402
from jax._src import compilation_cache, xla_bridge  # noqa: E402 - to store programs our way; whether JAX has started
from jax._src import core as jax_core  # noqa: E402 - see `accept`
from jax._src import dtypes as jax_dtypes  # noqa: E402 - see `accept`
from jax._src import profiler as jax_profiler  # noqa: E402 - the only way out of a trace that was not written
from jax._src.interpreters import mlir  # noqa: E402 - has threads that a forked child must not wait for
from jax.core import Tracer  # noqa: E402
from jax.extend.backend import clear_backends  # noqa: E402
from jax.extend.core import ClosedJaxpr, get_opaque_trace_state  # noqa: E402
from jax.extend.random import threefry2x32_p  # noqa: E402
from jaxlib import xla_client  # noqa: E402 - has XLA read its flags

np.random.set_state(_state)

__all__ = [
    "ClosedJaxpr",
    "Tracer",
    "accept",
    "clear_backends",
    "config_value",
    "get_opaque_trace_state",
    "jax",
    "jax_profiler",
    "jnp",
    "threefry2x32_p",
    "xla_bridge",
]


def config_value(name: str) -> Any:
    """A JAX setting as it is now; JAX makes its settings known to no type checker."""
    return getattr(jax.config, name)


def accept(kind: type) -> None:
    """Let JAX's functions take objects of a class that has `__jax_array__`, as they take NumPy's arrays.

    From 0.10 JAX asks only some of its functions' arguments for that method, and raises for those of `jax.jit`.
    """
    jax_core.pytype_aval_mappings[kind] = lambda value: jax_core.typeof(value.__jax_array__())
    jax_dtypes.register_canonicalize_value_handler(kind, lambda value: value.__jax_array__())


def _compile_short_loops() -> None:
    """Have LLVM unroll no loops: programs compile in 15 to 30 % less time, and run as fast.

    XLA reads the variable once in a process; it is put back for the processes that this one starts. Whoever has set
    options of this kind, or has used XLA before, keeps what they have.
    """
    given = os.environ.get("XLA_FLAGS")
    if given is not None and "xla_backend_extra_options" in given:
        return
    os.environ["XLA_FLAGS"] = f"{given or ''} --xla_backend_extra_options=xla_cpu_disable_loop_unrolling"
    xla_client.CompileOptions()
    if given is None:
        del os.environ["XLA_FLAGS"]
    else:
        os.environ["XLA_FLAGS"] = given


def _configure() -> None:
    keep_freed_memory()
    _compile_short_loops()
    log = logging.getLogger("jax")
    if log.level == logging.NOTSET:  # who logs the progress of a program does not mean JAX's search for TPUs
        log.setLevel(logging.WARNING)
    jax.config.update("jax_enable_x64", True)
    # A folder the user has already named for JAX is left alone.
    if config_value("jax_compilation_cache_dir") is None and (folder := usable_cache_folder()) is not None:
        jax.config.update("jax_compilation_cache_dir", str(folder))
        most_bytes = most_cached_bytes()
        compilation_cache.get_file_cache = lambda path: (StoredPrograms(path, most_bytes), path)
        # What may be read alone is: no compilation takes so long that JAX tries to write.
        least_s = 0.0 if os.access(folder, os.W_OK) else float("inf")
        jax.config.update("jax_persistent_cache_min_compile_time_secs", least_s)
        jax.config.update("jax_persistent_cache_min_entry_size_bytes", 0)


def _keep_clients() -> None:
    """Let what runs programs outlive Python: an interrupt does not stop a compilation, which needs them to its end."""
    if xla_bridge.backends_are_initialized():
        for client in xla_bridge.backends().values():
            _keep(client)


def _keep(kept: object) -> None:
    ctypes.pythonapi.Py_IncRef(ctypes.py_object(kept))


_threaded: list[object] = []
"""While a process forks: what of JAX has threads. It is listed before, as locks may be held in the child."""


def _before_fork() -> None:
    if xla_bridge.backends_are_initialized():
        for client in xla_bridge.backends().values():
            _threaded.extend([client, *client.live_executables()])
        _threaded.append(getattr(mlir, "global_thread_pool", None))


def _after_fork_in_child() -> None:
    """Compute nothing from now on; and let what has threads outlive Python, which would wait for them to end."""
    if _threaded:
        forking.cut_off()
    for kept in _threaded:
        _keep(kept)
    _threaded.clear()


_configure()
if hasattr(os, "register_at_fork"):
    os.register_at_fork(
        before=_before_fork, after_in_parent=_threaded.clear, after_in_child=_after_fork_in_child
    )
atexit.register(_keep_clients)  # called before JAX's own, which lets go of them
