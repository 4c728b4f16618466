"""The `tf.device` scope."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from tapeflow.engine.backend import jax
from tapeflow.engine.devices.device import device_named
from tapeflow.engine.devices.device_spec import DeviceSpec
from tapeflow.engine.programs.running import run_pending


@contextmanager
def device(device_name: str | DeviceSpec | None) -> Iterator[None]:
    """Run the ops recorded inside on one device.

    A device that this machine does not have falls back to its default one, as TensorFlow does with
    soft placement, so that a script written for a GPU runs on a laptop.
    """
    if device_name is None:
        yield
        return
    name = device_name.to_string() if isinstance(device_name, DeviceSpec) else device_name
    jax_device = device_named("tf.device", name)
    if jax_device is None:
        yield
        return
    # What was recorded outside belongs to the device outside.
    run_pending()
    with jax.default_device(jax_device):
        yield
        run_pending()
