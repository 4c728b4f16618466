"""`History`."""

from __future__ import annotations

from typing import Any

import tapeflow as tf
from tapeflow.keras.callbacks import Callback, History


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


def test_what_a_callback_adds_is_kept_as_it_was_then(fit: Any) -> None:
    rate = tf.Variable(0.5)

    class Adds(Callback):
        def on_epoch_end(self, epoch: int, logs: Any = None) -> None:
            logs["lr"] = rate

    history = fit([Adds()], [{"loss": 1.0}])
    rate.assign(0.25)
    assert history.history == {"loss": [1.0], "lr": [0.5]}
    assert type(history.get_training_state()["history"]["lr"][0]) is float
