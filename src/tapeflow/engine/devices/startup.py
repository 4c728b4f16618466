"""Settings of JAX that must be made before it starts, or for the whole process: threads, memory, device.

JAX starts when the first array is made or the devices are listed; importing it does not start it. It
takes these choices from the environment, so they are made there.
"""

from __future__ import annotations

import os

from tapeflow.engine.backend import clear_backends, config_value, jax, xla_bridge
from tapeflow.engine.devices import device
from tapeflow.engine.devices.device import PhysicalDevice, _numbered
from tapeflow.engine.programs.program import counters
from tapeflow.engine.programs.running import run_pending

_THREADS = "PJRT_NPROC"
_PREALLOCATE = "XLA_PYTHON_CLIENT_PREALLOCATE"
_FLAGS = "XLA_FLAGS"
_EXACT = "highest"
_DETERMINISTIC = "--xla_gpu_deterministic_ops=true"


def has_started() -> bool:
    """Whether JAX has started, after which it no longer reads the environment."""
    return xla_bridge.backends_are_initialized()


def thread_count() -> int:
    """The number of threads of the CPU's pool; 0 if JAX chooses it."""
    return int(os.environ.get(_THREADS) or 0)


def choose_thread_count(count: int) -> None:
    """Set the size of the CPU's thread pool, before JAX has started; 0 leaves it to JAX."""
    if count:
        os.environ[_THREADS] = str(count)
    else:
        os.environ.pop(_THREADS, None)


def is_memory_preallocated() -> bool:
    """Whether JAX reserves most of a GPU's memory when it starts."""
    return os.environ.get(_PREALLOCATE, "true").lower() not in ("false", "0")


def choose_memory_preallocation(enabled: bool) -> None:
    """Let JAX reserve a GPU's memory at once or as it needs it, before it has started."""
    os.environ[_PREALLOCATE] = "true" if enabled else "false"


def is_deterministic() -> bool:
    """Whether GPU kernels whose result depends on the order of threads are forbidden."""
    return _DETERMINISTIC in os.environ.get(_FLAGS, "").split()


def choose_determinism() -> None:
    """Forbid GPU kernels whose result depends on the order of threads, before JAX has started."""
    if not is_deterministic():
        os.environ[_FLAGS] = f"{os.environ.get(_FLAGS, '')} {_DETERMINISTIC}".strip()


def may_round_products() -> bool:
    """Whether float32 products may be computed with rounded inputs, where the device can."""
    return config_value("jax_default_matmul_precision") != _EXACT


def choose_rounded_products(enabled: bool) -> None:
    """Let float32 products be computed with rounded inputs, or not, in programs compiled from now on."""
    run_pending()
    jax.config.update("jax_default_matmul_precision", None if enabled else _EXACT)


def is_in_use() -> bool:
    """Whether arrays, programs or settings belong to JAX's devices, so that it cannot be restarted."""
    run_pending()
    has_programs = counters.compiled > 0 or (has_started() and bool(jax.live_arrays()))
    return device.are_settled or has_programs


def divide_cpu(count: int) -> None:
    """Divide the CPU into this many devices; JAX is restarted if it has only listed its devices so far."""
    if has_started():
        clear_backends()
    jax.config.update("jax_num_cpu_devices", count)
    device.cpu_parts = count


def run_on(chosen: PhysicalDevice) -> None:
    """Make `chosen` the device of computations outside of `tf.device`."""
    for kind, index, jax_device in _numbered():
        if chosen.name == f"/physical_device:{kind}:{index}":
            device.settle()
            run_pending()  # what was recorded before belongs to the device before
            jax.config.update("jax_default_device", jax_device)
            return
    raise ValueError(f"run_on expected a device of this machine; got device={chosen!r}.")
