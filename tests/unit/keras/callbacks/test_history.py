"""`History`."""

from __future__ import annotations

from typing import Any

from tapeflow.keras.callbacks import History


def test_keeps_every_epoch(fit: Any, model: Any) -> None:
    history = fit([], [{"loss": 1.0}, {"loss": 0.5, "val_loss": 2.0}])
    assert isinstance(history, History)
    assert history.history == {"loss": [1.0, 0.5], "val_loss": [2.0]}
    assert history.epoch == [0, 1]
    assert history.params == {"verbose": 0, "epochs": 2, "steps": 2}
    assert history.model is model


def test_one_history_over_two_fits_goes_on(fit: Any) -> None:
    mine = History()
    fit([mine], [{"loss": 1.0}])
    assert fit([mine], [{"loss": 2.0}], initial_epoch=1) is mine
    assert mine.history == {"loss": [1.0, 2.0]}
    assert mine.epoch == [1]
