"""The tool that counts what devices exchange, on a program whose exchanges are known."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]


@pytest.mark.slow
def test_a_step_exchanges_its_gradients() -> None:
    command = [sys.executable, "-m", "benchmarks.collectives", "mlp", "--devices", "4", "--batch", "64"]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, timeout=600)
    assert done.returncode == 0, done.stderr
    plain, _, sharded = done.stdout.splitlines()
    weights = int(re.findall(r"(\d+) weights", plain)[0])
    assert weights == 784 * 128 + 128 + 128 * 128 + 128 + 128 * 8 + 8
    exchanged = dict(re.findall(r"(all-\w+) ([\d.]+) MB", plain))
    assert list(exchanged) == ["all-reduce"]
    assert float(exchanged["all-reduce"]) == pytest.approx(4 * weights / 1e6, abs=0.01)
    assert float(re.findall(r"sends ([\d.]+) MB", plain)[0]) == pytest.approx(6 * weights / 1e6, abs=0.01)
    # With ZeRO's third stage weights are gathered as well, at least once.
    assert (
        float(dict(re.findall(r"(all-\w+) ([\d.]+) MB", sharded))["all-gather"]) >= 4 * weights / 1e6 - 0.01
    )
