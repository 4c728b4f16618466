"""Accidental broadcasting: who is warned, once, and of what."""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np
import pytest

import tapeflow as tf
from tapeflow.keras import losses
from tapeflow.keras.losses import shape_warning
from tapeflow.keras.losses.shape_warning import warn_of_broadcast


@pytest.fixture(autouse=True)
def forgotten(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(shape_warning, "_warned", set())


def test_a_column_against_a_vector() -> None:
    text = (
        r"mean_squared_error got y_true of shape \(3,\) and y_pred of shape \(3, 1\)\. They broadcast to \(3, 3\), so "
        r"that every label is compared with every prediction.* tf.expand_dims\(y_true, -1\)"
    )
    with pytest.warns(UserWarning, match=text) as caught:
        value = losses.MSE(np.arange(3.0), np.arange(3.0)[:, None])
    np.testing.assert_allclose(value, [5 / 3, 2 / 3, 5 / 3])  # as Keras 2 has it
    assert caught[0].filename == __file__


@pytest.mark.parametrize("array", [np.asarray, tf.constant], ids=["array", "tensor"])
def test_the_class_squeezes_tensors_and_warns_of_arrays(array: Any) -> None:
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        value = losses.MeanSquaredError()(array(np.arange(3.0)), tf.constant(np.arange(3.0)[:, None]))
    assert (float(value) == 0.0, len(caught)) == ((False, 1) if array is np.asarray else (True, 0))


def test_once_for_each_loss_and_kind_of_shape() -> None:
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        for batch in (4, 4, 3):  # the last batch is smaller
            losses.mse(np.zeros(batch), np.zeros((batch, 1)))
            losses.mae(np.zeros(batch), np.zeros((batch, 1)))
            losses.mae(np.zeros((batch, 1)), np.zeros((batch, 5)))
    assert len(caught) == 3


@pytest.mark.parametrize(
    ("true", "pred", "text"),
    [
        ((4, 1), (4,), r"tf.squeeze\(y_true, -1\)"),
        ((4, 1), (4, 5), r"one label is compared with several predictions.* tf.one_hot\(y_true, 5\)"),
        ((4,), (4, 4), r"one label is compared with several predictions.* tf.one_hot\(y_true, 4\)"),
        ((4, 5), (4, 1), r"one prediction is compared with several labels.* Reshape one of them"),
    ],
    ids=str,
)
def test_fixes(true: Any, pred: Any, text: str) -> None:
    with pytest.warns(UserWarning, match=text):
        warn_of_broadcast("a loss", true, pred)


@pytest.mark.parametrize(
    ("true", "pred"),
    [
        ((4,), (4,)),
        ((), (4, 1)),
        ((4, 1), ()),
        ((1,), (1, 1)),
        ((1, 4), (4,)),
        ((3,), (4, 2)),
        ((None,), (None, 1)),
    ],
    ids=str,
)
def test_silent(true: Any, pred: Any) -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        warn_of_broadcast("a loss", true, pred)


@pytest.mark.parametrize(
    "name",
    ["mse", "mae", "mape", "msle", "huber", "log_cosh", "poisson", "kld", "hinge", "squared_hinge",
     "categorical_hinge", "cosine_similarity", "binary_crossentropy", "binary_focal_crossentropy", "dice", "tversky"],
)  # fmt: skip
def test_every_loss_that_broadcasts(name: str) -> None:
    with pytest.warns(UserWarning, match=r"got y_true of shape \(2,\) and y_pred of shape \(2, 1\)"):
        getattr(losses, name)(np.ones(2, np.float32), np.full((2, 1), 0.5, np.float32))
