from __future__ import annotations

import subprocess
from pathlib import Path

import pytest

from tapeflow.doctor import engine
from tapeflow.doctor.engine import Probed
from tapeflow.doctor.finding import Finding, State

FACTS = {
    "devices": ["CPU:0"],
    "floatx": "float32",
    "matmul_s": 0.01,
    "call_s": 50e-6,
    "normal_s": 1e-4,
    "denormal_s": 1e-4,
    "first_step_s": {"whole": 1.0, "trace": 0.2, "lower": 0.1, "compile": 0.4},
}


def examined(monkeypatch: pytest.MonkeyPatch, cores: float = 2, **facts: object) -> dict[str, Finding]:
    monkeypatch.setattr(engine, "probe", lambda: Probed({}, FACTS | facts, ""))
    return {one.name: one for one in engine.examine(cores)}


def test_a_fast_one(monkeypatch: pytest.MonkeyPatch) -> None:
    found = examined(monkeypatch)
    assert {one.state for one in found.values()} == {State.OK}
    assert found["512x512 matrix product"].value == "10.00 ms, 27 GFLOP/s"
    assert found["calling a program"].value == "50 us"
    first = "1.00 s: Python 0.30, tracing 0.20, lowering 0.10, XLA or its cache 0.40"
    assert found["first training step"].value == first


@pytest.mark.parametrize(
    ("facts", "name"),
    [
        ({"matmul_s": 0.05}, "512x512 matrix product"),
        ({"call_s": 1e-3}, "calling a program"),
        ({"denormal_s": 1e-2}, "denormal numbers"),
        ({"floatx": "float64"}, "default dtype"),
        ({"first_step_s": {"whole": 5, "trace": 1, "lower": 1, "compile": 2}}, "first training step"),
    ],
    ids=["product", "call", "denormals", "floats", "first step"],
)
def test_what_is_slow(monkeypatch: pytest.MonkeyPatch, facts: dict[str, object], name: str) -> None:
    found = examined(monkeypatch, **facts)
    assert [one.name for one in found.values() if one.state == State.SLOW] == [name]
    assert found[name].remedy


def test_a_gpu_that_is_not_used(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setattr(engine, "_NVIDIA", tmp_path)
    assert "pip install 'jax[cuda13]'" in examined(monkeypatch)["devices"].remedy
    assert examined(monkeypatch, devices=["GPU:0", "CPU:0"])["devices"].state == State.OK


def test_a_probe_that_takes_too_long(monkeypatch: pytest.MonkeyPatch) -> None:
    def run(*_: object, **__: object) -> None:
        raise subprocess.TimeoutExpired("python", 1, b'{"doing": "start JAX"}\n', b"waiting for a TPU\n")

    monkeypatch.setattr(subprocess, "run", run)
    (found,) = engine.examine(2)
    assert found.state == State.BROKEN
    assert found.value == "cannot start JAX: took longer than 120 seconds; waiting for a TPU"
