"""Devices, in TensorFlow's spelling: names and listing."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import Any, NamedTuple

from tapeflow.engine.backend import config_value, jax


class PhysicalDevice(NamedTuple):
    """A device as `tf.config.list_physical_devices` names it."""

    name: str
    device_type: str


class LogicalDevice(NamedTuple):
    """A device as `tf.config.list_logical_devices` names it."""

    name: str
    device_type: str


cpu_parts: int | None = None
"""Into how many devices the CPU has been divided; None if nobody asked for it."""
are_settled = False
"""Whether somebody holds on to devices, so that they stay what they are."""


def settle() -> None:
    """Fix the devices: they cannot be configured any more."""
    global are_settled
    are_settled = True


_KINDS = {"cpu": "CPU", "gpu": "GPU", "cuda": "GPU", "rocm": "GPU", "tpu": "TPU"}


def _kind(device: Any) -> str:
    platform: str = device.platform
    return _KINDS.get(platform, platform.upper())


def _devices() -> list[Any]:
    devices = list(jax.devices())
    if devices[0].platform != "cpu":
        devices = [*jax.devices("cpu"), *devices]
    return devices


def physical_devices(device_type: str | None = None) -> list[PhysicalDevice]:
    """The devices of this machine, of one type ("CPU", "GPU", "TPU") if given."""
    listed = dict.fromkeys(_physical(k, i) for k, i, _ in _numbered())
    return [d for d in listed if device_type is None or d.device_type == device_type.upper()]


def _physical(kind: str, number: int) -> PhysicalDevice:
    """What a device is, or is a part of."""
    whole = 0 if kind == "CPU" and cpu_parts is not None else number
    return PhysicalDevice(f"/physical_device:{kind}:{whole}", kind)


def physical_device_of(device: LogicalDevice) -> PhysicalDevice:
    """What a device is, or is a part of."""
    return _physical(device.device_type, int(device.name.rsplit(":", 1)[1]))


def memory_of(name: str) -> dict[str, int] | None:
    """JAX's statistics of a device's memory; None where it keeps none, or there is no such device."""
    device = device_named("tf.config.experimental.get_memory_info", name)
    return None if device is None else device.memory_stats()


def logical_devices(device_type: str | None = None) -> list[LogicalDevice]:
    """The devices programs run on, of one type if given."""
    settle()
    listed = [LogicalDevice(f"/device:{k}:{i}", k) for k, i, _ in _numbered()]
    return [d for d in listed if device_type is None or d.device_type == device_type.upper()]


def _numbered() -> Iterator[tuple[str, int, Any]]:
    seen: dict[str, int] = {}
    for device in _devices():
        kind = _kind(device)
        number = seen.get(kind, 0)
        seen[kind] = number + 1
        yield kind, number, device


def names_of(devices: Sequence[Any]) -> tuple[str, ...]:
    """The names of JAX devices; for those of other processes, JAX's own text."""
    names = {id(device): f"/device:{kind}:{number}" for kind, number, device in _numbered()}
    return tuple(names.get(id(device), str(device)) for device in devices)


def device_name() -> str:
    """The full name of the device that computations go to now."""
    chosen = config_value("jax_default_device") or jax.devices()[0]
    return f"/job:localhost/replica:0/task:0/device:{_kind(chosen)}:{chosen.id}"


_PATTERN = re.compile(
    r"^(?:/job:\w+)?(?:/replica:\d+)?(?:/task:\d+)?/?(?:device:)?(CPU|GPU|TPU)(?::(\d+|\*))?$", re.I
)


def devices_named(names: Sequence[str]) -> list[Any]:
    """The JAX devices of these names; the default device for names that this machine does not have."""
    devices = [device_named("A strategy", name) or jax.devices()[0] for name in names]
    return list(dict.fromkeys(devices))


def device_named(where: str, device_name: str) -> Any:
    """The JAX device of a name; None if this machine has none such."""
    match = _PATTERN.match(device_name)
    if match is None:
        raise ValueError(
            f"{where} expected a name such as '/CPU:0', 'GPU:1' or '/device:CPU:0'; got "
            f"device_name={device_name!r}. tf.config.list_logical_devices() lists them."
        )
    kind, number = match.group(1).upper(), match.group(2) or "0"
    settle()
    for other_kind, index, device in _numbered():
        if other_kind == kind and (number == "*" or index == int(number)):
            return device
    return None
