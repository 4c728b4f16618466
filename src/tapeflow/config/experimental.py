"""`tf.config.experimental`: GPU memory, determinism, and older spellings of `tf.config`."""

from __future__ import annotations

import warnings
from typing import Any

from tapeflow.config.devices import get_visible_devices as get_visible_devices
from tapeflow.config.devices import list_logical_devices as list_logical_devices
from tapeflow.config.devices import list_physical_devices as list_physical_devices
from tapeflow.config.devices import set_visible_devices as set_visible_devices
from tapeflow.config.logical_configuration import (
    LogicalDeviceConfiguration,
    get_logical_device_configuration,
    set_logical_device_configuration,
)
from tapeflow.engine.devices import startup
from tapeflow.engine.devices.device import memory_of, physical_devices

VirtualDeviceConfiguration = LogicalDeviceConfiguration
get_virtual_device_configuration = get_logical_device_configuration
set_virtual_device_configuration = set_logical_device_configuration

_DEVICE_POLICIES = ("default", "warn", "explicit", "silent", "silent_for_int32")
_remembered: dict[str, Any] = {}  # what was set, for whoever asks


def _check_has_growing_memory(device: Any, where: str) -> None:
    if device not in physical_devices():
        raise ValueError(
            f"Unrecognized device: {device!r}. tf.config.experimental.{where} expected a device from "
            "tf.config.list_physical_devices()."
        )
    if device.device_type != "GPU":
        raise ValueError(
            f"tf.config.experimental.{where} expected a GPU: memory growth is not a property of non-GPU "
            f"devices; got device={device!r}. The memory of a CPU always grows as it is needed."
        )


def get_memory_growth(device: object) -> bool:
    """Whether a GPU's memory is allocated as needed, instead of most of it at the start."""
    _check_has_growing_memory(device, "get_memory_growth")
    return not startup.is_memory_preallocated()


def set_memory_growth(device: object, enable: bool) -> None:
    """Request that a GPU's memory is allocated as needed.

    JAX takes the memory when it starts, and it has to start for the devices to be listed. The choice is
    therefore made in the environment, `XLA_PYTHON_CLIENT_PREALLOCATE=false`, for all GPUs; where it
    was made otherwise, this warns and changes nothing.

    Raises:
        ValueError: the device is not there or is not a GPU.
    """
    _check_has_growing_memory(device, "set_memory_growth")
    if bool(enable) == get_memory_growth(device):
        return
    value = "false" if enable else "true"
    warnings.warn(
        "tf.config.experimental.set_memory_growth comes too late: JAX has already taken the GPU's memory "
        f"its own way. Start the script with XLA_PYTHON_CLIENT_PREALLOCATE={value} in the environment.",
        stacklevel=2,
    )


def enable_op_determinism() -> None:
    """Make every op give the same bits at every run on the same machine.

    On a CPU that is so in any case. For GPUs XLA has to be told before it starts.

    Raises:
        RuntimeError: there is a GPU, and something has run already or the devices have been listed.
    """
    if startup.is_deterministic():
        return
    if startup.has_started():
        if physical_devices("GPU"):
            raise RuntimeError(
                "tf.config.experimental.enable_op_determinism expected to come before JAX has started, "
                "since XLA then chooses its GPU kernels. Call it at the top of the script, before any "
                "tensor is made and the devices are listed."
            )
        return
    startup.choose_determinism()


def get_device_details(device: object) -> dict[str, Any]:
    """Details of a device: the name of a GPU; an empty dict for a CPU."""
    for found in list_physical_devices():
        if found == device:
            return {"device_name": found.name} if found.device_type == "GPU" else {}
    raise ValueError(
        f"tf.config.experimental.get_device_details expected a device from tf.config.list_physical_devices(); got "
        f"{device!r}."
    )


def get_memory_info(device: str) -> dict[str, int]:
    """The memory of a device that programs use, in bytes: now ("current") and at most so far ("peak").

    Args:
        device: its name, such as "GPU:0".

    Raises:
        ValueError: there is no such device, or JAX keeps no count of its memory: of a CPU it does not.
    """
    found = memory_of(device)
    if not found:
        raise ValueError(
            "tf.config.experimental.get_memory_info expected a device whose memory is counted, such as 'GPU:0': "
            f"Allocator stats not available for device {device!r}."
        )
    return {"current": found["bytes_in_use"], "peak": found["peak_bytes_in_use"]}


def get_memory_usage(device: str) -> int:
    """`get_memory_info(device)["current"]`."""
    return get_memory_info(device)["current"]


def tensor_float_32_execution_enabled() -> bool:
    """Whether matrix products and convolutions of float32 may round their inputs to 19 bits on GPUs that can."""
    return startup.may_round_products()


def enable_tensor_float_32_execution(enabled: bool) -> None:
    """Let matrix products and convolutions of float32 round their inputs to 19 bits on GPUs that can, or not.

    It is so unless said otherwise, and holds for programs that are compiled from now on: say it first.
    """
    startup.choose_rounded_products(bool(enabled))


def set_synchronous_execution(enable: bool) -> None:
    """Remembered, and without effect: programs run ahead of Python; a value that is read is waited for."""
    _remembered["is_synchronous"] = bool(enable)


def get_synchronous_execution() -> bool:
    """The value set by `set_synchronous_execution`; True by default."""
    return _remembered.get("is_synchronous", True)


def set_device_policy(device_policy: str | None) -> None:
    """Remembered, and without effect: what a program needs is copied to its device without a word.

    Raises:
        ValueError: it is none of TensorFlow's policies.
    """
    if device_policy not in (None, *_DEVICE_POLICIES):
        raise ValueError(
            f"tf.config.experimental.set_device_policy expected one of {', '.join(map(repr, _DEVICE_POLICIES))} or "
            f"None; got device_policy={device_policy!r}."
        )
    _remembered["device_policy"] = device_policy


def get_device_policy() -> str:
    """The policy set by `set_device_policy`; "silent" by default."""
    return _remembered.get("device_policy") or "silent"


def enable_mlir_bridge() -> None:
    """Has no effect: programs are passed to XLA as StableHLO, which is MLIR."""


def disable_mlir_bridge() -> None:
    """Has no effect: programs are passed to XLA as StableHLO, which is MLIR."""


enable_mlir_graph_optimization = enable_mlir_bridge
disable_mlir_graph_optimization = disable_mlir_bridge
