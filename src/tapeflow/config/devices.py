"""Which devices there are, and which of them are used."""

from __future__ import annotations

from typing import Any

from tapeflow.engine import errors
from tapeflow.engine.devices import startup
from tapeflow.engine.devices.device import (
    LogicalDevice,
    PhysicalDevice,
    logical_devices,
    physical_device_of,
    physical_devices,
)

_hidden: set[PhysicalDevice] = set()


def list_physical_devices(device_type: str | None = None) -> list[PhysicalDevice]:
    """The devices of this machine, of one type ("CPU", "GPU", "TPU") if given.

    >>> tf.config.list_physical_devices("CPU")
    [PhysicalDevice(name='/physical_device:CPU:0', device_type='CPU')]
    """
    return physical_devices(device_type)


def list_logical_devices(device_type: str | None = None) -> list[LogicalDevice]:
    """The visible devices, under the names that `tf.device` accepts, optionally of one type."""
    return [d for d in logical_devices(device_type) if physical_device_of(d) not in _hidden]


def get_visible_devices(device_type: str | None = None) -> list[PhysicalDevice]:
    """The devices in use, of one type if given."""
    return [d for d in physical_devices(device_type) if d not in _hidden]


def set_visible_devices(devices: Any, device_type: str | None = None) -> None:
    """Use only these devices: computations go to the last kind listed by `list_physical_devices`.

    A script that hides the GPUs with `set_visible_devices([], "GPU")` runs on the CPU. A device that
    is hidden can still be named with `tf.device`.

    Args:
        devices: one device or a list of them, from `list_physical_devices`.
        device_type: change only which devices of this type are visible.

    Raises:
        ValueError: a device is not there, or not of `device_type`, or none would be left.
    """
    chosen = list(devices) if isinstance(devices, (list, set)) or _is_plain_tuple(devices) else [devices]
    candidates = physical_devices(device_type)
    for device in chosen:
        if device not in candidates:
            listed = ", ".join(d.name for d in candidates) or "none"
            raise ValueError(
                f"Unrecognized device: {device!r}. tf.config.set_visible_devices expected devices from "
                f"tf.config.list_physical_devices({device_type or ''}): {listed}."
            )
    hidden = _hidden - set(candidates) | {d for d in candidates if d not in chosen}
    visible = [d for d in physical_devices() if d not in hidden]
    if not visible:
        raise ValueError(
            "tf.config.set_visible_devices expected at least one device to stay visible; got "
            f"devices={devices!r}, device_type={device_type!r}. Programs have to run somewhere."
        )
    if hidden == _hidden:
        return
    _hidden.clear()
    _hidden.update(hidden)
    # Accelerators are listed after the CPU; the first of the last kind is where programs go.
    startup.run_on(next(d for d in visible if d.device_type == visible[-1].device_type))


def _is_plain_tuple(value: object) -> bool:
    return isinstance(value, tuple) and not isinstance(value, PhysicalDevice)


def get_soft_device_placement() -> bool:
    """True: `tf.device` with a device that is not there falls back to the default one."""
    return True


def set_soft_device_placement(enabled: bool) -> None:
    """Accepts True, which is how devices are always placed.

    Raises:
        UnimplementedError: `enabled` is false.
    """
    if not enabled:
        raise errors.UnimplementedError(
            None,
            None,
            "tf.config.set_soft_device_placement expected True; got enabled=False. tf.device falls back "
            "to the default device when the one it names is not there, and cannot be told not to. "
            "Check tf.config.list_logical_devices() first.",
        )
