"""The machine: cores, quotas, load, memory and clocks, as far as the system tells."""

from __future__ import annotations

import math
import os
import platform
import sys
from collections.abc import Iterator
from pathlib import Path

from tapeflow.doctor.finding import Finding, State

_SECTION = "Machine"
_LITTLE_BYTES = 1 << 30


def cores(root: Path = Path("/")) -> float:
    """How many cores this process may use, by its affinity and its container's quota."""
    return min(_affinity(), _quota(root))


def examine(root: Path = Path("/")) -> Iterator[Finding]:
    """Everything, in the order of importance.

    Args:
        root: where `/proc` and `/sys` are.
    """
    yield Finding(_SECTION, "system", f"{platform.system()} {platform.release()}, {platform.machine()}")
    yield _cores(root)
    yield from _load(root)
    yield from _memory(root)
    yield from _governor(root)
    yield from _throttling(root)


def _affinity() -> int:
    if sys.platform == "linux":  # macOS and Windows do not tell
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1


def _quota(root: Path) -> float:
    """How many cores' time the container may spend; infinity if as much as there is."""
    quota, _, period = _read(root / "sys/fs/cgroup/cpu.max").partition(" ")
    if not quota:
        folder = root / "sys/fs/cgroup/cpu"
        quota, period = _read(folder / "cpu.cfs_quota_us"), _read(folder / "cpu.cfs_period_us")
    return int(quota) / int(period) if quota.isdigit() and period.isdigit() and int(period) else math.inf


def _cores(root: Path) -> Finding:
    total, allowed, quota = os.cpu_count() or 1, _affinity(), _quota(root)
    if quota < allowed:
        threads = max(1, math.ceil(quota))
        value = f"{quota:g} of {total}, by a quota"
        remedy = (
            f"More threads than the quota slow one another down: PJRT_NPROC={threads} in the environment, or "
            f"tf.config.threading.set_intra_op_parallelism_threads({threads})."
        )
        return Finding(_SECTION, "cores", value, State.SLOW, remedy)
    if allowed < total:
        remedy = "This process may not use the others (taskset, a cpuset); JAX uses those that it may."
        return Finding(_SECTION, "cores", f"{allowed} of {total}", State.NOTE, remedy)
    return Finding(_SECTION, "cores", str(total))


def _load(root: Path) -> Iterator[Finding]:
    words = _read(root / "proc/loadavg").split()
    if not words:
        return
    load, available = float(words[0]), cores(root)
    value = f"{load:.1f} on {available:g} cores in the last minute"
    if load > available + 0.5:
        remedy = (
            "Other programs use the processor, so training and measurements are slower. `top` lists them."
        )
        yield Finding(_SECTION, "load", value, State.SLOW, remedy)
    else:
        yield Finding(_SECTION, "load", value)


def _memory(root: Path) -> Iterator[Finding]:
    rows = dict(row.split(":", 1) for row in _read(root / "proc/meminfo").splitlines() if ":" in row)
    free = rows.get("MemAvailable", "").split()
    if not free:
        return
    available = int(free[0]) << 10
    limit, used = (_read(root / "sys/fs/cgroup" / name) for name in ("memory.max", "memory.current"))
    if limit.isdigit() and used.isdigit():
        available = min(available, max(int(limit) - int(used), 0))
    value = f"{available / 2**30:.1f} GiB free"
    if available < _LITTLE_BYTES:
        remedy = (
            "Too little: training may be swapped or killed. Close other programs, or use smaller batches."
        )
        yield Finding(_SECTION, "memory", value, State.SLOW, remedy)
    else:
        yield Finding(_SECTION, "memory", value)


def _governor(root: Path) -> Iterator[Finding]:
    governor = _read(root / "sys/devices/system/cpu/cpu0/cpufreq/scaling_governor")
    if governor == "powersave":
        remedy = "The clock is kept low: `cpupower frequency-set -g performance`, or plug the machine in."
        yield Finding(_SECTION, "clock", governor, State.SLOW, remedy)
    elif governor:
        yield Finding(_SECTION, "clock", governor)


def _throttling(root: Path) -> Iterator[Finding]:
    count = _read(root / "sys/devices/system/cpu/cpu0/thermal_throttle/core_throttle_count")
    if count.isdigit() and int(count):
        remedy = "The processor was too hot and has slowed down since the machine started: check its cooling."
        yield Finding(_SECTION, "heat", f"slowed down {count} times", State.NOTE, remedy)


def _read(path: Path) -> str:
    """What a file of the system says; "" if there is none, or it may not be read."""
    try:
        return path.read_text().strip()
    except OSError:
        return ""
