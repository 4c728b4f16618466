"""`tf.DeviceSpec`: the parts of a device's name."""

from __future__ import annotations

import dataclasses
from dataclasses import dataclass
from typing import Any

_KINDS = ("CPU", "GPU", "TPU")


@dataclass(frozen=True)
class DeviceSpec:
    """A device's name in parts, each of which may be left open.

    Args:
        job, replica, task: which process.
        device_type: "CPU", "GPU" or another kind.
        device_index: its number among those of the kind.

    >>> tf.DeviceSpec(job="worker", task=1, device_type="gpu", device_index=2).to_string()
    '/job:worker/task:1/device:GPU:2'
    """

    job: str | None = None
    replica: int | None = None
    task: int | None = None
    device_type: str | None = None
    device_index: int | None = None

    def __post_init__(self) -> None:
        kind = self.device_type
        if kind is not None and kind.upper() in _KINDS:
            object.__setattr__(self, "device_type", kind.upper())

    @classmethod
    def from_string(cls, spec: str) -> DeviceSpec:
        """Parse a name such as `/job:worker/task:1/device:GPU:2`, or the older `/gpu:2`."""
        parts: dict[str, Any] = {}
        for part in filter(None, spec.split("/")):
            key, *rest = part.split(":")
            if key == "job" and len(rest) == 1:
                parts["job"] = rest[0]
            elif key in ("replica", "task") and len(rest) == 1:
                parts[key] = _number(rest[0], spec)
            elif key == "device" and 1 <= len(rest) <= 2:
                parts["device_type"] = rest[0]
                parts["device_index"] = _number(rest[1], spec) if len(rest) == 2 else None
            elif key.upper() in _KINDS and len(rest) <= 1:
                parts["device_type"] = key
                parts["device_index"] = _number(rest[0], spec) if rest else None
            else:
                raise ValueError(
                    "DeviceSpec.from_string expected a name such as '/job:worker/task:1/device:GPU:2': Unknown "
                    f"attribute {key!r} is encountered while parsing the device spec: {spec!r}."
                )
        return cls(**parts)

    def parse_from_string(self, spec: str) -> DeviceSpec:
        """The same as `from_string`."""
        return self.from_string(spec)

    def to_string(self) -> str:
        """The name."""
        parts = [f"/{k}:{v}" for k in ("job", "replica", "task") if (v := getattr(self, k)) is not None]
        if self.device_type is not None:
            parts.append(
                f"/device:{self.device_type}:{'*' if self.device_index is None else self.device_index}"
            )
        return "".join(parts)

    def make_merged_spec(self, dev: DeviceSpec) -> DeviceSpec:
        """A copy with the parts of `dev`, and its own parts where `dev` has none."""
        given = {k: v for k, v in dataclasses.asdict(dev).items() if v is not None}
        return dataclasses.replace(self, **given)

    def replace(self, **kwargs: Any) -> DeviceSpec:
        """A copy with some parts replaced."""
        return dataclasses.replace(self, **kwargs)


def _number(text: str, spec: str) -> int | None:
    if text == "*":
        return None
    if not text.isdigit():
        raise ValueError(
            f"DeviceSpec.from_string expected numbers after 'replica', 'task' and the kind; got {spec!r}."
        )
    return int(text)
