"""Cosine schedules."""

from __future__ import annotations

from tapeflow.keras.optimizers import schedules


def test_warmup_without_steps() -> None:
    schedule = schedules.CosineDecay(0.1, 10, warmup_target=0.5)
    assert float(schedule(0)) == 0.5
