"""`LearningRateScheduler` and `ReduceLROnPlateau`."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import tapeflow as tf
from tapeflow.keras.callbacks import LearningRateScheduler, ReduceLROnPlateau

LOGS = [{"loss": 1.0}] * 3


def test_schedule_of_epoch_and_rate(fit: Any, model: Any, capsys: pytest.CaptureFixture[str]) -> None:
    history = fit(LearningRateScheduler(lambda epoch, rate: rate * 0.5, verbose=1), LOGS[:2])
    np.testing.assert_allclose(history.history["lr"], [0.05, 0.025])
    assert isinstance(history.history["lr"][0], np.float32)
    assert capsys.readouterr().out.startswith(
        "\nEpoch 1: LearningRateScheduler setting learning rate to 0.05"
    )


def test_schedule_of_epoch_alone(fit: Any) -> None:
    np.testing.assert_allclose(
        fit(LearningRateScheduler(lambda e: 0.5**e), LOGS).history["lr"], [1, 0.5, 0.25]
    )


def test_schedule_may_return_a_tensor_or_numpy(fit: Any) -> None:
    fit(LearningRateScheduler(lambda e, rate: rate * tf.math.exp(-0.1)), LOGS)
    fit(LearningRateScheduler(lambda e: np.float64(0.5)), LOGS)


def test_a_type_error_of_the_schedule_is_its_own(fit: Any) -> None:
    def schedule(epoch: int, rate: float) -> float:
        return rate + None  # type: ignore[operator]

    with pytest.raises(TypeError, match="unsupported operand"):
        fit(LearningRateScheduler(schedule), LOGS)


def test_schedule_must_return_a_float(fit: Any) -> None:
    with pytest.raises(ValueError, match='The output of the "schedule" function should be float. Got: 1'):
        fit(LearningRateScheduler(lambda e: 1), LOGS)
    with pytest.raises(ValueError, match="The dtype of `lr` Tensor should be float. Got: "):
        fit(LearningRateScheduler(lambda e: tf.constant(1)), LOGS)


def test_plateau_lowers_the_rate(fit: Any, capsys: pytest.CaptureFixture[str]) -> None:
    reduce = ReduceLROnPlateau("loss", factor=0.5, patience=2, verbose=1)
    history = fit(reduce, [{"loss": 1.0}] * 6)
    np.testing.assert_allclose(history.history["lr"], [0.1, 0.1, 0.1, 0.05, 0.05, 0.025], rtol=1e-6)
    assert "\nEpoch 3: ReduceLROnPlateau reducing learning rate to 0.05" in capsys.readouterr().out


def test_plateau_stops_at_min_lr(fit: Any, model: Any) -> None:
    fit(ReduceLROnPlateau("loss", factor=0.1, patience=1, min_lr=0.03), [{"loss": 1.0}] * 6)
    np.testing.assert_allclose(model.optimizer.learning_rate.numpy(), 0.03)


def test_plateau_refuses_to_raise_the_rate() -> None:
    with pytest.raises(ValueError, match="ReduceLROnPlateau does not support a factor >= 1.0. Got 1.5"):
        ReduceLROnPlateau(factor=1.5)


def test_plateau_takes_the_old_name_of_min_delta_and_no_other() -> None:
    assert ReduceLROnPlateau(epsilon=0.5).min_delta == 0.5
    with pytest.raises(TypeError, match="ReduceLROnPlateau expected no argument 'patient'"):
        ReduceLROnPlateau(patient=3)


def test_plateau_warns_of_a_missing_metric(fit: Any) -> None:
    with pytest.warns(
        UserWarning,
        match="Learning rate reduction is conditioned on metric `val_loss` which is not available. "
        "Available metrics are: loss,lr",
    ):
        fit(ReduceLROnPlateau(), LOGS[:1])


@pytest.mark.parametrize(("monitor", "best"), [("val_loss", np.inf), ("my_accuracy_b", -np.inf)])
def test_plateau_auto_mode(monitor: str, best: float) -> None:
    assert ReduceLROnPlateau(monitor).best == best


def test_plateau_warns_of_an_unknown_mode() -> None:
    with pytest.warns(
        UserWarning, match="Learning rate reduction mode up is unknown, fallback to auto mode."
    ):
        ReduceLROnPlateau(mode="up")
