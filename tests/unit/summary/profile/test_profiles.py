"""Profiles found and read; what is broken is said, and the rest is there."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest

from tapeflow.summary.profile import Op, find, read

ROWS = [
    {"kind": "profile", "version": 1, "host": "a", "device": "cpu"},
    {"kind": "step", "name": "warm", "step": 0, "count": 1, "at_ns": 0, "input_ns": 0, "compile_ns": 5}
    | {"dispatch_ns": 1, "device_ns": 1, "callbacks_ns": 0, "host_ns": 0},
    {
        "kind": "step",
        "name": "train",
        "step": 0,
        "count": 4,
        "at_ns": 20,
        "input_ns": 8_000_000,
        "compile_ns": 0,
    }
    | {"dispatch_ns": 1_000_000, "device_ns": 1_000_000, "callbacks_ns": 0, "host_ns": 0},
    {"kind": "hook", "name": "on_epoch_end", "at_ns": 50, "wall_ns": 3_000_000},
    {"kind": "compile", "at_ns": 4, "name": "train_step", "trace_ns": 1, "lower_ns": 2, "compile_ns": 3}
    | {"is_cached": True},
    {"kind": "compile", "at_ns": 9, "name": "slow", "trace_ns": 1, "lower_ns": 2, "compile_ns": 3_000_000_000}
    | {"is_cached": False},
    {"kind": "memory", "at_ns": 9, "rss_bytes": 250_000_000, "live_bytes": 1500},
    {"kind": "end", "at_ns": 2_000_000_000},
]


def made(logs: Path, time: str, *hosts: str) -> Path:
    folder = logs / "plugins" / "profile" / time
    folder.mkdir(parents=True)
    for host in hosts:
        (folder / f"{host}.steps.jsonl").write_text("".join(json.dumps(row) + "\n" for row in ROWS))
        (folder / f"{host}.xplane.pb").write_bytes(b"")
    return folder


def test_the_latest_profile_below_a_folder_is_read(tmp_path: Path) -> None:
    older, later = made(tmp_path / "run1", "2026_01_01", "a"), made(tmp_path / "run 2 ä", "2026_01_02", "a")
    made(tmp_path / "run1", "2026_01_03")  # one that is about to be written
    assert find(tmp_path) == [str(older), str(later)]
    assert read(tmp_path).path == str(later)
    assert read(tmp_path / "run1").path == str(older)
    assert read(older).path == str(older)


def test_hosts_are_read_one_by_one(tmp_path: Path) -> None:
    folder = made(tmp_path, "2026_01_01", "a", "b.example")
    assert read(folder).hosts == ["a", "b.example"]
    assert read(folder).host == "a"
    assert read(folder, host="b.example").host == "b.example"
    with pytest.raises(ValueError, match="expected one of the hosts 'a', 'b.example'; got host='c'"):
        read(folder, host="c")


def test_no_profile_is_an_error(tmp_path: Path) -> None:
    with pytest.raises(
        FileNotFoundError, match="expected a folder with a profile in it; .* which has none. Take one"
    ):
        read(tmp_path)
    with pytest.raises(FileNotFoundError, match="expected a folder; got path="):
        read(tmp_path / "missing")


def test_the_verdict_is_on_training(tmp_path: Path) -> None:
    profile = read(made(tmp_path, "2026_01_01", "a"))
    assert [step.name for step in profile.main_steps] == ["train"]
    assert profile.verdict.is_input_bound
    assert profile.verdict.share == pytest.approx(0.8)
    assert [compiled.name for compiled in profile.compiles] == ["slow", "train_step"]
    assert "1 host" not in repr(profile)
    assert repr(profile).startswith("<Profile ")


def test_the_report(tmp_path: Path) -> None:
    text = str(read(made(tmp_path, "2026_01_01", "a")))
    for part in (
        "(cpu, 2.00 s)",
        "80% of step time waits for input",
        "Steps: 4 of 'train' in 1 runs of a program, 2.5 ms each",
        "waiting for input             8.0 ms  80.0%",
        "callbacks between steps",
        "Compiled 2 programs in 3.00 s: tracing 0 us, lowering 0 us, XLA 3.00 s",
        "train_step (cached)",
        "Memory at most: 250.0 MB of the process, 1.5 kB in arrays",
    ):
        assert part in text
    assert "Not read" not in text


def test_a_broken_file_is_said_and_the_other_one_read(tmp_path: Path) -> None:
    folder = made(tmp_path, "2026_01_01", "a")
    (folder / "a.xplane.pb").write_bytes(b"\xff" * 99)
    profile = read(folder)
    assert len(profile.steps) == 2
    assert profile.ops == []
    assert profile.low_precision_share == 0
    assert "expected an XPlane file" in profile.damages[0]
    assert "Not read" in str(profile)
    (folder / "a.steps.jsonl").write_bytes(b"\xff\xfe\x00" * 99)
    assert read(folder).steps == []
    assert read(folder).verdict.kind == "unknown"
    assert len(read(folder).damages) == 2


def test_reading_needs_no_jax(tmp_path: Path) -> None:
    folder = made(tmp_path, "2026_01_01", "a")
    code = (
        "import sys; from tapeflow.summary import profile; "
        "print(profile.read(sys.argv[1]).verdict.kind, 'jax' in sys.modules)"
    )
    found = subprocess.run(
        [sys.executable, "-c", code, str(folder)], capture_output=True, text=True, check=True
    )
    assert found.stdout.split() == ["input", "False"]


def test_casting_is_no_low_precision_computing(tmp_path: Path) -> None:
    profile = read(made(tmp_path, "2026_01_01", "a"))
    kinds = [("matmul", "bfloat16", 2.0), ("matmul", "float32", 1.0), ("convert", "bfloat16", 4.0)]
    kinds.append(("tanh", "float16", 1.0))
    profile.ops = [Op(kind, "jit_step", kind, False, dtype, (), 1, wall) for kind, dtype, wall in kinds]
    assert profile.low_precision_share == pytest.approx(3 / 8)
    assert "computed in 16 bits or fewer          37.5%" in str(profile)
