"""What a run takes of its machine: CPU, memory, disk, network and, where somebody reports them, GPUs."""

from __future__ import annotations

import importlib.util
import math
import os
import time
from typing import Any

from tapeflow.summary.captured import devices

_PAUSES_S = (5.0, 30.0)
_SHARE = 600  # of a run's duration
_LEAST_SPAN_S = 1.0  # over which a mean says something


def pause_s(elapsed_s: float) -> float:
    """How long to wait for the next sample: 5 s at first, 30 s once the run has taken hours."""
    return min(max(elapsed_s / _SHARE, _PAUSES_S[0]), _PAUSES_S[1])


class System:
    """Samples of the machine and of this process.

    Args:
        folder: where the logs go: its disk is looked at.
    """

    def __init__(self, folder: str) -> None:
        import psutil  # start-up

        self._psutil = psutil
        self._folder = folder
        self._process = psutil.Process()
        self._gpus = _Gpus()
        self._counters: tuple[float, dict[str, float]] | None = None
        self._sampled_at = -math.inf
        psutil.cpu_percent()  # both tell of the time since they were last asked
        self._process.cpu_percent()
        self._rates()

    def sample(self) -> dict[str, float]:
        """By tag, what could be found out; see `messages.SYSTEM_METRICS`.

        Means over the time since the last sample are left out if there was hardly any, as at the end of a run.
        """
        psutil = self._psutil
        found = {}
        if time.monotonic() - self._sampled_at >= _LEAST_SPAN_S:
            self._sampled_at = time.monotonic()
            found = {
                "system/cpu": psutil.cpu_percent(),
                "system/process_cpu": self._process.cpu_percent(),
                **self._rates(),
            }
        found |= {
            "system/memory": psutil.virtual_memory().percent,
            "system/process_memory": float(self._process.memory_info().rss),
        }
        disk = self._disk()
        if disk is not None:
            found |= {"system/disk": disk.percent, "system/disk_free": float(disk.free)}
        return found | self._gpus.sample() | _device_memory()

    def _disk(self) -> Any:
        folder = self._folder
        while True:
            try:
                return self._psutil.disk_usage(folder)
            except OSError:  # it is not there yet
                above = os.path.dirname(folder)
                if above == folder:
                    return None
                folder = above

    def _rates(self) -> dict[str, float]:
        """Bytes a second since the last time."""
        now, found = time.monotonic(), {}
        disk, net = _counters(self._psutil.disk_io_counters), _counters(self._psutil.net_io_counters)
        if disk is not None:
            found |= {"system/disk_read": disk.read_bytes, "system/disk_written": disk.write_bytes}
        if net is not None:
            found |= {"system/received": net.bytes_recv, "system/sent": net.bytes_sent}
        before, self._counters = self._counters, (now, found)
        if before is None or now <= before[0]:
            return {}
        return {
            tag: max(count - before[1][tag], 0) / (now - before[0])
            for tag, count in found.items()
            if tag in before[1]
        }


def _counters(ask: Any) -> Any:
    try:
        return ask()
    except (OSError, RuntimeError, NotImplementedError):  # containers may hide them
        return None


def _device_memory() -> dict[str, float]:
    """Memory in use on accelerators, as JAX reports it once it has been used."""
    return {f"system/gpu{i}_memory": float(nbytes) for i, nbytes in enumerate(devices.memory_in_use())}


class _Gpus:
    """GPUs as NVIDIA's driver reports them, if `pynvml` is installed and there are any."""

    def __init__(self) -> None:
        self._handles: list[Any] = []
        if importlib.util.find_spec("pynvml") is None:
            return
        import pynvml  # pyright: ignore[reportMissingImports]

        self._nvml = pynvml
        try:
            pynvml.nvmlInit()
            self._handles = [pynvml.nvmlDeviceGetHandleByIndex(i) for i in range(pynvml.nvmlDeviceGetCount())]
        except pynvml.NVMLError:  # there is no driver
            self._handles = []

    def sample(self) -> dict[str, float]:
        """Utilization in per cent and bytes in use, for each."""
        found: dict[str, float] = {}
        for i, handle in enumerate(self._handles):
            try:
                found[f"system/gpu{i}"] = float(self._nvml.nvmlDeviceGetUtilizationRates(handle).gpu)
                found[f"system/gpu{i}_memory"] = float(self._nvml.nvmlDeviceGetMemoryInfo(handle).used)
            except self._nvml.NVMLError:
                continue
        return found
