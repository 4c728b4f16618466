"""One CPU as several devices, to try what is meant for many."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from tapeflow.engine.devices import startup
from tapeflow.engine.devices.device import PhysicalDevice, physical_devices

_chosen: dict[PhysicalDevice, list[LogicalDeviceConfiguration]] = {}


class LogicalDeviceConfiguration(NamedTuple):
    """One of the logical devices into which a physical device is split."""

    memory_limit: float | None = None
    experimental_priority: int | None = None
    experimental_device_ordinal: int | None = None


def get_logical_device_configuration(device: object) -> list[LogicalDeviceConfiguration] | None:
    """Into what a device was divided; None if it was not."""
    return _chosen.get(_checked("get_logical_device_configuration", device))


def set_logical_device_configuration(
    device: object, logical_devices: Sequence[LogicalDeviceConfiguration]
) -> None:
    """Divide the CPU into several devices, before anything has been computed.

    They share its cores: it is for trying out what is meant for many devices.

    Args:
        device: the CPU, from `tf.config.list_physical_devices("CPU")`.
        logical_devices: a `LogicalDeviceConfiguration()` for each device.

    Raises:
        RuntimeError: something has been computed or the devices have been used already; or the device is not a
            CPU, whose memory JAX takes itself.
        ValueError: the device is not there, or a limit of memory is given.
    """
    where = "tf.config.set_logical_device_configuration"
    chosen, wanted = _checked("set_logical_device_configuration", device), list(logical_devices)
    if not wanted:
        raise ValueError(f"{where} expected at least one configuration; got logical_devices=[].")
    if _chosen.get(chosen) == wanted:
        return
    if chosen.device_type != "CPU":
        raise RuntimeError(
            f"{where} expected a CPU; got device={chosen!r}. JAX does not divide other devices. For a limit of memory "
            "start the script with XLA_PYTHON_CLIENT_MEM_FRACTION in the environment."
        )
    if any(c.memory_limit is not None for c in wanted):
        raise ValueError(
            f"{where} expected no memory_limit: Setting memory limit on CPU virtual devices is currently not supported."
        )
    if startup.is_in_use():
        raise RuntimeError(
            f"{where} expected to come first: Virtual devices cannot be modified after being initialized. Call it at "
            "the top of the script, before any tensor is made and the devices are used."
        )
    startup.divide_cpu(len(wanted))
    _chosen[chosen] = wanted


def _checked(where: str, device: object) -> PhysicalDevice:
    for known in physical_devices():
        if known == device:
            return known
    raise ValueError(
        f"Unrecognized device: {device!r}. tf.config.{where} expected a device from tf.config.list_physical_devices()."
    )
