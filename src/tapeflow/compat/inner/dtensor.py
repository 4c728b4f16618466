"""`tf.experimental.dtensor`, for the packages that mention it: layouts over meshes of devices."""

from __future__ import annotations

from tapeflow.engine.absent import Absent, absent


def __getattr__(name: str) -> Absent:
    if name.startswith("__"):
        raise AttributeError(name)
    return absent(f"tf.experimental.dtensor.{name}", "Use a strategy of tf.distribute for several devices.")
