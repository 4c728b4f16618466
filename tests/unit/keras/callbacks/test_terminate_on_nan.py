"""`TerminateOnNaN`."""

from __future__ import annotations

from typing import Any

import pytest

from tapeflow.keras.callbacks import TerminateOnNaN


@pytest.mark.parametrize("bad", [float("nan"), float("inf"), float("-inf")])
def test_stops_at_a_bad_loss(fit: Any, model: Any, bad: float, capsys: pytest.CaptureFixture[str]) -> None:
    history = fit(TerminateOnNaN(), [{"loss": 1.0}, {"loss": bad}, {"loss": 1.0}], steps=3)
    assert model.stop_training
    assert history.epoch == [0, 1]
    assert model.w.numpy()[0] == 4.0  # three steps, and the bad one
    assert capsys.readouterr().out == "Batch 0: Invalid loss, terminating training\n"


def test_goes_on_without_a_loss(fit: Any, model: Any) -> None:
    fit(TerminateOnNaN(), [{"mae": 1.0}])
    assert not model.stop_training
