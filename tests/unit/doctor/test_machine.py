from __future__ import annotations

import math
from pathlib import Path

import pytest

from tapeflow.doctor import machine
from tapeflow.doctor.finding import Finding, State

CPU = "sys/devices/system/cpu/cpu0"


@pytest.fixture
def eight_cores(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("os.cpu_count", lambda: 8)
    monkeypatch.setattr(machine, "_affinity", lambda: 8)


def examined(root: Path, files: dict[str, str]) -> dict[str, Finding]:
    for name, text in files.items():
        path = root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text + "\n")
    return {one.name: one for one in machine.examine(root)}


@pytest.mark.usefixtures("eight_cores")
@pytest.mark.parametrize(
    "files",
    [
        {"sys/fs/cgroup/cpu.max": "150000 100000"},
        {"sys/fs/cgroup/cpu/cpu.cfs_quota_us": "150000", "sys/fs/cgroup/cpu/cpu.cfs_period_us": "100000"},
    ],
    ids=["v2", "v1"],
)
def test_a_quota(tmp_path: Path, files: dict[str, str]) -> None:
    cores = examined(tmp_path, files)["cores"]
    assert (cores.value, cores.state) == ("1.5 of 8, by a quota", State.SLOW)
    assert "PJRT_NPROC=2" in cores.remedy
    assert machine.cores(tmp_path) == 1.5


@pytest.mark.usefixtures("eight_cores")
def test_no_quota_and_no_files(tmp_path: Path) -> None:
    assert examined(tmp_path, {"sys/fs/cgroup/cpu.max": "max 100000"})["cores"].value == "8"
    assert set(examined(tmp_path / "empty", {})) == {"system", "cores"}
    assert machine.cores(tmp_path) == 8 < math.inf


def test_fewer_cores_than_there_are(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("os.cpu_count", lambda: 8)
    monkeypatch.setattr(machine, "_affinity", lambda: 2)
    assert examined(tmp_path, {})["cores"].value == "2 of 8"


@pytest.mark.usefixtures("eight_cores")
def test_load_memory_clock_and_heat(tmp_path: Path) -> None:
    found = examined(
        tmp_path,
        {
            "proc/loadavg": "11.50 2.0 1.0 1/100 42",
            "proc/meminfo": "MemTotal: 9000000 kB\nMemAvailable: 8388608 kB",
            "sys/fs/cgroup/memory.max": str(3 << 30),
            "sys/fs/cgroup/memory.current": str(5 << 29),
            f"{CPU}/cpufreq/scaling_governor": "powersave",
            f"{CPU}/thermal_throttle/core_throttle_count": "7",
        },
    )
    slow = State.SLOW
    assert (found["load"].value, found["load"].state) == ("11.5 on 8 cores in the last minute", slow)
    assert (found["memory"].value, found["memory"].state) == ("0.5 GiB free", slow)
    assert (found["clock"].value, found["clock"].state) == ("powersave", slow)
    assert (found["heat"].value, found["heat"].state) == ("slowed down 7 times", State.NOTE)


@pytest.mark.usefixtures("eight_cores")
def test_a_machine_at_its_best(tmp_path: Path) -> None:
    found = examined(
        tmp_path,
        {
            "proc/loadavg": "0.1 0.1 0.1 1/100 42",
            "proc/meminfo": "MemAvailable: 8388608 kB",
            f"{CPU}/cpufreq/scaling_governor": "performance",
            f"{CPU}/thermal_throttle/core_throttle_count": "0",
        },
    )
    assert {one.state for one in found.values()} == {State.OK}
