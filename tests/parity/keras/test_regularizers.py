"""Regularizers against Keras 2 (values from a file) and Keras 3 (in process)."""

from __future__ import annotations

from pathlib import Path
from types import ModuleType
from typing import Any

import numpy as np
import pytest

import tapeflow as tf
from tapeflow.keras import regularizers

KERAS_2 = {
    "l1": regularizers.L1(0.03),
    "l2": regularizers.L2(0.02),
    "l1_l2": regularizers.l1_l2(),
    "l1l2_none": regularizers.L1L2(),
    "rows": regularizers.OrthogonalRegularizer(0.1, "rows"),
    "columns": regularizers.OrthogonalRegularizer(0.1, "columns"),
}


@pytest.mark.parametrize("case", KERAS_2)
def test_keras_2(case: str, fixtures: Path) -> None:
    with np.load(fixtures / "base_families.npz") as arrays:
        x, expected = arrays["x"], arrays[f"regularizer/{case}"]
    penalty = KERAS_2[case](tf.constant(x))
    assert penalty.shape == ()
    np.testing.assert_allclose(penalty.numpy(), expected, rtol=2e-6)


@pytest.mark.parametrize(
    ("name", "arguments"),
    [
        ("L1", {"l1": 0.1}),
        ("L2", {"l2": 0.1}),
        ("L1L2", {"l1": 0.1, "l2": 0.2}),
        ("OrthogonalRegularizer", {"factor": 0.3, "mode": "rows"}),
    ],
)
def test_keras_3(name: str, arguments: dict[str, Any], keras: ModuleType) -> None:
    x = np.random.default_rng(1).normal(size=(4, 3)).astype("float32")
    ours, oracle = getattr(regularizers, name)(**arguments), getattr(keras.regularizers, name)(**arguments)
    np.testing.assert_allclose(ours(tf.constant(x)).numpy(), np.asarray(oracle(x)), rtol=2e-6)
    assert {**ours.get_config(), **arguments} == ours.get_config()


def test_every_name_of_keras_3_is_here(keras: ModuleType) -> None:
    missing = [name for name in dir(keras.regularizers) if name[0] != "_" and not hasattr(regularizers, name)]
    assert missing == []
