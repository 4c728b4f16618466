"""`EarlyStopping`. Its decisions over many sequences are compared with Keras 2 in tests/parity."""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np
import pytest

from tapeflow.keras.callbacks import EarlyStopping


def losses(*values: float) -> list[dict[str, float]]:
    return [{"loss": value} for value in values]


def test_stops_after_patience(fit: Any, model: Any) -> None:
    stop = EarlyStopping("loss", patience=2)
    history = fit(stop, losses(3, 2, 2, 2, 1))
    assert history.epoch == [0, 1, 2, 3]
    assert stop.stopped_epoch == 3
    assert stop.best == 2
    assert stop.best_epoch == 1


def test_restores_the_best_weights(fit: Any, model: Any, capsys: pytest.CaptureFixture[str]) -> None:
    fit(
        EarlyStopping("loss", patience=2, restore_best_weights=True, verbose=1),
        losses(3, 1, 2, 2, 1),
        steps=2,
    )
    np.testing.assert_array_equal(model.w.numpy(), [4.0, 4.0])
    assert capsys.readouterr().out == (
        "Epoch 4: early stopping\nRestoring model weights from the end of the best epoch: 2.\n"
    )


def test_restores_at_the_end_even_if_it_did_not_stop(fit: Any, model: Any) -> None:
    fit(EarlyStopping("loss", patience=9, restore_best_weights=True), losses(1, 2, 3))
    np.testing.assert_array_equal(model.w.numpy(), [2.0, 2.0])


@pytest.mark.parametrize("mode", ["min", "max"])
@pytest.mark.parametrize("baseline", [None, 0.5])
def test_nan_is_never_the_best(fit: Any, model: Any, mode: str, baseline: float | None) -> None:
    nan = float("nan")
    stop = EarlyStopping("loss", patience=9, mode=mode, baseline=baseline, restore_best_weights=True)
    fit(stop, losses(nan, 1, nan), steps=1)
    assert (stop.best, stop.best_epoch) == (1, 1)
    np.testing.assert_array_equal(model.w.numpy(), [2.0, 2.0])


def test_can_be_used_again(fit: Any) -> None:
    stop = EarlyStopping("loss", patience=1)
    assert len(fit(stop, losses(1, 2, 3)).epoch) == 2
    assert len(fit(stop, losses(5, 4, 3)).epoch) == 3


@pytest.mark.parametrize(
    ("monitor", "mode"), [("val_loss", "min"), ("acc", "max"), ("val_accuracy", "max"), ("val_auc", "max")]
)
def test_auto_mode_goes_by_the_name(monitor: str, mode: str) -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        stop = EarlyStopping(monitor, min_delta=0.1)
    assert stop.monitor_op is (np.less if mode == "min" else np.greater)
    assert stop.min_delta == (-0.1 if mode == "min" else 0.1)


def test_missing_metric_warns_as_keras_does(fit: Any) -> None:
    with pytest.warns(
        UserWarning,
        match="Early stopping conditioned on metric `val_loss` which is not available. "
        "Available metrics are: loss,mae",
    ):
        assert len(fit(EarlyStopping(), [{"loss": 1.0, "mae": 2.0}] * 3).epoch) == 3


def test_unknown_mode_warns() -> None:
    with pytest.warns(UserWarning, match="EarlyStopping mode smallest is unknown, fallback to auto mode."):
        assert EarlyStopping("acc", mode="smallest").monitor_op is np.greater


def test_a_score_that_auto_minimises_is_told() -> None:
    with pytest.warns(
        UserWarning, match=r"EarlyStopping\(mode='auto'\) minimises 'val_precision'.*Give mode='max'"
    ):
        EarlyStopping("val_precision")
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        EarlyStopping("val_precision", mode="max")
