"""`tensorflow.python.client.device_lib`, which scripts ask for the devices there are."""

from __future__ import annotations

from typing import Any, NamedTuple

from tapeflow.config.devices import list_logical_devices


class Device(NamedTuple):
    """A device that programs can run on."""

    name: str
    device_type: str
    memory_limit: int = 0
    physical_device_desc: str = ""


def list_local_devices(session_config: Any = None) -> list[Device]:
    """The devices of this machine."""
    return [Device(d.name, d.device_type) for d in list_logical_devices()]
