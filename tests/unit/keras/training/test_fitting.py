"""Epochs, and the validation after them."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import tapeflow as tf
from tapeflow.keras.training.fitting import Validation

layers = tf.keras.layers
X = np.linspace(-1, 1, 80, dtype="float32").reshape(20, 4)
Y = X[:, :1] * 2


@pytest.fixture(scope="module")
def model() -> Any:
    model = tf.keras.Sequential([tf.keras.Input((4,)), layers.Dense(1)])
    model.compile(tf.keras.optimizers.SGD(0.01), "mse")
    return model


def test_epochs_are_counted_from_the_initial_one(model: Any) -> None:
    history = model.fit(X, Y, epochs=5, initial_epoch=3, verbose=0)
    assert history.epoch == [3, 4]
    assert model.history is history
    assert model.fit(X, Y, epochs=2, initial_epoch=2, verbose=0).epoch == []


def test_validation_is_due_as_told() -> None:
    def due(frequency: Any) -> list[int]:
        validation = Validation((X, Y), frequency, None, None, {})
        return [epoch for epoch in range(6) if validation.is_due(epoch)]

    assert due(1) == [0, 1, 2, 3, 4, 5]
    assert due(3) == [2, 5]
    assert due([1, 4]) == [0, 3]
    assert not Validation(None, 1, None, None, {}).is_due(0)
    for wrong in ("often", 0):
        with pytest.raises(ValueError, match="expected validation_freq to be a positive integer or a list"):
            Validation((X, Y), wrong, None, None, {})


@pytest.mark.parametrize("verbose", [1, 2])
def test_progress_is_told(model: Any, verbose: int, capsys: pytest.CaptureFixture[str]) -> None:
    model.fit(X, Y, batch_size=10, epochs=2, validation_data=(X, Y), verbose=verbose)
    printed = capsys.readouterr().out
    assert "Epoch 2/2" in printed
    assert "2/2" in printed
    assert " - val_loss: " in printed
    assert ("[==============================]" in printed) == (verbose == 1)
    model.fit(X, Y, verbose=0)
    model.evaluate(X, Y, verbose=0)
    model.predict(X, verbose=0)
    assert capsys.readouterr().out == ""
