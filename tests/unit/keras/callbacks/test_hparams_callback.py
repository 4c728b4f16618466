"""`hp.KerasCallback`: hyperparameters when `fit` begins, success when it ends."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

import tapeflow as tf
from tapeflow.plugins.hparams import api as hp
from tapeflow.summary.trials import read_trial

X, Y = np.ones((8, 2), np.float32), np.ones((8, 1), np.float32)


def model() -> Any:
    found = tf.keras.Sequential([tf.keras.Input((2,)), tf.keras.layers.Dense(1)])
    found.compile("sgd", "mse")
    return found


def test_a_fit_is_a_trial(tmp_path: Path) -> None:
    units = hp.HParam("units")
    callback = hp.KerasCallback(str(tmp_path / "1"), {units: 3, "rate": 0.5}, trial_id="t")
    model().fit(X, Y, verbose=0, callbacks=[callback])
    trial = read_trial(tf.summary.read(tmp_path / "1"))
    assert trial is not None
    assert (trial.hparams, trial.group, trial.status) == ({"units": 3.0, "rate": 0.5}, "t", "success")
    assert trial.end_time is not None
    assert trial.end_time >= trial.start_time
    with pytest.raises(RuntimeError, match="cannot be reused across training sessions"):
        callback.on_train_begin()


def test_it_takes_a_writer_and_goes_with_tensorboard(tmp_path: Path) -> None:
    writer = tf.summary.create_file_writer(tmp_path)
    callbacks = [tf.keras.callbacks.TensorBoard(tmp_path), hp.KerasCallback(writer, {"a": "x"})]
    with tf.summary.record_if(False):  # hyperparameters are written all the same
        model().fit(X, Y, verbose=0, callbacks=callbacks)
    trial = read_trial(tf.summary.read(tmp_path))
    assert trial is not None
    assert trial.hparams == {"a": "x"}
    assert "epoch_loss" in tf.summary.read(tmp_path / "train")


def test_a_trial_that_fails_has_no_success(tmp_path: Path) -> None:
    class Fails(tf.keras.callbacks.Callback):
        def on_epoch_end(self, epoch: int, logs: Any = None) -> None:
            raise ZeroDivisionError

    with pytest.raises(ZeroDivisionError):
        model().fit(X, Y, verbose=0, callbacks=[hp.KerasCallback(str(tmp_path), {"a": 1}), Fails()])
    trial = read_trial(tf.summary.read(tmp_path))
    assert trial is not None
    assert (trial.status, trial.end_time) == ("running", None)


def test_wrong_arguments_raise(tmp_path: Path) -> None:
    with pytest.raises(TypeError, match="writer must be a `SummaryWriter` or `str`, not None"):
        hp.KerasCallback(None, {"a": 1})
    with pytest.raises(TypeError, match="unsupported type list"):
        hp.KerasCallback(str(tmp_path), {"a": [1]})
