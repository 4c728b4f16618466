"""Losses against Keras 2, by recorded values, and against Keras 3, side by side."""

from __future__ import annotations

import importlib
import json
from pathlib import Path
from types import ModuleType
from typing import Any

import numpy as np
import pytest

import tapeflow as tf
from tapeflow.keras import losses

RECORDED = json.loads((Path(__file__).parent / "fixtures" / "losses.json").read_text())
CASES = RECORDED["cases"]
FLOAT64 = json.loads((Path(__file__).parent / "fixtures" / "float64.json").read_text())["losses"]


def _name(case: dict[str, Any]) -> str:
    options = "-".join(f"{k}={v}" for k, v in case["kwargs"].items())
    return f"{case['loss']}-{options}-{case['y_true']}-{case['set']}"


def _array(kept: dict[str, Any] | None) -> np.ndarray | None:
    return None if kept is None else np.array(kept["value"], kept["dtype"])


def _close(ours: Any, theirs: Any, rtol: float = 1e-6) -> None:
    np.testing.assert_allclose(np.asarray(ours), np.asarray(theirs, np.float32), rtol=rtol, atol=1e-6)


@pytest.mark.usefixtures("op_by_op")
@pytest.mark.parametrize("case", CASES, ids=_name)
def test_reductions_weights_and_masks_as_keras_2(case: dict[str, Any]) -> None:
    data, weights = RECORDED["sets"][case["set"]], RECORDED["weights"][case["set"]]
    y_true = tf.constant(_array(data[case["y_true"]]))
    values = []
    for key in case["values"]:
        reduction, weight, masked = key.split("/")
        y_pred = tf.constant(_array(data[case["y_pred"]]))
        if masked == "masked":
            y_pred._keras_mask = tf.constant(RECORDED["masks"][case["set"]])
        loss = getattr(losses, case["loss"])(**case["kwargs"], reduction=reduction)
        values.append(loss(y_true, y_pred, _array(weights[weight])))
    for value, (key, expected) in zip(values, case["values"].items(), strict=True):
        assert value.dtype == tf.float32, key
        _close(value, expected)


@pytest.mark.parametrize("case", [c for c in CASES if c["set"] == "flat"], ids=_name)
def test_gradients_as_keras_2(case: dict[str, Any]) -> None:
    data = RECORDED["sets"][case["set"]]
    y_pred = tf.Variable(_array(data[case["y_pred"]]))
    with tf.GradientTape() as tape:
        loss = getattr(losses, case["loss"])(**case["kwargs"])(
            tf.constant(_array(data[case["y_true"]])), y_pred
        )
    _close(tape.gradient(loss, y_pred), case["gradient"], rtol=1e-5)


@pytest.mark.usefixtures("op_by_op", "float64")
@pytest.mark.parametrize(
    ("case", "values"), list(zip(CASES, FLOAT64, strict=True)), ids=lambda v: _name(v) if "loss" in v else ""
)
def test_nine_digits_in_float64(case: dict[str, Any], values: dict[str, Any]) -> None:
    data, weights = RECORDED["sets"][case["set"]], RECORDED["weights"][case["set"]]
    y_true, y_pred = tf.constant(_array(data[case["y_true"]])), tf.constant(_array(data[case["y_pred"]]))
    y_true = tf.cast(y_true, tf.float64) if y_true.dtype.is_floating else y_true
    y_pred = tf.cast(y_pred, tf.float64)
    atol = 3e-9 if case["loss"] == "LogCosh" else 1e-12  # Keras 2 has log(2) of it in float32
    for key in values:
        reduction, weight = key.split("/")
        loss = getattr(losses, case["loss"])(**case["kwargs"], reduction=reduction)
        value = loss(y_true, y_pred, _array(weights[weight]))
        assert value.dtype == tf.float64
        np.testing.assert_allclose(value, values[key], rtol=1e-9, atol=atol, err_msg=key)


rng = np.random.default_rng(3)
REGION = rng.integers(0, 2, (2, 4, 4, 1)).astype(np.float32)
CHANCE = rng.random((2, 4, 4, 1)).astype(np.float32)
UNIT = rng.standard_normal((6, 5)).astype(np.float32)
UNIT /= np.linalg.norm(UNIT, axis=1, keepdims=True)
KERAS_3: list[tuple[str, dict[str, Any], Any, Any]] = [
    ("Dice", {}, REGION, CHANCE),
    ("Dice", {"axis": (1, 2, 3)}, REGION, CHANCE),
    ("Tversky", {"alpha": 0.3, "beta": 0.7}, REGION, CHANCE),
    ("Tversky", {"axis": (1, 2, 3), "reduction": "sum"}, REGION, CHANCE),
    ("Circle", {}, np.array([0, 1, 1, 0, 2, 0]), UNIT),
    ("Circle", {"gamma": 4.0, "margin": 0.2, "reduction": None}, np.array([0, 1, 1, 0, 2, 0]), UNIT),
    ("Circle", {"gamma": 4.0, "remove_diagonal": False}, np.array([0, 1, 1, 0, 2, 0]), UNIT),
    (
        "CategoricalGeneralizedCrossEntropy",
        {"q": 0.7},
        np.array([0, 1]),
        np.array([[0.3, 0.7], [0.1, 0.9]], "f"),
    ),
    ("CTC", {"reduction": "none"}, np.array([[1, 1, 2], [3, 2, 0], [0, 0, 0]]), None),
    ("CTC", {}, np.array([[1, 2, 1], [2, 0, 0], [1, 2, 3]]), None),
    ("MeanSquaredError", {"reduction": "mean_with_sample_weight"}, REGION[..., 0], CHANCE[..., 0]),
    ("MeanSquaredError", {"reduction": "mean"}, REGION[..., 0], CHANCE[..., 0]),
    ("MeanSquaredError", {"dtype": "float64"}, REGION[..., 0], CHANCE[..., 0]),
]


@pytest.mark.slow
@pytest.mark.parametrize(
    ("name", "kwargs", "y_true", "y_pred"), KERAS_3, ids=lambda v: "" if isinstance(v, np.ndarray) else str(v)
)
def test_values_and_gradients_as_keras_3(
    keras: ModuleType, name: str, kwargs: dict[str, Any], y_true: Any, y_pred: Any
) -> None:
    if y_pred is None:
        y_pred = rng.standard_normal((3, 7, 4)).astype(np.float32)
    jax = importlib.import_module("jax")
    theirs, ours = getattr(keras.losses, name)(**kwargs), getattr(losses, name)(**kwargs)
    weights = None if name != "MeanSquaredError" else rng.random((2, 4)).astype(np.float32)
    variable = tf.Variable(y_pred)
    with tf.GradientTape() as tape:
        value = ours(tf.constant(y_true), variable, weights)
    total = jax.jit(jax.grad(lambda p: jax.numpy.sum(theirs(y_true, p, sample_weight=weights))))
    expected, gradient = theirs(y_true, y_pred, sample_weight=weights), np.asarray(total(y_pred))
    _close(value, expected, rtol=1e-5)
    # Keras's circle loss has no gradient for an embedding alone in its class; ours is 0.
    assert name == "Circle" or np.isfinite(gradient).all()
    ours = tape.gradient(value, variable).numpy()
    assert np.isfinite(ours).all()
    if np.isfinite(gradient).all():
        _close(ours, gradient, rtol=1e-4)
