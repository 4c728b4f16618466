"""The devices of JAX and PyTorch, if the program uses them: neither is imported, or started, for this."""

from __future__ import annotations

import sys
from typing import Any


def names() -> list[str]:
    """The devices in use, `cpu:0` or `cuda:0 NVIDIA A100` for example; none before anything has been computed."""
    found = [_name(device) for device in _jax_devices()]
    cuda = _torch_cuda()
    if cuda is not None and not found:
        found = [f"cuda:{i} {cuda.get_device_name(i)}" for i in range(cuda.device_count())]
    return found


def memory_in_use() -> list[int]:
    """The bytes in use on each accelerator that reports them."""
    found = []
    for device in _jax_devices():
        statistics = device.memory_stats() if device.platform != "cpu" else None
        if statistics and "bytes_in_use" in statistics:
            found.append(int(statistics["bytes_in_use"]))
    return found


def _name(device: Any) -> str:
    name = f"{device.platform}:{device.id}"
    return name if device.device_kind == device.platform else f"{name} {device.device_kind}"


def _jax_devices() -> list[Any]:
    """The devices of this process; none while JAX has not started its backends, which takes seconds and memory."""
    jax, bridge = sys.modules.get("jax"), sys.modules.get("jax._src.xla_bridge")
    is_started = getattr(bridge, "backends_are_initialized", None)
    if jax is None or is_started is None or not is_started():
        return []
    return list(jax.local_devices())


def _torch_cuda() -> Any:
    """PyTorch's CUDA, if it is in use."""
    cuda = getattr(sys.modules.get("torch"), "cuda", None)
    return cuda if cuda is not None and cuda.is_initialized() else None
